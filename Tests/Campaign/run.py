#!/usr/bin/python3
"""Runs the campaign: tries to break every promise of docs/invariants.md, in shards that can be resumed.

    Tests/Campaign/run.py [--size small|full] [--seed N] [--jobs N] [--minutes N] [ROW …]
    Tests/Campaign/run.py --list | --report
    Tests/Campaign/run.py --shard ROW/VARIANT/NUMBER [--control NAME] --size SIZE --seed N

A row is one kind of fault or input; rows/ROW.py says what it proves. Without names, all rows run: first the controls of
each row, which must be caught, then its shards. Each result is one line in results.jsonl, or in
.build/campaign/results.jsonl if its size is small. A shard that has a result for these sources, this row's file, size
and seed does not run again: a second start continues where the first was stopped.
The exit code is 1 if a row is broken or a control is not caught.
"""

import argparse
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
# The messages that the campaign sends are built by the same code as those of the hostile programs.
sys.path[:0] = [str(HERE), str(HERE.parent / "Hostile")]

from campaign import process, report, results, rows, runner  # noqa: E402


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=["small", "full"], default=os.environ.get("IPC_TEST_SIZE", "full"))
    parser.add_argument("--seed", type=int, default=1, help="determines all random choices (default: 1)")
    parser.add_argument("--jobs", type=int, default=2, help="how many shards run at a time (default: 2)")
    parser.add_argument("--minutes", type=float, help="start no shard after this time")
    parser.add_argument("--controls", action="store_true", help="run only the controls")
    parser.add_argument("--list", action="store_true", help="print the rows, their sizes and their shards")
    parser.add_argument("--report", action="store_true", help="write RESULTS.md from the results")
    parser.add_argument("--shard", help="run this one shard, and print its result as JSON")
    parser.add_argument("--control", help="with --shard: run this control of the row")
    parser.add_argument("row", nargs="*")
    return parser.parse_args()


def main():
    chosen = options()
    if chosen.list:
        for row in rows.named(chosen.row):
            print(row.description(chosen.size))
        return 0
    if chosen.report:
        report.write(results.all(), HERE / "RESULTS.md")
        return 0
    if chosen.shard:
        return process.carry_out(rows.part(chosen.shard, chosen.size, chosen.control), chosen.size, chosen.seed)
    return runner.Campaign(chosen).run(rows.named(chosen.row))


if __name__ == "__main__":
    sys.exit(main())
