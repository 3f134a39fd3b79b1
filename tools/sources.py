# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""The project's own files, with or without a git repository."""

import os
from pathlib import Path

FOLDERS = (".ci", "benchmarks", "cmake", "examples", "include", "machines", "src", "suites",
           "tests", "tools")
TOP_LEVEL = ("CMakeLists.txt", "Makefile")
CODE = {".c", ".cpp", ".cu", ".h", ".hip", ".hpp", ".py"}
SCRIPTS = {".cmake", ".toml"}
LISTS = {".map"}  # of a library's symbols, as is symbols.txt
NAMES = {"CMakeLists.txt", "Makefile", "symbols.txt"}
SKIPPED_FOLDERS = {"__pycache__", "golden", "corpus"}


def is_script(path: Path) -> bool:
    """A file without an extension that starts with `#!`."""
    if path.suffix or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def is_source(path: Path) -> bool:
    return path.suffix in CODE | SCRIPTS | LISTS or path.name in NAMES or is_script(path)


def files(root: Path):
    """Every source file under `root`, sorted."""
    found = [root / name for name in TOP_LEVEL if (root / name).is_file()]
    for folder in FOLDERS:
        for where, folders, names in os.walk(root / folder):
            folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
            found += [path for name in names if is_source(path := Path(where) / name)]
    return sorted(found)
