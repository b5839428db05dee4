"""The cost of a broker with much content: the memory per element, and the time of a request."""

import sys

from .world import World

MIB = 1 << 20


class Step:
    """One kind of content, added in growing numbers to a broker that has no other content."""

    def __init__(self, name, numbers, fill, *options):
        self.name, self.numbers, self.fill, self.options = name, numbers, fill, options

    def measure(self, rounds=3):
        """Rows: count, anonymous memory, bytes of memory per element, bytes of store per element, p50 of a request."""
        with World() as world:
            broker = world.start_broker(*self.options)
            world.start_load("receive")
            rows, before, at_first = [], 0, None
            for number in [0, *self.numbers]:
                if number:
                    self.fill(world, before, number)
                    before = number
                p50 = sorted(world.load("open", count=1_000, board="bench")["p50"] for _ in range(rounds))[rounds // 2]
                # The broker returns free memory after a second without work.
                broker.settle(3)
                now = (broker.anonymous_bytes, world.store_bytes)
                at_first = at_first or now
                each = [(after - first) / number if number else None for after, first in zip(now, at_first)]
                rows.append([self.name, number, now[0] / MIB, *each, p50])
                print(*cells(rows[-1]), sep="  ", file=sys.stderr, flush=True)
            return rows


def connections(world, before, number):
    world.start_load("connect", stdin=-1, **{"from": before, "to": number})


def steps():
    def fill(measurement, **settings):
        return lambda world, before, number: world.fill(measurement, **{"from": before, "to": number}, **settings)

    def items(world, before, number):
        world.fill("fill-items", count=number - before, boards=max(1, (number - before) // 10_000), name=f"to{number}.")

    return [
        Step("pasteboards, persistent", [1_000, 10_000], fill("fill-boards", persistent="yes")),
        Step("pasteboards, in memory", [1_000, 10_000], fill("fill-boards", persistent="no")),
        Step("items of 16 B", [10_000, 100_000, 1_000_000], items),
        Step("schemes", [1_000, 10_000, 100_000], fill("fill-schemes")),
        Step("pending requests, 16 B", [1_000, 10_000, 100_000], fill("fill-pending"),
             "--limit", "pending-requests=400000", "--limit", "pending-requests-per-source=100000"),
        Step("connected applications", [100, 1_000], connections),
    ]


HEAD = ["content", "count", "memory in MiB", "bytes of memory each", "bytes of store each", "p50 of a request in µs"]


def cells(row):
    return [row[0], f"{row[1]:,}", f"{row[2]:.1f}"] + [
        "" if value is None else f"{value:,.0f}" for value in row[3:5]] + [f"{row[5]:,.0f}"]


def measure():
    return [row for step in steps() for row in step.measure()]


def text(rows):
    lines = [HEAD] + [cells(row) for row in rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def markdown(rows):
    lines = [HEAD, ["---"] * len(HEAD)] + [cells(row) for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
