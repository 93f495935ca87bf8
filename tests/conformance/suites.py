"""What each suite of MPI-IO test programs consists of, and what its `configure` would have made.

A suite is a folder of programs inside Debian's source package `mpich`. ROMIO's own programs stand
alone; those of the MPICH test suite are linked with that suite's small library `mtest`.
"""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROMIO = "src/mpi/romio/test"
MPICH = "test/mpi"

# What configure finds on any Debian system with both C and Fortran, of that which the programs ask.
TEST_CONFIG_H = "".join(f"#define {name} 1\n" for name in (
    "HAVE_STDARG_H", "HAVE_STRING_H", "HAVE_UNISTD_H", "HAVE_SYS_TIME_H", "HAVE_SYS_RESOURCE_H",
    "HAVE_GETRUSAGE", "HAVE_MEMORY_H", "HAVE_MPI_IO", "HAVE_MPI_INIT_THREAD", "HAVE_IOSTREAM",
    "HAVE_NAMESPACE_STD", "F77_NAME_LOWER_USCORE"))
TEST_CONFIG_H += "#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX\n"
# mtest's C++ part for windows does not compile with Open MPI, and no I/O program needs it.
TEST_CONFIG_H += "#ifndef __cplusplus\n#define HAVE_MPI_WIN_CREATE 1\n#endif\n"

# MPI-1's markers, which ROMIO's programs use, are in Open MPI's library but no more in its header.
MARKERS = "open_mpi_markers.h"
MARKERS_H = """#include <mpi.h>
#ifdef OPEN_MPI
#undef MPI_LB
#undef MPI_UB
extern struct ompi_predefined_datatype_t ompi_mpi_lb, ompi_mpi_ub;
#define MPI_LB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_lb)
#define MPI_UB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_ub)
#endif
"""

SUBSTITUTIONS = {
    "LL": "lld", "F77MPIOINC": "", "F77IARGC": "iargc()", "F77GETARG": "call getarg(i, str)",
    "FORTRAN_MPI_OFFSET": "integer (kind=MPI_OFFSET_KIND)",
    "F77_MPI_OFFSET": "integer (kind=MPI_OFFSET_KIND)",
    "F77_MPI_ADDRESS": "integer (kind=MPI_ADDRESS_KIND)", "PERL": "/usr/bin/perl",
}

# Slips in the programs themselves, without which they compile with neither MPI.
REPAIRS = {
    f"{MPICH}/f08/io/c2f902cio.c": (("MTestReturnValue(errs)", "0"),),
    f"{MPICH}/errors/f08/io/uerrhandf08.f90": (("TYPE(MPI_Errhandles)", "TYPE(MPI_Errhandler)"),
                                               ("integer fh\n", "TYPE(MPI_File) fh\n")),
}

MTEST = {
    "c": ("mtest.c", "mtest_common.c", "mtest_single.c"), "cxx": ("mtest_cxx.cxx", "mtest_common.c"),
    "f77": ("mtest_f77.f",), "f90": ("mtest_f90.f90",), "f08": ("mtest_f08.f90",),
}

SUFFIXES = (".c", ".cxx", ".f", ".f90")


@dataclass
class Suite:
    """`pairs` maps the first source of a program made of two to the second one; `alone` are C
    programs in a folder of another language; `generated` tells that templates make programs."""

    folder: str
    language: str = "c"
    mtest: bool = True
    generated: bool = False
    pairs: dict = field(default_factory=dict)
    alone: tuple = ()


