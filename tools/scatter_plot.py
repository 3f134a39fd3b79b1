#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""A scatter plot of what `conccl reproduce REPORT.json --csv FILE` or `--json FILE` wrote.

    tools/scatter_plot.py FILE OUT.svg

Measured T_c3 on x, predicted on y, both logarithmic, with the diagonal and 15 % to either side; a
colour per strategy, hollow where the model extrapolates. The same file gives the same bytes. Needs
matplotlib.
"""

import csv
import json
import math
import sys
from collections import namedtuple

SCHEMA = "conccl.compared/1"
LIMIT = 0.15
# In the order of reports; the colours (Okabe and Ito's) also differ for the colour-blind.
COLOURS = {
    "serial": "#000000",
    "c3_base": "#e69f00",
    "c3_sp": "#56b4e9",
    "c3_rp": "#f0e442",
    "c3_sp_rp": "#cc79a7",
    "conccl": "#009e73",
    "conccl_rp": "#d55e00",
}
OTHERS = "#888888"

Point = namedtuple("Point", "strategy measured predicted extrapolated")
Comparison = namedtuple("Comparison", "machine isolated points")


class BadFile(Exception):
    """Not what `conccl reproduce` wrote."""


def point_of(strategy, measured, predicted, extrapolated):
    point = Point(strategy, float(measured), float(predicted), bool(extrapolated))
    for time in (point.measured, point.predicted):
        if not (math.isfinite(time) and time > 0):
            raise BadFile(f"a time of {time} ms; expected one over zero")
    return point


def from_json(text):
    data = json.loads(text)
    schema = data.get("schema", "none") if isinstance(data, dict) else "none"
    if schema != SCHEMA:
        raise BadFile(f"schema {schema}; expected {SCHEMA}")
    points = [point_of(row["strategy"], row["measured"]["t_c3_ms"], row["predicted"]["t_c3_ms"],
                       row["extrapolated"]) for row in data["rows"]]
    return Comparison(data["machine"], data["isolated"], points)


def from_csv(text):
    rows = list(csv.DictReader(text.splitlines()))
    points = [point_of(row["strategy"], row["measured_t_c3_ms"], row["predicted_t_c3_ms"],
                       row["extrapolated"]) for row in rows]
    return Comparison(rows[0]["machine"], rows[0]["isolated"], points) if rows else None


def comparison_of(text):
    """What the text of either kind of file holds. Raises BadFile for anything else."""
    try:
        found = from_json(text) if text.lstrip().startswith("{") else from_csv(text)
    except (KeyError, TypeError, ValueError) as error:
        raise BadFile(f"not what conccl reproduce writes ({error!r})") from error
    if not found or not found.points:
        raise BadFile("no rows; expected at least one")
    return found


def by_strategy(points):
    """(strategy, colour, its points), known strategies first, in the order of reports."""
    known = list(COLOURS)
    names = sorted({point.strategy for point in points},
                   key=lambda name: (known.index(name) if name in known else len(known), name))
    return [(name, COLOURS.get(name, OTHERS), [p for p in points if p.strategy == name])
            for name in names]


def title_of(found):
    given = ", GEMM's isolated time measured" if found.isolated == "measured" else ""
    return f"{found.machine}: T_c3 predicted by the model, n = {len(found.points)}{given}"


def range_of(points):
    """Of both axes alike, with room at the ends."""
    times = [time for point in points for time in (point.measured, point.predicted)]
    return min(times) / 1.3, max(times) * 1.3


def draw(found, path):
    try:
        import matplotlib
    except ImportError:
        raise SystemExit("scatter_plot.py: error: matplotlib is not installed; expected it "
                         "(pip install matplotlib)") from None
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "conccl", "svg.fonttype": "none"})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 7))
    ends = range_of(found.points)
    axes.plot(ends, ends, color="#444444", linewidth=1)
    for factor, label in ((1 + LIMIT, f"{LIMIT:.0%} off"), (1 - LIMIT, None)):
        axes.plot(ends, [factor * end for end in ends], color="#444444", linewidth=0.8,
                  linestyle="--", label=label)
    for name, colour, points in by_strategy(found.points):
        faces = ["none" if point.extrapolated else colour for point in points]
        axes.scatter([p.measured for p in points], [p.predicted for p in points], s=22,
                     facecolors=faces, edgecolors=colour, linewidths=0.8, zorder=2, label=name)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, aspect="equal",
             xlabel="measured T_c3, ms", ylabel="predicted T_c3, ms", title=title_of(found))
    axes.legend(loc="upper left", fontsize="small")
    figure.savefig(path, format="svg", bbox_inches="tight",
                   metadata={"Date": None, "Creator": None})


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    path, out = sys.argv[1:]
    try:
        with open(path, encoding="utf-8", newline="") as file:
            found = comparison_of(file.read())
        draw(found, out)
    except (BadFile, OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"scatter_plot.py: error: {path}: {error}") from None


if __name__ == "__main__":
    main()
