#!/usr/bin/env python3
"""The layer check finds what it is there to find, and the present sources pass it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def check(files):
    """Runs the check on a tree with the given files; returns its complaints."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"src/core/low.h": "", "src/file/high.h": "", **files}.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        command = [sys.executable, ROOT / "scripts" / "check_layers.py", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stderr.splitlines() if done.returncode else []


class Layers(unittest.TestCase):
    def test_downward_is_fine(self):
        self.assertEqual(check({"src/file/a.cc": '#include "core/low.h"\n#include <mutex>\n'}), [])

    def test_upward_is_named_with_its_line(self):
        complaints = check({"src/core/a.cc": '\n#include "file/high.h"\n'})
        self.assertEqual(len(complaints), 1)
        self.assertTrue(complaints[0].startswith("src/core/a.cc:2: "), complaints)

    def test_mpi_header_only_where_mpi_is_translated(self):
        allowed = {"src/comm/a.h": "#include <mpi.h>\n", "src/datatype/decode_x.h": "#include <mpi.h>\n"}
        self.assertEqual(check(allowed), [])
        self.assertEqual(len(check({"src/datatype/pattern.h": "#include <mpi.h>\n"})), 1)

    def test_paths_are_written_from_src_on(self):
        self.assertEqual(len(check({"src/core/a.cc": '#include "low.h"\n'})), 1)

    def test_folder_outside_the_house(self):
        self.assertEqual(len(check({"src/attic/a.cc": ""})), 1)

    def test_command_uses_what_decides_only(self):
        self.assertEqual(check({"tools/a.cc": '#include "core/low.h"\n'}), [])
        self.assertEqual(check({"tools/a.cc": '#include "advise/low.h"\n'}), [])
        self.assertEqual(len(check({"tools/a.cc": '#include "storage/low.h"\n'})), 1)
        self.assertEqual(len(check({"tools/a.cc": '#include "file/high.h"\n'})), 1)


if __name__ == "__main__":
    unittest.main()