SUITES = {
    "romio": Suite(ROMIO, mtest=False),
    "mpich-c": Suite(f"{MPICH}/io"),
    "mpich-f77": Suite(f"{MPICH}/f77/io", "f77", generated=True,
                       pairs={"c2f2ciof.f": "c2f2cio.c"}, alone=("c2fmultio.c",)),
    "mpich-f90": Suite(f"{MPICH}/f90/io", "f90", generated=True,
                       pairs={"c2f2ciof90.f90": "c2f902cio.c"}, alone=("c2f90multio.c",)),
    "mpich-f08": Suite(f"{MPICH}/f08/io", "f08", generated=True,
                       pairs={"c2f2ciof90.f90": "c2f902cio.c"}, alone=("c2f90multio.c",)),
    "mpich-cxx": Suite(f"{MPICH}/cxx/io", "cxx", generated=True),
    "mpich-errors": Suite(f"{MPICH}/errors/io"),
    "mpich-errors-f77": Suite(f"{MPICH}/errors/f77/io", "f77"),
    "mpich-errors-f90": Suite(f"{MPICH}/errors/f90/io", "f90"),
    "mpich-errors-f08": Suite(f"{MPICH}/errors/f08/io", "f08"),
    "mpich-errors-cxx": Suite(f"{MPICH}/errors/cxx/io", "cxx"),
}


def substitute(root):
    """Makes NAME from each NAME.in below `root` that the programs need, as configure would."""
    for template in root.rglob("*.in"):
        if re.search(r"\.(c|f|h)\.in$|testmerge\.in$", template.name) is None:
            continue
        text = template.read_text(errors="replace")
        text = re.sub(r"@(\w+)@", lambda name: SUBSTITUTIONS.get(name[1], name[0]), text)
        template.with_suffix("").write_text(text)
    (root / MPICH / "include/mpitestconf.h").write_text(TEST_CONFIG_H)
    (root / MPICH / "include" / MARKERS).write_text(MARKERS_H)


def repair(root):
    """Applies REPAIRS. Asserts that each still has its place, so that none outlives its cause."""
    for name, changes in REPAIRS.items():
        text = (root / name).read_text()
        for wrong, right in changes:
            assert wrong in text, f"{name}: {wrong}"
            text = text.replace(wrong, right)
        (root / name).write_text(text)


def derive_f90_harness(root):
    """Makes f90/io's templates from f77/io's by the rules stated in its Makefile.ap."""
    f77, f90 = root / MPICH / "f77/io", root / MPICH / "f90/io"
    text = (f77 / "ioharness.defn").read_text()
    text = re.sub(r'filename="(.*)f\.f"', r'filename="\1f90.f90"', text)
    text = re.sub(r"include.*iooffset.*", "integer (kind=MPI_OFFSET_KIND)offset", text)
    (f90 / "ioharness.defn").write_text(text)
    text = (f77 / "ioharness.tlt").read_text()
    text = re.sub(r"include.*mpif.*", "use mpi", text).replace("fheader", "f90header")
    text = re.sub(r"(?m)^C", "!", text)
    text = re.sub(r"(?m)^.*implicit *none.*\n", "", text)
    (f90 / "ioharness.tlt").write_text(text)


def generate(root):
    """Brings an extracted source tree to the state in which every program can be compiled."""
    substitute(root)
    repair(root)
    derive_f90_harness(root)
    common = root / MPICH / "maint/common.defn"
    for suite in SUITES.values():
        if suite.generated:
            folder = root / suite.folder
            subprocess.run(["perl", str(root / MPICH / "maint/testmerge"), f"-defn={common}",
                            str(folder / "ioharness.defn"), str(folder / "ioharness.tlt")],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)


def programs(root, suite):
    """Returns {program: (language, [sources])} of a suite in a generated tree."""
    folder = root / suite.folder
    seconds = set(suite.pairs.values())
    found = {}
    for source in sorted(folder.iterdir()):
        if source.suffix not in SUFFIXES or source.name in seconds:
            continue
        language = "c" if source.name in suite.alone else suite.language
        if not suite.mtest:
            language = "f77" if source.suffix == ".f" else "c"
        sources = [source]
        if source.name in suite.pairs:
            sources.append(folder / suite.pairs[source.name])
        found[source.stem] = (language, sources)
    return found


def mtest_sources(root, language):
    """Returns the sources of the `mtest` library for programs of `language`."""
    return [Path(root) / MPICH / "util" / name for name in MTEST[language]]
