# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""Each check of `make check` finds a planted fault and accepts a clean tree."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import layers  # noqa: E402
import sizes  # noqa: E402
import spdx  # noqa: E402

SPDX = ("// SPDX-FileCopyrightText: 2026 The ConCCL authors\n"
        "// SPDX-License-Identifier: Apache-2.0\n")

CLEAN_TREE = {
    "include/conccl/core/units.hpp": SPDX + "#include <cstdint>\n",
    "include/conccl/plan/plan.hpp": SPDX + '#include "conccl/core/units.hpp"\n',
    "src/plan/plan.cpp": SPDX + '#include <fmt/format.h>\n#include "plan/own.hpp"\n',
    "src/plan/CMakeLists.txt": SPDX.replace("//", "#") + "conccl_layer(plan LINKS conccl_core)\n",
    "src/backend/cuda/device.cpp": SPDX + "#include <cuda.h>\n#include <cublasLt.h>\n",
    "src/bench/peers/nccl.cpp": SPDX + "#include <nccl.h>\n",
    "tests/c3/probe_test.cpp": SPDX + '#include "conccl/plan/plan.hpp"\n'
                                      '#include "tests/support/golden.hpp"\n',
    "examples/all_gather.cpp": SPDX + '#include "conccl/bench/report.hpp"\n',
}


def run(check, changes=None):
    """(exit code, output) of `check` over the clean tree with `changes` (path: text) applied."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in {**CLEAN_TREE, **(changes or {})}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = check.main(root)
        return code, output.getvalue()


class CleanTree(unittest.TestCase):
    def test_every_check_accepts_it(self):
        for check in (layers, sizes, spdx):
            with self.subTest(check.__name__):
                self.assertEqual(run(check)[0], 0, run(check)[1])


class Layers(unittest.TestCase):
    def assert_found(self, path, text, expected):
        code, output = run(layers, {path: SPDX + text})
        self.assertEqual(code, 1)
        self.assertIn(f"{path}:3: {expected}", output)
        self.assertIn("layers: 1 against the layers", output)

    def test_public_include_upwards(self):
        self.assert_found("include/conccl/core/bad.hpp", '#include "conccl/plan/plan.hpp"\n',
                          "core may not include plan")

    def test_include_in_angle_brackets(self):
        self.assert_found("src/plan/bad.cpp", "#include <conccl/c3/suite.hpp>\n",
                          "plan may not include c3")

    def test_siblings(self):
        self.assert_found("src/c3/bad.cpp", '#include "conccl/backend/device.hpp"\n',
                          "c3 may not include backend")
        self.assert_found("src/cli/bad.cpp", '#include "conccl/conccl.h"\n',
                          "cli may not include capi")

    def test_private_header_of_another_layer(self):
        self.assert_found("src/c3/bad.cpp", '#include "plan/own.hpp"\n',
                          "plan/own.hpp is a private header of plan")

    def test_private_headers_granted_to_folders_of_tests(self):
        for path, text in (("tests/comm/cuda/a.cpp", '#include "backend/cuda/gpu.hpp"\n'),
                           ("tests/bench/attribution/a.hpp", '#include "backend/host/work.hpp"\n')):
            with self.subTest(path):
                code, output = run(layers, {path: SPDX + text})
                self.assertEqual(code, 0, output)

    def test_no_other_private_headers_for_tests(self):
        for path, header in (("tests/comm/a.cpp", "backend/cuda/gpu.hpp"),
                             ("src/comm/cuda/a.cpp", "backend/cuda/gpu.hpp"),
                             ("tests/comm/cuda/a.cpp", "backend/host/work.hpp"),
                             ("tests/bench/attribution/a.hpp", "backend/host/pool.hpp")):
            with self.subTest(path):
                self.assert_found(path, f'#include "{header}"\n',
                                  f"{header} is a private header of backend")

    def test_tests_follow_their_layer(self):
        self.assert_found("tests/plan/bad_test.cpp", '#include "conccl/comm/communicator.hpp"\n',
                          "plan may not include comm")

    def test_vendor_headers(self):
        self.assert_found("src/comm/bad.cpp", "#include <cuda_runtime.h>\n", "vendor header")
        self.assert_found("src/backend/host/bad.cpp", "#include <hsa/hsa.h>\n", "vendor header")
        self.assert_found("src/backend/cuda/bad.cpp", "#include <nccl.h>\n", "vendor header")

    def test_hidden_library_in_a_header(self):
        self.assert_found("include/conccl/plan/bad.hpp", "#include <nlohmann/json.hpp>\n",
                          "nlohmann/json.hpp in a public header")

    def test_link_upwards(self):
        header = SPDX.replace("//", "#")
        code, output = run(layers, {
            "src/plan/CMakeLists.txt": header + "conccl_layer(plan LINKS conccl_backend_host)\n"})
        self.assertEqual(code, 1)
        self.assertIn("src/plan/CMakeLists.txt:3: plan may not link conccl_backend", output)

    def test_folder_that_is_no_layer(self):
        code, output = run(layers, {"src/extra/a.cpp": SPDX})
        self.assertEqual(code, 1)
        self.assertIn("src/extra: not a layer", output)


class Sizes(unittest.TestCase):
    def test_over_the_soft_limit_without_a_reason(self):
        code, output = run(sizes, {"src/core/long.cpp": SPDX + "\n" * 299})
        self.assertEqual(code, 1)
        self.assertIn("src/core/long.cpp: 301 lines", output)

    def test_a_reason_lifts_the_soft_limit(self):
        text = SPDX + "// size: one table\n" + "\n" * 400
        self.assertEqual(run(sizes, {"src/core/long.cpp": text})[0], 0)

    def test_nothing_lifts_the_limit(self):
        text = SPDX + "// size: one table\n" + "\n" * 498
        self.assertEqual(run(sizes, {"src/core/long.cpp": text})[0], 1)


class Spdx(unittest.TestCase):
    def test_missing_header(self):
        code, output = run(spdx, {"src/core/bare.cpp": "int a;\n"})
        self.assertEqual(code, 1)
        self.assertIn("src/core/bare.cpp: no SPDX header", output)

    def test_header_behind_the_interpreter_line(self):
        text = "#!/usr/bin/env python3\n" + SPDX.replace("//", "#")
        self.assertEqual(run(spdx, {"tools/tool": text})[0], 0)

    def test_lists_of_symbols(self):
        for path in ("src/capi/symbols.txt", "src/capi/conccl.map"):
            with self.subTest(path):
                code, output = run(spdx, {path: "conccl_call\n"})
                self.assertEqual(code, 1)
                self.assertIn(f"{path}: no SPDX header", output)

    def test_header_in_a_block_comment(self):
        header = "".join(f"/* {line[3:]} */\n" for line in SPDX.splitlines())
        self.assertEqual(run(spdx, {"src/capi/conccl.map": header + "{};\n"})[0], 0)


if __name__ == "__main__":
    unittest.main()
