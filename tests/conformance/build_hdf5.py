#!/usr/bin/python3
"""Builds the parallel tests of HDF5 itself (testpar/) for one MPI, from Debian's source package.

    build_hdf5.py --cache DIR --build DIR --mpi openmpi

The programs are linked with Debian's own parallel HDF5 library, so that no HDF5 is built here. They
go to DIR/hdf5 of --build, where run_program.py finds them. Exit code 0 if all were built.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import fetch_source

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
import launch  # noqa: E402

# Programs of one source each, with what they need beside the common test code.
PROGRAMS = {name: (f"testpar/{name}.c",) for name in (
    "t_mpi", "t_bigio", "t_cache", "t_pread", "t_pshutdown", "t_prestart", "t_init_term",
    "t_shapesame", "t_filters_parallel")}
PROGRAMS["t_cache_image"] = ("testpar/t_cache_image.c", "test/cache_common.c", "test/genall5.c")
PROGRAMS["testphdf5"] = tuple(f"testpar/{name}.c" for name in (
    "testphdf5", "t_dset", "t_file", "t_file_image", "t_mdset", "t_ph5basic", "t_coll_chunk",
    "t_span_tree", "t_chunk_alloc", "t_filter_read", "t_prop", "t_coll_md_read"))
COMMON = ("test/h5test.c", "test/testframe.c")

# What configure makes for test/h5test.c.
SOURCE_FOLDER_H = 'static const char *config_srcdir = ".";\n'


def extract(archive, root):
    """Extracts the tests, and the private headers that they include, under `root`."""
    if (root / "H5srcdir_str.h").exists():
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            path = Path(member.name.partition("/")[2])
            folder = path.parent.as_posix()
            if member.isfile() and (folder in ("testpar", "test") and path.suffix in (".c", ".h")
                                    or folder == "src" and path.suffix == ".h"):
                (root / folder).mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(tar.extractfile(member).read())
    (root / "H5srcdir_str.h").write_text(SOURCE_FOLDER_H)


def flags(mpi):
    """Returns the words that pkg-config has for Debian's HDF5 of this MPI."""
    done = subprocess.run(["pkg-config", "--cflags", "--libs", f"hdf5-{mpi}"], check=True,
                          capture_output=True, text=True)
    return done.stdout.split()


def build(root, out, mpi, program):
    """Builds one program, if it is not there. Returns None, or why it could not be built."""
    target = out / program
    if target.exists():
        return None
    command = [launch.tool("mpicc", mpi), "-w", "-O1", f"-I{root}", f"-I{root}/src",
               f"-I{root}/test", *[str(root / source) for source in PROGRAMS[program] + COMMON],
               "-o", str(target), *flags(mpi), "-lz", "-lm", "-ldl"]
    done = subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return None if done.returncode == 0 else f"{program}: {' '.join(command)}\n{done.stdout}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", required=True, help="folder of downloaded source archives")
    parser.add_argument("--build", required=True, help="folder for sources and programs")
    parser.add_argument("--mpi", required=True, choices=launch.MPIS)
    options = parser.parse_args()
    root = Path(options.build).resolve() / "hdf5-src"
    out = Path(options.build).resolve() / "hdf5"
    out.mkdir(parents=True, exist_ok=True)
    extract(fetch_source.fetch(options.cache, "hdf5", "hdf5-tools"), root)
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        results = pool.map(lambda name: build(root, out, options.mpi, name), PROGRAMS)
        failures = [result for result in results if result]
    print("\n".join(failures) or f"{len(PROGRAMS)} programs of HDF5 are built for {options.mpi}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
