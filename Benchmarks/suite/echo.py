"""IPCDBus beside libdbus in C: one method call with 16 bytes, nothing done."""

from .rows import Row
from .world import World


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
            rows += [single, many]
        return rows
