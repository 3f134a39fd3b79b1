#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0
"""Bandwidth of collectives between ranks as processes against ranks as threads, in one session.

    tools/run-env tools/process_vs_threads.py --tool build/release/bin/conccl --csv out.csv

In every repetition each collective, size and way to launch is one run of `conccl bench`, in an
order shuffled by the seed, so that what changes on the machine meanwhile hits both ways alike.
Every run also compares bytes; a single wrong one makes the exit code 1.
"""

import argparse
import csv
import json
import random
import statistics
import subprocess
import sys
from pathlib import Path

COLLECTIVES = ("all_gather", "all_to_all")
LAUNCHES = ("threads", "processes")
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
COLUMNS = ["collective", "bytes", "repetitions",
           "threads_gbps", "threads_min", "threads_max",
           "processes_gbps", "processes_min", "processes_max",
           "ratio", "wrong_bytes"]


def parse_bytes(text: str) -> int:
    unit = UNITS.get(text[-1:].upper(), 1)
    return int(text[:-1] if unit > 1 else text) * unit


def sizes(least: int, most: int, factor: int):
    while least <= most:
        yield least
        least *= factor


def measure(options, collective: str, size: int, launch: str):
    """(busbw in GB/s, wrong bytes) of one run."""
    command = [options.tool, "bench", collective, "--launch", launch, "-b", str(size), "-e",
               str(size), "-g", str(options.ranks), "-n", str(options.iterations), "-w",
               str(options.warmup), "-c", "1", "--rounds", "1", "--peers", "none", "-d",
               "uint8", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # 1 is a run with wrong bytes, which says how many.
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()}")
    results = json.loads(done.stdout)["lines"][0]["results"]
    result = next(each for each in results if each["placement"] == "out_of_place")
    return result["busbw_gbps"], result["wrong"]


def collect(options, tell):
    """Per collective, size and launch: a list of (busbw, wrong)."""
    cases = [(collective, size, launch) for collective in COLLECTIVES
             for size in sizes(options.min_bytes, options.max_bytes, options.factor)
             for launch in LAUNCHES]
    found = {case: [] for case in cases}
    shuffler = random.Random(options.seed)
    for repetition in range(options.repetitions):
        shuffler.shuffle(cases)
        for number, case in enumerate(cases):
            tell(f"repetition {repetition + 1}/{options.repetitions}, "
                 f"run {number + 1}/{len(cases)}")
            found[case].append(measure(options, *case))
    return found


def rows(found):
    """One row per collective and size."""
    for collective, size in sorted({case[:2] for case in found}):
        row = {"collective": collective, "bytes": size, "wrong_bytes": 0}
        for launch in LAUNCHES:
            runs = found[collective, size, launch]
            busbw = [run[0] for run in runs]
            row["repetitions"] = len(runs)
            row[f"{launch}_gbps"] = statistics.median(busbw)
            row[f"{launch}_min"] = min(busbw)
            row[f"{launch}_max"] = max(busbw)
            row["wrong_bytes"] += sum(run[1] for run in runs)
        row["ratio"] = row["processes_gbps"] / row["threads_gbps"] if row["threads_gbps"] else 0
        yield row


def print_table(table):
    print(f"{'':>10} {'':>11}  {'threads: busbw GB/s':^26}  {'processes: busbw GB/s':^26}")
    side = f"{'median':>8} {'min':>8} {'max':>8}"
    print(f"{'':>10} {'bytes':>11}  {side}  {side}  {'ratio':>6} {'wrong':>6}")
    for row in table:
        sides = "  ".join(" ".join(f"{row[f'{launch}_{what}']:8.4f}"
                                   for what in ("gbps", "min", "max")) for launch in LAUNCHES)
        print(f"{row['collective']:>10} {row['bytes']:>11}  {sides}  {row['ratio']:6.3f} "
              f"{row['wrong_bytes']:>6}")


def write_csv(path: str, table):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for row in table:
            writer.writerow({name: f"{value:.6g}" if isinstance(value, float) else value
                             for name, value in row.items()})


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="build/release/bin/conccl")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("-b", "--min-bytes", type=parse_bytes, default=1 << 10)
    parser.add_argument("-e", "--max-bytes", type=parse_bytes, default=64 << 20)
    parser.add_argument("-f", "--factor", type=int, default=4)
    parser.add_argument("-r", "--repetitions", type=int, default=7)
    parser.add_argument("-n", "--iterations", type=int, default=20)
    parser.add_argument("-w", "--warmup", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", help="write the table to this file too")
    options = parser.parse_args(arguments)
    ascending = options.factor >= 2 and 0 < options.min_bytes <= options.max_bytes
    if not ascending or options.repetitions < 1:
        parser.error("expected a factor of at least 2, a repetition, and sizes that ascend from 1")
    return options


def main(arguments) -> int:
    options = parse_arguments(arguments)
    if not Path(options.tool).is_file():
        raise SystemExit(f"{options.tool}: no such tool; build it first, or name it with --tool")
    terminal = sys.stderr.isatty()
    tell = (lambda text: print(f"\r\033[K{text}", end="", file=sys.stderr)) if terminal else \
        (lambda text: None)
    table = list(rows(collect(options, tell)))
    if terminal:
        print("\r\033[K", end="", file=sys.stderr)
    print(f"# {options.ranks} ranks, {options.repetitions} repetitions of "
          f"{options.iterations} calls, seed {options.seed}")
    print_table(table)
    if options.csv:
        write_csv(options.csv, table)
    return 1 if any(row["wrong_bytes"] for row in table) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
