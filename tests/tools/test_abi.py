# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""tools/abi notices a symbol that is new, one that is gone, and another SONAME."""

import subprocess
import tempfile
import unittest
from pathlib import Path

ABI = Path(__file__).resolve().parents[2] / "tools" / "abi"
SOURCE = """
void concclOne(void) {}
void concclTwo(void) {}
__attribute__((visibility("hidden"))) void hidden(void) {}
"""


def run(listed, soname="libconccl.so.0"):
    """(exit code, output) of tools/abi for a library with concclOne and concclTwo."""
    with tempfile.TemporaryDirectory() as folder:
        library, symbols = Path(folder) / "lib.so", Path(folder) / "symbols.txt"
        symbols.write_text("# kept\n" + "\n".join(listed) + "\n", encoding="utf-8")
        subprocess.run(["gcc", "-shared", "-nostdlib", "-x", "c", "-", "-o", library,
                        f"-Wl,-soname,{soname}"], input=SOURCE, text=True, check=True)
        done = subprocess.run([ABI, library, symbols], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


class Abi(unittest.TestCase):
    def test_equal(self):
        code, output = run(["concclOne", "concclTwo"])
        self.assertEqual(code, 0, output)
        self.assertIn("exports the 2 functions listed", output)

    def test_a_new_symbol(self):
        code, output = run(["concclOne"])
        self.assertEqual(code, 1)
        self.assertIn("> concclTwo", output)

    def test_a_symbol_that_is_gone(self):
        code, output = run(["concclOne", "concclTwo", "concclThree"])
        self.assertEqual(code, 1)
        self.assertIn("< concclThree", output)

    def test_another_soname(self):
        code, output = run(["concclOne", "concclTwo"], soname="libconccl.so.1")
        self.assertEqual(code, 1)
        self.assertIn("SONAME 'libconccl.so.1'", output)


if __name__ == "__main__":
    unittest.main()
