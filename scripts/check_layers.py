#!/usr/bin/env python3
"""Checks that includes go down the house only.

A folder of src/ may include itself and the folders below it in HOUSE; mpi.h is known only to the
folders and files that translate between MPI and us. The command (tools/) may use what decides, and
the values that it decides on (TOOL_ALLOWED), so that it can explain decisions.
Prints one `file:line: reason` per offence and exits 1 if there is any.
"""
import argparse
import pathlib
import re
import sys

# Top to bottom. The same order as in ARCHITECTURE.md.
HOUSE = ["entry", "file", "advise", "collective", "independent", "agent", "layout", "storage",
         "datatype", "comm", "core"]
MPI_HEADER_ALLOWED = re.compile(r"^(entry/|comm/|datatype/decode)")
TOOL_ALLOWED = re.compile(
    r"^(core/|layout/|advise/|file/hints\.h$|collective/census\.h$|independent/way\.h$)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = {".h", ".cc"}


def includes_of(path):
    with open(path, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(1) == '"', match.group(2)


def fault_of_source(relative, quoted, target, source_root):
    """Why the file `relative` (to src/) may not include `target`; None if it may."""
    folder = relative.parts[0]
    if target == "mpi.h":
        allowed = MPI_HEADER_ALLOWED.match(relative.as_posix())
        return None if allowed else "mpi.h belongs to entry/, comm/ and datatype/decode* only"
    if not quoted:
        return None
    if not (source_root / target).is_file():
        return f'"{target}" is not a file of src/ (write the path from src/ on)'
    other = pathlib.PurePosixPath(target).parts[0]
    if other != folder and HOUSE.index(other) < HOUSE.index(folder):
        return f"{folder}/ may not include {other}/, which stands above it"
    return None


def fault_of_tool(target, quoted):
    if target == "mpi.h":
        return "the command does not use MPI"
    top = pathlib.PurePosixPath(target).parts[0]
    if quoted and top in HOUSE and not TOOL_ALLOWED.match(target):
        return f"the command may include what decides, not {target}"
    return None


def source_faults(root, files):
    source_root = root / "src"
    for path in files:
        relative = path.relative_to(source_root)
        if len(relative.parts) < 2 or relative.parts[0] not in HOUSE:
            yield path, 1, f"no such folder in the house: {relative.parts[0]}"
            continue
        for number, quoted, target in includes_of(path):
            fault = fault_of_source(relative, quoted, target, source_root)
            if fault:
                yield path, number, fault


def tool_faults(files):
    for path in files:
        for number, quoted, target in includes_of(path):
            fault = fault_of_tool(target, quoted)
            if fault:
                yield path, number, fault


def files_under(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--stamp", type=pathlib.Path, help="touched if all is well")
    parser.add_argument("--depfile", type=pathlib.Path, help="the files that were read")
    arguments = parser.parse_args()
    root = arguments.root.resolve()

    sources = files_under(root / "src")
    tools = files_under(root / "tools")
    faults = [*source_faults(root, sources), *tool_faults(tools)]
    for path, number, fault in faults:
        print(f"{path.relative_to(root)}:{number}: {fault}", file=sys.stderr)
    if faults:
        return 1
    if arguments.depfile:
        folders = {path.parent for path in sources + tools} | {root / "src", root / "tools"}
        names = " ".join(str(path) for path in [*sources, *tools, *sorted(folders)])
        arguments.depfile.parent.mkdir(parents=True, exist_ok=True)
        arguments.depfile.write_text(f"{arguments.stamp}: {names}\n", encoding="utf-8")
    if arguments.stamp:
        arguments.stamp.parent.mkdir(parents=True, exist_ok=True)
        arguments.stamp.touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
