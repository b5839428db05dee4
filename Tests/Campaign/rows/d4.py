"""A real file system that is cut off keeps everything acknowledged, and its broker acknowledges nothing more.

During a load, an ext4, an XFS or a btrfs below the store stops writing at once: it is shut down, or the disk below it
loses its cache. The broker must exit with an error and acknowledge no call that came later. The file system is mounted
again, which replays its journal. The broker starts, and must have everything that was acknowledged.
"""

import shutil
import time

from campaign import disks, durable
from campaign.place import Place
from campaign.shard import Broken, Skipped

INVARIANTS = (1, 2, 3, 5, 7, 8, 11)
UNIT = "cuts"
SIZES = dict(small=1, full=120)
SHARD = 15
BUSES = False

KINDS = ("ext4", "xfs", "btrfs")


def run(shard, programs=None, environment={}):
    shard.bus = "daemon"
    kinds = KINDS[:min(len(KINDS), shard.count)]
    for number, kind in enumerate(kinds):
        cuts = shard.count // len(kinds) + (number < shard.count % len(kinds))
        reason = disks.why_not(kind)
        if reason and shard.part.control:
            raise Skipped(reason)
        if reason:
            shard.skip(cuts, reason)
            continue
        # btrfs cannot be shut down (Linux 6.18).
        ways = ["power"] if kind == "btrfs" else ["shutdown"] if cuts == 1 else ["shutdown", "power"]
        for place, way in enumerate(ways):
            run_disk(shard, kind, way, cuts // len(ways) + (place < cuts % len(ways)), programs, environment)


def run_disk(shard, kind, way, cuts, programs, environment):
    disk = disks.Disk(shard.folder / f"{kind}-{way}", kind, way)
    try:
        with Place(shard, name=f"place-{kind}-{way}") as place:
            place.kill_broker()
            for number in range(cuts):
                place.store = disk.path / f"store{number}"
                place.programs, place.broker_environment = programs or shard.programs, environment
                place.start_broker()
                load, fate, attempts = cut(shard, place, disk)
                load.close()
                disk.restore()
                place.programs, place.broker_environment = shard.programs, {}
                place.start_broker()
                durable.Check(place, load, fate, attempts).run()
                place.kill_broker()
                shutil.rmtree(place.store)
                shard.done()
                shard.add(**{f"{kind}_{way}": 1},
                          acknowledged=sum(fate(each) == durable.ACKNOWLEDGED for each in load.operations))
    finally:
        disk.close()


def cut(shard, place, disk):
    """Cuts the file system off during a load, and waits for the end of the broker. Returns the load, a
    function that says what is known about an operation, and the attempts that the handler had seen before the cut."""
    load = durable.Load(place, shard.random, 1_000_000)
    most = shard.random.randrange(*shard.pick((30, 60), (1, 500)))
    load.run(until=lambda: sum(len(lane.operations) for lane in load.lanes) > most)
    before = {id(operation) for operation in load.operations}
    answered = {id(operation) for operation in load.operations if operation.answer}
    attempts = dict(load.handler.attempts)
    disk.cut(shard.random)
    begin = time.monotonic()
    while place.broker.poll() is None:
        shard.expect(time.monotonic() - begin < 30, "the broker goes on without its file system")
        load.proceed(0.02)
    shard.worst(end_ms=round(1_000 * (time.monotonic() - begin)))
    code = place.end_of_broker()
    load.finish()
    shard.expect(code > 0, f"the broker ended with {code} when its file system was cut off")
    for operation in load.operations:
        if id(operation) not in before and operation.fate == durable.ACKNOWLEDGED:
            raise Broken(f"operation {operation.number} of kind {operation.kind} was acknowledged after the cut")

    # While ext4 and XFS shut down, fdatasync reports success for data that never reaches the disk (Linux 6.18, without
    # the broker too). So whatever the broker answered or delivered during the cut may be on the disk or not.
    def fate(operation):
        is_sure = id(operation) in answered or operation.fate != durable.ACKNOWLEDGED
        return operation.fate if is_sure else durable.UNKNOWN

    return load, fate, attempts


def control_synchronous_off(shard):
    """A broker that never flushes its log loses what it has acknowledged, and does not notice the end of its disk."""
    run(shard, shard.debug, dict(SWIFT_IPC_TEST_CONTROL="synchronous-off"))
