# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""tools/study_tables.py: what its means select, and what it refuses."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "study_tables.py"
MACHINE = {"device": {"peak_tflops": {"bf16": 800.0, "fp8": 1600.0}, "memory_gbps": 4000.0}}


def row(scenario, strategy, **facts):
    times = {name: {"median": facts.get(name, 1.0)} for name in
             ("t_gemm_ms", "t_comm_ms", "t_c3_ms")}
    return {"scenario": scenario, "strategy": strategy, "collective": "all_gather",
            "gemm": facts.get("gemm", "8192x8192x8192"),
            **{key: facts[key] for key in ("gemm_type",) if key in facts},
            "class": "G-long", "budget": 0,
            "bytes_per_peer": facts.get("mib", 256) << 20,
            "own": {"percent": facts.get("percent")},
            "check": {"bytes": 100, "mismatches": 0, "gemm_mismatches": 0}, **times}


def study(rows, schema="conccl.c3/4"):
    return {"schema": schema, "suite": "test", "ranks": 2, "launch": "processes", "warmup": 1,
            "rounds": 3, "seed": 1, "peers": [], "machine": MACHINE, "results": rows}


def run(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return subprocess.run([sys.executable, TOOL, path], capture_output=True, text=True,
                              check=False)


class Tables(unittest.TestCase):
    def test_means_are_of_the_scenarios_that_they_name(self):
        done = run(study([row("large", "conccl", percent=90, t_c3_ms=2.0),
                          row("large", "nccl_ce", percent=80, t_c3_ms=4.0),
                          row("little", "conccl", percent=70, mib=16, t_c3_ms=1.0),
                          row("little", "nccl_ce", percent=10, mib=16, t_c3_ms=8.0)]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| all (2) | 45.0 (2) | 80.0 (2) | 0.250 (2) |", done.stdout)
        self.assertIn("| at least 128 MiB per peer (1) | 80.0 (1) | 90.0 (1) | 0.500 (1) |",
                      done.stdout)
        self.assertIn("| less (1) | 10.0 (1) | 70.0 (1) | 0.125 (1) |", done.stdout)
        self.assertIn("400 bytes of collectives compared, 0 wrong", done.stdout.replace("\n", " "))

    def test_a_product_with_a_narrow_side_is_memory_bound(self):
        done = run(study([row("wide", "conccl", percent=90),
                          row("narrow", "conccl", percent=60, gemm="8192x64x28672")]))
        self.assertIn("| memory-bound GEMM (1) | 60.0 (1) |", done.stdout)

    def test_the_type_sets_peak_and_sizes(self):
        # 0.050 ms of operations and 0.036 of bytes in bf16, 0.025 and 0.035 in fp8.
        shape = "8192x8192x304"
        done = run(study([row("a", "conccl", percent=90, gemm=shape, gemm_type="bf16"),
                          row("b", "conccl", percent=60, gemm=shape, gemm_type="fp8")]))
        self.assertIn("| memory-bound GEMM (1) | 60.0 (1) |", done.stdout)
        self.assertIn("| b | 8192x8192x304 fp8 |", done.stdout)

    def test_an_ideal_without_percent_is_left_out(self):
        done = run(study([row("none", "conccl"), row("some", "conccl", percent=50)]))
        self.assertIn("| all (2) | 50.0 (1) |", done.stdout)

    def test_another_schema_is_refused(self):
        done = run(study([], schema="conccl.bench/2"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("schema conccl.bench/2, expected conccl.c3", done.stderr)


if __name__ == "__main__":
    unittest.main()
