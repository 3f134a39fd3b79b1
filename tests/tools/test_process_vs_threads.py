# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""The comparison of launches, on a tool whose figures are known."""

import contextlib
import csv
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import process_vs_threads  # noqa: E402

# Threads: 2 GB/s. Processes: 3, 5, 4, ... GB/s in turn, and wrong bytes from 4,096 bytes on.
TOOL = """#!/usr/bin/env python3
import json, pathlib, sys
a = sys.argv
size, launch = int(a[a.index("-b") + 1]), a[a.index("--launch") + 1]
log = pathlib.Path(__file__).with_suffix(".log")
with log.open("a") as file:
    file.write(f"{a[2]} {size} {launch}\\n")
seen = sum(line == f"{a[2]} {size} {launch}" for line in log.read_text().splitlines())
busbw = 2 if launch == "threads" else (4, 3, 5)[seen % 3]
wrong = 7 if launch == "processes" and size >= 4096 and WRONG else 0
result = {"placement": "out_of_place", "busbw_gbps": busbw, "wrong": wrong}
print(json.dumps({"lines": [{"results": [result]}]}))
sys.exit(1 if wrong else 0)
"""


class ProcessVsThreads(unittest.TestCase):
    def run_it(self, wrong):
        with tempfile.TemporaryDirectory() as folder:
            tool = Path(folder) / "tool"
            tool.write_text(TOOL.replace("WRONG", str(wrong)), encoding="utf-8")
            tool.chmod(0o755)
            table = Path(folder) / "out.csv"
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                code = process_vs_threads.main(["--tool", str(tool), "-b", "1K", "-e", "4K", "-r",
                                                "3", "--csv", str(table)])
            calls = tool.with_suffix(".log").read_text(encoding="utf-8").splitlines()
            with table.open(encoding="utf-8") as file:
                return code, output.getvalue(), list(csv.DictReader(file)), calls

    def test_medians_extremes_and_ratio(self):
        code, text, table, _ = self.run_it(False)
        self.assertEqual(code, 0)
        self.assertEqual([(row["collective"], row["bytes"]) for row in table],
                         [(name, size) for name in process_vs_threads.COLLECTIVES
                          for size in ("1024", "4096")])
        for row in table:
            self.assertEqual([float(row[f"processes_{what}"]) for what in ("gbps", "min", "max")],
                             [4, 3, 5])
            self.assertEqual(float(row["ratio"]), 2)
            self.assertEqual(row["wrong_bytes"], "0")
        self.assertIn("all_gather", text)

    def test_both_ways_run_in_every_repetition_in_a_shuffled_order(self):
        _, _, _, calls = self.run_it(False)
        self.assertEqual(len(calls), 3 * 2 * 2 * 2)
        repetitions = [calls[start:start + 8] for start in (0, 8, 16)]
        for repetition in repetitions:
            self.assertEqual(len(set(repetition)), 8)
        self.assertNotEqual(repetitions[0], repetitions[1])

    def test_wrong_bytes_are_counted_and_fail(self):
        code, _, table, _ = self.run_it(True)
        self.assertEqual(code, 1)
        self.assertEqual([row["wrong_bytes"] for row in table], ["0", "21", "0", "21"])

    def test_a_tool_that_fails_ends_it(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = Path(folder) / "tool"
            tool.write_text("#!/bin/sh\necho no such backend >&2; exit 3\n", encoding="utf-8")
            tool.chmod(0o755)
            with self.assertRaisesRegex(SystemExit, "exit code 3: no such backend"):
                process_vs_threads.main(["--tool", str(tool), "-b", "1K", "-e", "1K", "-r", "1"])


if __name__ == "__main__":
    unittest.main()
