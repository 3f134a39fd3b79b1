# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""tools/scatter_plot.py: what it plots, and what it refuses. Needs no matplotlib."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "scatter_plot.py"
spec = importlib.util.spec_from_file_location("scatter_plot", TOOL)
plot = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plot)

HEADER = "machine,isolated,strategy,measured_t_c3_ms,predicted_t_c3_ms,extrapolated\n"


def row(strategy, measured, predicted, extrapolated=()):
    return {"strategy": strategy, "measured": {"t_c3_ms": measured},
            "predicted": {"t_c3_ms": predicted}, "extrapolated": list(extrapolated)}


def compared(rows, **changes):
    return json.dumps({"schema": "conccl.compared/1", "machine": "m", "isolated": "model",
                       "rows": rows, **changes})


def run(text, before=""):
    """The tool on the text, with `before` run in its interpreter first."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "compared", Path(folder) / "plot.svg"
        path.write_text(text, encoding="utf-8")
        code = f"{before}\nimport runpy, sys\nsys.argv = {[str(TOOL), str(path), str(out)]!r}\n"
        code += f"runpy.run_path({str(TOOL)!r}, run_name='__main__')"
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              check=False)


class Data(unittest.TestCase):
    def test_both_kinds_of_file_hold_the_same(self):
        of_json = plot.comparison_of(compared([row("serial", 2.0, 1.5),
                                               row("conccl", 1.0, 1.25, ["where"])],
                                              machine="2x A, B"))
        of_csv = plot.comparison_of(HEADER + '"2x A, B",model,serial,2.0,1.5,\n'
                                    '"2x A, B",model,conccl,1.0,1.25,where\n')
        self.assertEqual(of_json, of_csv)
        self.assertEqual(of_json.points[0], plot.Point("serial", 2.0, 1.5, False))
        self.assertTrue(of_json.points[1].extrapolated)

    def test_strategies_come_in_the_order_of_reports_each_with_its_colour(self):
        points = plot.comparison_of(compared([row(name, 1, 1) for name in (
            "conccl", "zebra", "serial", "another", "conccl")])).points
        groups = plot.by_strategy(points)
        self.assertEqual([name for name, _, _ in groups], ["serial", "conccl", "another", "zebra"])
        self.assertEqual(len(groups[1][2]), 2)
        self.assertEqual(len({colour for _, colour, _ in groups[:3]}), 3)

    def test_every_strategy_has_a_colour_of_its_own(self):
        self.assertEqual(len(set(plot.COLOURS.values())), len(plot.COLOURS))

    def test_the_title_says_machine_and_number(self):
        found = plot.comparison_of(compared([row("serial", 1, 1)] * 3, isolated="measured"))
        self.assertEqual(plot.title_of(found), "m: T_c3 predicted by the model, n = 3, GEMM's "
                         "isolated time measured")

    def test_both_axes_hold_every_time(self):
        low, high = plot.range_of(plot.comparison_of(compared([row("serial", 2, 8),
                                                               row("serial", 4, 1)])).points)
        self.assertTrue(low < 1 and high > 8)


class Refusals(unittest.TestCase):
    def test_what_is_no_comparison(self):
        for text, part in (("", "no rows"), ("{}", "schema none"), ("{", "not what"),
                           (compared([]), "no rows"), (HEADER, "no rows"),
                           (compared([], schema="conccl.c3/4"), "schema conccl.c3/4"),
                           ("a,b\n1,2\n", "not what"),
                           (compared([{"strategy": "serial"}]), "not what"),
                           (compared([row("serial", "?", 1)]), "not what"),
                           (compared([row("serial", 0, 1)]), "a time of 0.0 ms")):
            with self.assertRaises(plot.BadFile, msg=text) as caught:
                plot.comparison_of(text)
            self.assertIn(part, str(caught.exception))

    def test_an_error_is_one_line(self):
        done = run("{}")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Ascatter_plot.py: error: .*: schema none; .*\n\Z")

    def test_without_matplotlib_it_says_so(self):
        done = run(compared([row("serial", 1, 1)]), "import sys; sys.modules['matplotlib'] = None")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Ascatter_plot.py: error: matplotlib is not .*\n\Z")


if __name__ == "__main__":
    unittest.main()
