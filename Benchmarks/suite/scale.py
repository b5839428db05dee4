"""P5: the cost of a request with much stored content. P6: the cost of a change with many watchers."""

import contextlib

from .rows import Row
from .world import World


def measure_stored(sizes):
    """Starts a broker for each amount of content, all at the same time, so that they can be measured in turn."""
    with contextlib.ExitStack() as stack:
        worlds = {}

        def add(name, schemes, items):
            world = stack.enter_context(World())
            world.start_broker()
            world.start_load("receive")
            world.fill("fill-items", count=items, boards=max(1, items // 10_000))
            if schemes > 1:
                world.fill("fill-schemes", to=schemes - 1)
            worlds[name] = world

        least = f"{sizes.schemes[0]:,} scheme, {sizes.items[0]:,} items"
        add(least, sizes.schemes[0], sizes.items[0])
        for schemes in sizes.schemes[1:]:
            add(f"{schemes:,} schemes", schemes, sizes.items[0])
        for items in sizes.items[1:]:
            add(f"{items:,} stored items", sizes.schemes[0], items)
        rows = {
            name: Row("P5", f"durable, answered request, p50, with {name} : with {least}", "µs", most=1.1)
            for name in worlds if name != least
        }
        for _ in range(sizes.rounds):
            p50 = {
                name: world.load("open", count=sizes.singles // 2, window=1, board="bench")["p50"]
                for name, world in worlds.items()
            }
            for name, row in rows.items():
                row.add(p50[name], p50[least])
        return list(rows.values())


def measure_watchers(sizes):
    with World() as world:
        world.start_broker()
        world.start_floor("watch", "floor.Watch")
        rows = []
        for watchers in sizes.watchers:
            last = "the only watcher" if watchers == 1 else f"the last of {watchers:,} watchers"
            row = Row("P6", f"time until {last} sees a change : as many method returns sent by C", "µs", most=1.2)
            for _ in range(sizes.rounds):
                ours, floor = (
                    world.load("watch", watchers=watchers, rounds=sizes.watches, target=target)["p50"]
                    for target in ["org.swiftipc.Broker1", "floor.Watch"])
                row.add(ours, floor)
            rows.append(row)
        return rows
