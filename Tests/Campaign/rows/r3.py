"""In 52 runs of 28 minutes, 24 hours in all, nothing grows: the mixed operations of R2, with the stock limits.

Each shard runs for 28 minutes and continues with the store of an earlier shard, in .build/campaign/soak. The first
half is the warm-up: it is longer than the 10 minutes for which the broker remembers calls that may be repeated, and it
reaches the 10,000 records of ended requests. The second half must add nothing, as in R2.

At small size, each shard runs for 2 seconds on a new store, with the limits of R2.
"""

import contextlib
import fcntl
import time

from campaign import results
from campaign.shard import ROOT
from campaign.soak import Soak
from rows import r2

INVARIANTS = (16, 17)
UNIT = "spans of 28 min"
SIZES = dict(small=4, full=52)
SHARD = 1
BUSES = True
SECONDS = dict(small=2, full=28 * 60)


def run(shard, **options):
    limits = r2.LIMITS if shard.size == "small" else []
    with store(shard) as folder, Soak(shard, *limits, store=folder, **options) as soak:
        half = SECONDS[shard.size] / 2
        shard.add(operations=soak.operate(before(half)))
        soak.check_growth(lambda: shard.add(operations=soak.operate(before(half))))
    shard.done()


def before(seconds):
    """Whether the time is not over yet."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end


@contextlib.contextmanager
def store(shard):
    """The folder of a store for this bus and these sources, which no other shard uses now. After a failure, the store
    is put aside, so that it can be examined."""
    if shard.size == "small":
        yield shard.folder / "store"
        return
    sources = results.tested()["sources"] or "changed"
    parent = ROOT / ".build/campaign/soak" / sources
    parent.mkdir(parents=True, exist_ok=True)
    for place in range(100):
        folder = parent / f"{shard.bus}-{shard.limits}-{place}"
        with open(f"{folder}.lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            try:
                yield folder
            except BaseException:
                if folder.exists():
                    folder.rename(f"{folder}-failed-{shard.number}-{time.time_ns()}")
                raise
            return
    raise RuntimeError(f"all stores in {parent} are in use")


def control_memory(shard):
    """The broker leaks memory."""
    run(shard, programs=shard.debug, environment=r2.leak(shard, "memory"))


def control_descriptors(shard):
    """The broker leaks descriptors."""
    run(shard, programs=shard.debug, environment=r2.leak(shard, "descriptors"))
