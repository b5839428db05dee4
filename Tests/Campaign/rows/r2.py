"""Nothing grows over many mixed operations: memory, descriptors, threads, the store, or what the bus holds.

Eight peers write, read, take and watch pasteboards on disk and in memory, with large values and secrets, open and
queue URLs, claim schemes, fail, and come and go on the bus and on direct connections. The first half of the operations
is the warm-up. After each half, all pasteboards are removed and all peers have left. What the broker, a program with
the library (`ipc-server`), the store and the bus hold after the second half must then be the same as after the first,
within bounds.

The limits on records that the broker keeps of ended requests and calls are low, so that the warm-up reaches them.
"""

import os
import pathlib
import subprocess

from campaign import operations
from campaign.soak import Soak

INVARIANTS = (16, 17)
UNIT = "operations"
SIZES = dict(small=1_600, full=200_000)
SHARD = 25_000
BUSES = True
LIMITS = ["--limit=ended-requests-kept=50", "--limit=operation-kept-seconds=1", "--limit=removals-kept=100"]
# The operations of a control at most. Each leak is far beyond its bound by then.
CONTROLLED = 300


def run(shard, count=None, **options):
    count = count or shard.count
    with Soak(shard, *LIMITS, **options) as soak:
        warm_up = carry_out(soak, count // 2)
        soak.check_growth(lambda: carry_out(soak, count - warm_up))
    shard.done(count)


def carry_out(soak, count):
    left = iter(range(count))
    return soak.operate(lambda: next(left, None) is not None)


# Controls

def leak(shard, kind):
    """The environment with which the debug broker leaks at each 20th message that it receives."""
    library = shard.folder / "leak.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, pathlib.Path(__file__).with_name("leak.c")], check=True)
    return dict(LD_PRELOAD=str(library), LEAK=kind)


def leaky(shard, kind):
    run(shard, min(shard.count, CONTROLLED), programs=shard.debug, environment=leak(shard, kind))


def control_memory(shard):
    """The broker leaks memory."""
    leaky(shard, "memory")


def control_descriptors(shard):
    """The broker leaks descriptors."""
    leaky(shard, "descriptors")


def control_threads(shard):
    """The broker leaks threads."""
    leaky(shard, "threads")


def control_store(shard):
    """A peer leaves large values on pasteboards that nobody removes."""
    def leave(worker):
        name = f"left.{worker.random.getrandbits(64)}"
        worker.right((yield worker.connection.pasteboard(name, "SetItems", "aa(sv)a{sv}", [
            [("a/b", ("ay", os.urandom(600_000)))]], {"create": ("b", True)})))
    run(shard, min(shard.count, CONTROLLED), kinds=operations.KINDS | {leave: 40})


def control_connections(shard):
    """A peer keeps connections with match rules."""
    kept = []

    def keep(worker):
        kept.append(operations.wire.Connection(worker.path))
        kept[-1].request(*operations.wire.BUS, "AddMatch", "s", "type='signal'")
        worker.right((yield worker.connection.broker("Broker1", "Describe", "a{sv}", {})))
    run(shard, min(shard.count, CONTROLLED), kinds=operations.KINDS | {keep: 5})
