"""Whatever file operation of the broker fails, and however, it acknowledges only what is in the store.

A library in the debug broker makes one file operation below the store fail: each one of a scenario, with each error,
once or from then on; or it transfers only a part of the bytes. The scenario creates a store, makes calls of all kinds,
kills the broker, starts it again, and stops it. After a failed flush the broker must exit and acknowledge nothing more;
on a full disk it must reject writes, go on reading, and accept writes when there is space. Without the fault, it then
must start, and have everything acknowledged.
"""

import random
import shutil
import signal
import subprocess

import wire
from campaign import durable, faults
from campaign.place import Place
from campaign.shard import Broken

INVARIANTS = (1, 2, 3, 4, 5, 23)
UNIT = "faults"
# At full size, a shard takes every SHARDS-th fault of the scenario, which has at least this many.
SIZES = dict(small=9, full=2_000)
SHARD = 100
SHARDS = SIZES["full"] // SHARD
BUSES = False

SCRIPT = ("set", "add", "send", "queue", "take", "set", "clear", "queue", "remove", "set", "send")
FULL = ("ENOSPC", "EDQUOT")
NO_SPACE = "org.swiftipc.Error.NoSpace"


class Bench:
    """The place, the fault and the scenario of a shard."""

    def __init__(self, shard, place):
        self.shard, self.place = shard, place
        self.root = place.folder / "faulty"
        self.faults = faults.Faults(place.folder, self.root)

    def begin(self, fault):
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir()
        self.place.store = self.root / "store"
        self.faults.set(fault)
        self.fault, self.codes, self.load, self.file = fault, [], None, ""

    def start(self):
        """Starts the debug broker with the fault. Returns whether it runs."""
        self.place.programs, self.place.broker_environment = self.shard.debug, self.faults.environment
        try:
            self.place.start_broker()
            return True
        except Broken:
            self.codes.append(self.place.end_of_broker())
            return False

    def stop(self, number):
        """Ends the broker with a signal, unless it has ended."""
        if self.place.broker.poll() is None:
            code = self.place.kill_broker(number)
            if number == signal.SIGTERM:
                self.codes.append(code)
        else:
            self.codes.append(self.place.end_of_broker())

    def is_running(self):
        return self.place.broker.poll() is None

    def make_load(self, operations=len(SCRIPT)):
        self.load = durable.Load(
            self.place, random.Random(f"D5 {self.shard.seed}"), operations, lanes=1, claims=1, mixture=(2, 1, 1),
            script=SCRIPT, watch=lambda: self.faults.fired)
        return self.load

    def scenario(self):
        if self.start():
            load = self.make_load()
            load.run(until=lambda: not self.is_running())
            load.finish()
            if self.fault and self.fault.error in FULL and self.fault.kind != "sync" and self.faults.fired:
                self.check_full_disk(load)
            if self.flush_failed:
                self.check_flush(load)
            self.stop(signal.SIGKILL)
            load.close()
        if self.start():
            self.stop(signal.SIGTERM)

    @property
    def flush_failed(self):
        """Whether the fault has hit a flush of the database or its log."""
        is_hit = self.fault and self.fault.kind == "sync" and self.faults.fired
        return is_hit and self.faults.file.startswith("store.sqlite")

    def check_flush(self, load):
        """I3: after a failed flush, the broker acknowledges nothing, and exits."""
        for operation in load.operations:
            if operation.seen and operation.fate == durable.ACKNOWLEDGED:
                raise Broken(f"operation {operation.number} of kind {operation.kind} was acknowledged after a flush of "
                             f"{self.faults.file} had failed")
        try:
            self.place.broker.wait(20)
        except subprocess.TimeoutExpired:
            raise Broken("the broker goes on after a failed flush") from None

    def check_full_disk(self, load):
        """I4: the broker goes on, reads, and accepts writes when there is space again."""
        lane = load.lanes[0]
        self.shard.expect(self.is_running(), f"the broker ended with {self.place.broker.poll()} on a full disk")
        reader = self.place.connect()
        answer = reader.wait(reader.pasteboard(lane.board, "GetItems", "a{sv}", dict(fd=("b", True))))
        durable.release(answer)
        reader.close()
        self.shard.expect(answer.kind == wire.RETURN or answer.error == durable.NO_BOARD,
                          f"a pasteboard cannot be read on a full disk: {answer.text}")
        self.faults.remove()
        done = len(lane.operations)
        # The pasteboard may be missing, because it could not be created.
        lane.count, load.script = done + 2, ("set",) * (done + 2)
        load.run()
        for operation in lane.operations[done:]:
            self.shard.expect(operation.fate == durable.ACKNOWLEDGED,
                              f"a write fails although there is space again: {operation.answer.text}")

    def check_end(self):
        """I3 and I23: how the broker ended."""
        for code in self.codes:
            self.shard.expect(code >= 0, f"the broker was killed by signal {-code}: {self.place.log_text()[-2_000:]}")
        if self.flush_failed:
            self.shard.expect(any(self.codes), f"the broker ended with {self.codes} although a flush had failed")

    def check_store(self):
        """Starts the broker without a fault, and compares its store with the load."""
        self.faults.set(None)
        self.place.programs, self.place.broker_environment = self.shard.programs, {}
        self.place.start_broker()
        if self.load is None:
            self.make_load(operations=0).close()
        durable.Check(self.place, self.load).run()
        self.place.kill_broker()


def points(bench):
    """All faults of the scenario: each call of each kind, with each error, once and from then on."""
    bench.begin(None)
    bench.scenario()
    counts = bench.faults.counts
    bench.check_store()
    return [faults.Fault(kind, number + 1, error, repeats) for kind in faults.KINDS for number in range(counts[kind])
            for error in faults.ERRORS[kind] for repeats in (False, True)]


def run(shard, way=None, kinds=faults.KINDS):
    shard.bus = "daemon"
    with Place(shard) as place:
        place.kill_broker()
        bench = Bench(shard, place)
        every = [fault for fault in points(bench) if fault.kind in kinds]
        chosen = every[shard.number::SHARDS] if shard.size == "full" else few(shard, every)
        for fault in chosen:
            bench.begin(fault._replace(error=way or fault.error))
            try:
                bench.scenario()
                fired, bench.file = bench.faults.fired, bench.faults.file
                bench.check_end()
                bench.check_store()
            except Broken as error:
                raise Broken(f"call {fault.number} of kind {fault.kind} fails with {way or fault.error}"
                             f"{' from then on' if fault.repeats else ''} ({bench.file}): {error}") from None
            shard.done()
            shard.add(**{f"{fault.kind}_faults": 1}, fired=bool(fired), exits=sum(code > 0 for code in bench.codes))


def few(shard, every):
    """Some faults of each kind, for the small size."""
    kinds = sorted({fault.kind for fault in every})
    chosen = []
    for place in range(shard.count):
        chosen.append(shard.random.choice([fault for fault in every if fault.kind == kinds[place % len(kinds)]]))
    return chosen


def control_hidden_writes(shard):
    """Writes that are reported as successful, and have no effect, lose acknowledged data."""
    run(shard, "hide", ["write"])


def control_hidden_syncs(shard):
    """A broker that takes a failed flush for a successful one goes on acknowledging."""
    run(shard, "hide", ["sync"])
