"""Measures the release programs. "make bench" runs this; see ../README.md."""

import argparse
import pathlib
import sys
import time

from . import chart, disk, echo, growth, hostile, idle, machine, processes, requests, rows, scale, sizes, soak, values, world

GROUPS = {
    "processes": processes.measure, "requests": requests.measure, "values": values.measure,
    "stored": scale.measure_stored, "watchers": scale.measure_watchers, "idle": idle.measure, "disk": disk.measure,
    "hostile": hostile.measure, "dbus": echo.measure, "members": requests.measure_members, "files": requests.measure_by_hand,
}
README = pathlib.Path(__file__).resolve().parents[1] / "README.md"
DOCUMENT = world.ROOT / "docs/benchmarks.md"


def table(options):
    amount = sizes.QUICK if options.quick else sizes.FULL
    measured = []
    for name in options.only or GROUPS:
        began = time.monotonic()
        measured += GROUPS[name](amount)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    measured.sort(key=lambda row: (row.goal == "", row.goal))
    description = machine.description() + (" A quick run." if options.quick else "")
    print(description)
    print(rows.text(measured))
    if options.json:
        rows.write_json(measured, options.json)
    if options.readme:
        machine.write_between("table", f"{description}\n\n{rows.markdown(measured)}", README)
        machine.write_between("goals", f"{description}\n\n{rows.goals(measured)}", DOCUMENT)
    with_goal = [row for row in measured if row.met is not None]
    if with_goal:
        chart_file = DOCUMENT.with_suffix(".svg") if options.readme else options.chart
        chart_file.write_text(chart.goals(with_goal, description), encoding="utf-8")
        print(f"{sum(row.met for row in with_goal)} of {len(with_goal)} rows with a goal meet it; the chart is {chart_file}")


def grow(options):
    measured = growth.measure()
    print(machine.description())
    print(growth.text(measured))
    if options.readme:
        machine.write_between("growth", f"{machine.description()}\n\n{growth.markdown(measured)}", README)


def endure(options):
    rate, samples = soak.measure(options.seconds)
    summary = soak.summary(rate, samples)
    options.chart.write_text(soak.drawn(rate, samples, machine.description()), encoding="utf-8")
    print(summary)
    if options.readme:
        machine.write_between("soak", f"{machine.description()} {options.seconds} s: {summary}.", README)


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/run", description="Measures the release programs.")
    commands = parser.add_subparsers(dest="command", required=True)
    of_table = commands.add_parser("table", help="compare with the goals P1 to P9 and with other programs")
    of_table.add_argument("--quick", action="store_true", help="run fewer rounds, in about two minutes")
    of_table.add_argument("--json", metavar="FILE")
    of_table.add_argument("--chart", type=pathlib.Path, default=world.ROOT / ".build/benchmarks.svg", help="where to draw the goals as bars")
    of_table.add_argument(
        "--readme", action="store_true",
        help="write the table into Benchmarks/README.md, and the goals into docs/benchmarks.md and docs/benchmarks.svg")
    of_table.add_argument("--only", action="append", choices=list(GROUPS))
    of_growth = commands.add_parser("growth", help="measure memory and time as the content grows")
    of_growth.add_argument("--readme", action="store_true", help="write the table into Benchmarks/README.md")
    of_soak = commands.add_parser("soak", help="run for minutes at 80 %% of the maximum rate, and draw a chart")
    of_soak.add_argument("--seconds", type=int, default=600)
    of_soak.add_argument("--chart", type=pathlib.Path, default=README.with_name("soak.svg"))
    of_soak.add_argument("--readme", action="store_true", help="write the summary into Benchmarks/README.md")
    options = parser.parse_args()
    world.leave_on_signals()
    try:
        {"table": table, "growth": grow, "soak": endure}[options.command](options)
    except world.Failure as failure:
        sys.exit(f"{failure}")


main()
