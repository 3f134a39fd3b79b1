#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""Markdown tables from the JSON files of `conccl c3` (schema conccl.c3).

    tools/study_tables.py STUDY.json ...

One table per study and collective, the means per strategy, and geometric means over the scenarios
in which a rank contributes at least, or less than, 128 MiB. Times are milliseconds, medians of the
slowest rank; percentages are of the own ideal.
"""

import json
import pathlib
import re
import sys
from statistics import fmean, geometric_mean

LARGE = 128 * 2**20
SIZES = {"bf16": (2, 2), "fp16": (2, 2), "fp8": (1, 2), "fp32": (4, 4)}  # of operands and results
COLUMNS = ("serial", "c3_base", "c3_sp", "c3_rp", "c3_sp_rp", "nccl_ce", "conccl", "conccl_rp")
DIGITS = re.compile(r"(\d+)x(\d+)x(\d+)")


class Scenario:
    """All strategies of one scenario and collective."""

    def __init__(self, rows):
        self.rows = {row["strategy"]: row for row in rows}
        self.any = rows[0]

    def percent(self, strategy):
        row = self.rows.get(strategy)
        return row["own"]["percent"] if row else None

    def time(self, strategy, which="t_c3_ms"):
        row = self.rows.get(strategy)
        return row[which]["median"] if row else None

    def ratio(self, strategy, other, which="t_c3_ms"):
        ours, theirs = self.time(strategy, which), self.time(other, which)
        return ours / theirs if ours and theirs else None

    def memory_bound(self, machine):
        m, n, k = (int(d) for d in DIGITS.fullmatch(self.any["gemm"]).groups())
        device = machine["device"]
        peaks = device["peak_tflops"]
        # Older reports do not say: they are of the only peak there is.
        kind = self.any.get("gemm_type") or next(iter(peaks), "bf16")
        operand, result = SIZES[kind]
        peak = peaks.get(kind, 0) * 1e12
        bandwidth = device["memory_gbps"] * 1e9
        if not peak or not bandwidth:
            return False
        moved = operand * (n * k + m * k) + result * m * n
        return moved / bandwidth > 2 * m * n * k / peak


def scenarios_of(study):
    groups = {}
    for row in study["results"]:
        groups.setdefault((row["collective"], row["scenario"]), []).append(row)
    return {key: Scenario(rows) for key, rows in groups.items()}


def number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


def whole(value):
    return "-" if value is None else f"{value:.0f}"


def mean(values, how=fmean, digits=1):
    known = [value for value in values if value is not None]
    return f"{how(known):.{digits}f} ({len(known)})" if known else "-"


def table(header, rows):
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def scenario_table(scenarios, present):
    header = ["scenario", "GEMM", "MiB per peer", "class", "T_gemm", "T_comm", "NCCL", "NCCL CE"]
    header += [f"{name} %" for name in present] + ["r", "T_c3", "/ NCCL CE"]
    rows = []
    for each in scenarios:
        facts = each.any
        gemm = f"{facts['gemm']} {facts.get('gemm_type', '')}".rstrip()
        row = [facts["scenario"], gemm, whole(facts["bytes_per_peer"] / 2**20),
               facts["class"], number(facts["t_gemm_ms"]["median"])]
        row += [number(each.time(name, "t_comm_ms")) for name in ("conccl", "serial", "nccl_ce")]
        row += [whole(each.percent(name)) for name in present]
        row += [str(each.rows["conccl_rp"]["budget"]) if "conccl_rp" in each.rows else "-",
                number(each.time("conccl")), number(each.ratio("conccl", "nccl_ce"))]
        rows.append(row)
    return table(header, rows)


def groups_of(study, scenarios):
    """Named selections of scenarios, for means."""
    def contributes(each):
        return each.any["bytes_per_peer"] >= LARGE

    yield "all", scenarios
    yield "at least 128 MiB per peer", [each for each in scenarios if contributes(each)]
    yield "less", [each for each in scenarios if not contributes(each)]
    for kind in ("G-long", "C-long", "GC-equal"):
        yield kind, [each for each in scenarios if each.any["class"] == kind]
    yield ("memory-bound GEMM",
           [each for each in scenarios if each.memory_bound(study["machine"])])


def mean_table(study, scenarios, present):
    header = ["scenarios"] + [f"{name} %" for name in present]
    header += ["conccl T_c3 / NCCL CE", "conccl_rp T_c3 / NCCL CE", "T_comm / NCCL CE"]
    rows = []
    for name, chosen in groups_of(study, scenarios):
        if not chosen:
            continue
        row = [f"{name} ({len(chosen)})"]
        row += [mean([each.percent(strategy) for each in chosen]) for strategy in present]
        for strategy, which in (("conccl", "t_c3_ms"), ("conccl_rp", "t_c3_ms"),
                                ("conccl", "t_comm_ms")):
            row.append(mean([each.ratio(strategy, "nccl_ce", which) for each in chosen],
                            geometric_mean, 3))
        rows.append(row)
    return table(header, rows)


def study_text(path):
    study = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    schema = study.get("schema", "none")
    if not schema.startswith("conccl.c3/"):
        raise SystemExit(f"{path}: schema {schema}, expected conccl.c3")
    found = scenarios_of(study)
    checked = sum(row["check"]["bytes"] for row in study["results"])
    wrong = sum(row["check"]["mismatches"] + row["check"]["gemm_mismatches"]
                for row in study["results"])
    rests = f", rests {study['rest']:g} times as long as each run" if study.get("rest") else ""
    parts = [f"## `{study['suite']}` ({pathlib.Path(path).name})\n",
             f"{study['ranks']} ranks as {study['launch']}, {study['warmup']} warm-up and "
             f"{study['rounds']} measured rounds, seed {study['seed']}{rests}; {checked:,} bytes of "
             f"collectives compared, {wrong} wrong.\n"]
    for peer in study["peers"]:
        parts.append(f"- {peer['name']}: {peer['version'] or peer['reason']}"
                     + "".join(f"; {note}" for note in peer["notes"]))
    for collective in sorted({key[0] for key in found}):
        chosen = [each for key, each in found.items() if key[0] == collective]
        present = [name for name in COLUMNS if any(name in each.rows for each in chosen)]
        parts += [f"\n### {collective}\n", scenario_table(chosen, present),
                  mean_table(study, chosen, present)]
    return "\n".join(parts)


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    print("\n".join(study_text(path) for path in sys.argv[1:]))


if __name__ == "__main__":
    main()
