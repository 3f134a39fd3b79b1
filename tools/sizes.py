#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""No source file over 500 lines; none over 300 without a line `size: <reason>` in its head."""

import re
import sys
from pathlib import Path

import sources

LIMIT = 500
SOFT_LIMIT = 300
HEAD_LINES = 12
REASON = re.compile(r"^\s*(//|#)\s*size:\s*\S+")


def complaint(path: Path):
    """Why `path` is too long, or None."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    if len(lines) > LIMIT:
        return f"{len(lines)} lines, the limit is {LIMIT}"
    if len(lines) > SOFT_LIMIT and not any(map(REASON.match, lines[:HEAD_LINES])):
        return (f"{len(lines)} lines; over {SOFT_LIMIT} needs a comment line "
                f"'size: <reason>' among the first {HEAD_LINES}")
    return None


def main(root: Path) -> int:
    files = sources.files(root)
    bad = [(path, why) for path in files if (why := complaint(path))]
    for path, why in bad:
        print(f"{path.relative_to(root)}: {why}")
    print(f"sizes: {len(files)} files, {len(bad)} too long")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
