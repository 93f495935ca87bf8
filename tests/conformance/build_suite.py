#!/usr/bin/python3
"""Builds the programs of one or more conformance suites for one MPI, from Debian's source package.

    build_suite.py --cache DIR --build DIR --mpi openmpi [--jobs N] [SUITE ...]

The source tree is extracted once per MPI, under --build. Programs that exist are not built again.
Exit code 0 if every program was built.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import fetch_source
import suites

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
import launch  # noqa: E402

WRAPPERS = {"c": "mpicc", "cxx": "mpicxx", "f77": "mpif77", "f90": "mpif90", "f08": "mpif90"}
# The programs are not ours: their warnings are of no interest, and old Fortran passes buffers of
# any type to the same routine.
FLAGS = {"c": ["-w", "-include", suites.MARKERS], "cxx": ["-w"],
         **{fortran: ["-w", "-fallow-argument-mismatch"] for fortran in ("f77", "f90", "f08")}}
STAMP = ".generated"


def wanted(member_name):
    """True for the parts of the archive that the suites are made of."""
    path = member_name.partition("/")[2]
    parts = (suites.ROMIO, "test/mpi/io", "test/mpi/util", "test/mpi/include", "test/mpi/maint",
             "test/mpi/f77/io", "test/mpi/f90/io", "test/mpi/f08/io", "test/mpi/cxx/io",
             "test/mpi/errors")
    return any(path.startswith(part + "/") for part in parts)


def extract(archive, root):
    """Extracts and generates the sources under `root`, unless a former run has done so."""
    recipe = Path(suites.__file__).read_text()
    stamp = root / STAMP
    if stamp.exists() and stamp.read_text() == recipe:
        return
    root.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        for member in tar:
            if wanted(member.name) and member.isfile():
                target = root / member.name.partition("/")[2]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(tar.extractfile(member).read())
    suites.generate(root)
    stamp.write_text(recipe)


class Builder:
    """Compiles sources of one tree for one MPI. Objects and programs go below `out`."""

    def __init__(self, root, out, mpi):
        self.root, self.out, self.mpi = root, out, mpi

    def compile(self, language, source, extra_folder):
        """Returns the object of `source`. Raises CalledProcessError with the compiler's words."""
        kind = {".c": "c", ".cxx": "cxx", ".f": "f77", ".f90": language}[source.suffix]
        relative = source.relative_to(self.root)
        built = self.out / "objects" / language / relative.with_name(relative.name + ".o")
        if not built.exists():
            built.parent.mkdir(parents=True, exist_ok=True)
            include = self.root / suites.MPICH / "include"
            partial = built.with_suffix(".partial.o")
            self.call([launch.tool(WRAPPERS[kind], self.mpi), *FLAGS[kind], "-O1",
                       f"-I{include}", f"-I{extra_folder}", "-c", str(source), "-o", str(partial)])
            partial.rename(built)
        return built

    def link(self, program, language, objects):
        """Makes `program` of `objects`. Raises CalledProcessError with the linker's words."""
        program.parent.mkdir(parents=True, exist_ok=True)
        self.call([launch.tool(WRAPPERS[language], self.mpi), *map(str, objects),
                   "-o", str(program), "-lm"])

    def call(self, command):
        """Runs a compiler; its words are in the exception if it fails."""
        subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def build(self, suite_name, program, language, sources):
        """Builds one program, if it is not there. Returns None, or why it could not be built."""
        suite = suites.SUITES[suite_name]
        target = self.out / suite_name / program
        if target.exists():
            return None
        try:
            if suite.mtest:
                sources = sources + suites.mtest_sources(self.root, language)
            objects = [self.compile(language, source, self.root / suite.folder)
                       for source in sources]
            self.link(target, language, objects)
        except subprocess.CalledProcessError as error:
            return f"{suite_name}/{program}: {' '.join(error.cmd)}\n{error.stdout}"
        return None


def build_library(builder, names):
    """Compiles the mtest library first, so that parallel builds find its objects ready."""
    for language in sorted({suites.SUITES[name].language for name in names
                            if suites.SUITES[name].mtest} | {"c"}):
        for source in suites.mtest_sources(builder.root, language):
            builder.compile(language, source, builder.root)


def build_all(builder, names, jobs):
    """Builds the suites `names`; returns the list of failures."""
    build_library(builder, names)
    work = [(name, program, language, sources) for name in names for program, (language, sources)
            in suites.programs(builder.root, suites.SUITES[name]).items()]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda item: builder.build(*item), work))
    failures = [result for result in results if result]
    print(f"{len(work) - len(failures)} of {len(work)} programs are built for {builder.mpi}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", required=True, help="folder of downloaded source archives")
    parser.add_argument("--build", required=True, help="folder for sources, objects and programs")
    parser.add_argument("--mpi", required=True, choices=launch.MPIS)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("suites", nargs="*", default=list(suites.SUITES))
    options = parser.parse_args()
    root = Path(options.build).resolve() / "mpich-src"
    extract(fetch_source.fetch(options.cache, "mpich"), root)
    builder = Builder(root, Path(options.build).resolve(), options.mpi)
    failures = build_all(builder, options.suites, options.jobs)
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
