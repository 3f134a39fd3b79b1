#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""Every source file starts with the two SPDX lines (after a `#!` line)."""

import sys
from pathlib import Path

import sources

HEADER = ["SPDX-FileCopyrightText: 2026 The ConCCL authors", "SPDX-License-Identifier: Apache-2.0"]


def has_header(path: Path) -> bool:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    return [line.strip("/*# ") for line in lines[:2]] == HEADER


def main(root: Path) -> int:
    files = sources.files(root)
    bad = [path for path in files if not has_header(path)]
    for path in bad:
        print(f"{path.relative_to(root)}: no SPDX header in its first two lines")
    print(f"spdx: {len(files)} files, {len(bad)} without a header")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
