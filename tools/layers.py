#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""Counts includes and links that go against the layers, and must find none.

  * a layer includes and links only itself and the layers ALLOWED names, its tests likewise;
  * private headers (under src/) stay within their layer, but for those SHARED_PRIVATE names and
    what PRIVATE_FOR_TESTS grants a folder of tests;
  * a vendor's headers stay in the places VENDORS names;
  * the libraries in HIDDEN never show in a public header.
"""

import re
import sys
from pathlib import Path

import sources

BELOW_FACES = {"core", "plan", "c3", "backend", "comm", "bench"}
ALLOWED = {
    "core": set(),
    "plan": {"core"},
    "c3": {"core", "plan"},
    "backend": {"core", "plan"},
    "comm": {"core", "plan", "c3", "backend"},
    "bench": {"core", "plan", "c3", "backend", "comm"},
    "capi": BELOW_FACES,
    "cli": BELOW_FACES,
    "python": BELOW_FACES,
}
VENDORS = {
    r"(cuda|cublas|nvml|nvtx)": (
        "src/backend/cuda",
        "tests/backend/cuda",
        "tests/capi/cuda",
        "examples/cuda_all_gather.c",
    ),
    r"cupti": ("src/bench/evidence", "tests/bench/evidence"),
    r"(hip|hsa|rocblas|rocprofiler|rocm)": ("src/backend/hsa", "tests/backend/hsa"),
    r"(nccl|rccl)": ("src/bench/peers", "tests/bench/peers"),
}
# Private headers that the layers above may use: no public header may show what these are made of.
SHARED_PRIVATE = {"core/toml_reader.hpp"}
# Folders of tests, and the private headers of a backend (or one of its folders) that they may use:
# what these tests put beside the library has no place in a public header.
#   comm/cuda           a caller with streams and graphs of the driver's own
#   bench/attribution   a device with counters that the host has not, whose tasks the host runs
PRIVATE_FOR_TESTS = {
    "tests/comm/cuda/": "backend/cuda/",
    "tests/bench/attribution/": "backend/host/work.hpp",
}
HIDDEN = ("fmt/", "nlohmann/", "toml++/", "toml.hpp", "CLI/", "hwloc", "cblas")

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
LINK = re.compile(r"\bconccl_([a-z0-9]+)")
CODE = {".c", ".cpp", ".cu", ".h", ".hip", ".hpp"}


def layer_of_file(path: str):
    """The layer a file belongs to, or None for what stands outside (examples, tests/support)."""
    parts = path.split("/")
    if path == "include/conccl/conccl.h":
        return "capi"
    if parts[:2] == ["include", "conccl"] and len(parts) > 3:
        return parts[2]
    if parts[0] in ("src", "tests") and len(parts) > 2 and parts[1] in ALLOWED:
        return parts[1]
    return None


def layer_of_include(target: str):
    """(layer, is private) of an included header of the project, or (None, False)."""
    parts = target.split("/")
    if target == "conccl/conccl.h":
        return "capi", False
    if parts[0] == "conccl" and len(parts) > 2:
        return parts[1], False
    if parts[0] in ALLOWED and len(parts) > 1:
        return parts[0], True
    return None, False


def granted(path: str, target: str):
    """Whether a file may use a private header of another layer."""
    return target in SHARED_PRIVATE or any(
        path.startswith(folder) and target.startswith(headers)
        for folder, headers in PRIVATE_FOR_TESTS.items())


def own_include_complaint(path: str, target: str):
    layer = layer_of_file(path)
    other, private = layer_of_include(target)
    if layer is None or other is None or other == layer:
        return None
    if other not in ALLOWED[layer]:
        return f"{layer} may not include {other}: {target}"
    if private and not granted(path, target):
        return f"{target} is a private header of {other}"
    return None


def vendor_complaint(path: str, target: str):
    if layer_of_include(target)[0] is not None:
        return None
    for pattern, folders in VENDORS.items():
        if re.match(pattern, target) and not f"{path}/".startswith(tuple(f"{f}/" for f in folders)):
            return f"vendor header {target} outside {' and '.join(folders)}"
    return None


def hidden_complaint(path: str, target: str):
    if path.startswith("include/") and target.startswith(HIDDEN):
        return f"{target} in a public header"
    return None


def include_complaints(path: str, text: str):
    for number, line in enumerate(text.splitlines(), start=1):
        if not (match := INCLUDE.match(line)):
            continue
        for check in (own_include_complaint, vendor_complaint, hidden_complaint):
            if why := check(path, match.group(1)):
                yield f"{path}:{number}: {why}"


def link_complaints(path: str, text: str):
    layer = layer_of_file(path)
    if layer is None:
        return
    for number, line in enumerate(text.splitlines(), start=1):
        for other in LINK.findall(line.partition("#")[0]):
            if other in ALLOWED and other != layer and other not in ALLOWED[layer]:
                yield f"{path}:{number}: {layer} may not link conccl_{other}"


def unknown_layers(root: Path):
    """A folder that no row of ALLOWED covers would never be checked."""
    for folder in ("include/conccl", "src"):
        for path in sorted((root / folder).glob("*/")):
            if path.is_dir() and path.name not in ALLOWED:
                yield f"{folder}/{path.name}: not a layer that tools/layers.py knows"


def complaints(root: Path):
    yield from unknown_layers(root)
    for file in sources.files(root):
        path = file.relative_to(root).as_posix()
        if file.suffix in CODE:
            yield from include_complaints(path, file.read_text(encoding="utf-8", errors="replace"))
        elif file.name == "CMakeLists.txt":
            yield from link_complaints(path, file.read_text(encoding="utf-8"))


def main(root: Path) -> int:
    found = list(complaints(root))
    for line in found:
        print(line)
    print(f"layers: {len(found)} against the layers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
