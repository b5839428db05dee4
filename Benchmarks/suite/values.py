"""P4: large values, written to a pasteboard and read back by descriptor, with all bytes compared."""

from .rows import Row
from .world import Peak, World

MIB = 1 << 20


def measure(sizes):
    with World() as world:
        broker = world.start_broker()
        rows, growth = [], Row("P4", "growth of the broker's anonymous memory in these transfers : 8 MiB", "MiB", most=1.0)
        with Peak(broker) as peak:
            for mib, times, rounds in sizes.values:
                memory = Row("P4", f"{mib} MiB, in memory : fill, seal, map, compare", "GB/s", least=0.9)
                kept = Row("P4", f"{mib} MiB, in memory : the same, also keeping the previous version", "GB/s")
                disk = Row("P4", f"{mib} MiB, persistent : the same with sendfile and fdatasync", "GB/s", least=0.9)
                for _ in range(min(rounds, sizes.rounds)):
                    ours = world.load("payload", mib=mib, rounds=times, board="memory", persistent="no")["gb-per-s"]
                    memory.add(ours, world.floor("payload", "memfd", mib, times)["gb-per-s"])
                    kept.add(ours, world.floor("payload", "kept", mib, times)["gb-per-s"])
                for _ in range(min(rounds, sizes.rounds)):
                    disk.add(
                        world.load("payload", mib=mib, rounds=times, board="disk", persistent="yes")["gb-per-s"],
                        world.floor("payload", "blob", mib, times, world.folder)["gb-per-s"])
                rows += [memory, kept, disk]
        growth.add(peak.growth / MIB, 8)
        return rows + [growth]

