"""IPCDBus compared with libdbus in C: one method call with 16 bytes that does nothing."""

import re
import subprocess

from .rows import Row
from .world import FLOOR, Failure, World


def instructions(world, command):
    """The instructions that a client spends on sending a call and receiving its reply; process startup cancels out."""
    counts = []
    for calls in (1_000, 3_000):
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, command(calls))],
            env=world.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        collected = re.search(r"Collected : (\d+)", run.stderr)
        if run.returncode or not collected:
            raise Failure(f"callgrind did not count: {run.stderr[-500:]}")
        counts.append(int(collected[1]))
    return (counts[1] - counts[0]) / 2_000


def measure(sizes):
    with World() as world:
        world.start_floor("echo", "server", "floor.Handler")
        world.start_load("echo-server", name="floor.Swift")
        world.start_floor("peer", "server", world.folder / "peer-c")
        world.start_load("echo-server", path=world.folder / "peer-swift")
        ways = {
            "over the bus": (("echo", "client", "floor.Handler"), {"name": "floor.Swift"}),
            "peer to peer": (("peer", "client", world.folder / "peer-c"), {"path": world.folder / "peer-swift"}),
        }
        rows = []
        for way, (floor, settings) in ways.items():
            single = Row("", f"IPCDBus, echo of 16 B {way}, one at a time, p50 : C with libdbus", "µs")
            many = Row("", f"IPCDBus, echo of 16 B {way}, 64 in flight : C with libdbus", "/s")
            for _ in range(sizes.rounds):
                single.add(
                    world.load("echo-client", count=sizes.singles, window=1, **settings)["p50"],
                    world.floor(*floor, sizes.singles, 16, 1)["p50"])
                many.add(
                    world.load("echo-client", count=sizes.many, window=64, **settings)["rate"],
                    world.floor(*floor, sizes.many, 16, 64)["rate"])
            work = Row("", f"IPCDBus, instructions per call in the caller {way}, 64 in flight : C with libdbus", "")
            work.add(
                instructions(world, lambda calls: world.load_command("echo-client", count=calls, window=64, **settings)),
                instructions(world, lambda calls: [FLOOR / floor[0], *floor[1:], calls, 16, 64]))
            rows += [single, many, work]
        return rows
