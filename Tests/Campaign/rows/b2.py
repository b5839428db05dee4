"""Clocks that jump, stop or start again reuse no change count, end no request early, and keep nothing for ever.

The wall clock jumps (±30 days, 1970, 2038, 2106), the machine sleeps for a day, or starts again with another uptime,
while the broker runs (a library moves the clocks of a debug broker) and between two runs (time namespaces move the
uptime of the release broker). After each jump: change counts, expiry, kept outcomes, time-outs, the order of a queue.
"""

import contextlib
import ctypes
import mmap
import shutil
import struct
import time
import uuid

import wire
from campaign import preload, stored
from campaign.bench import Bench
from campaign.shard import Broken

INVARIANTS = (6, 8, 11, 24)
UNIT = "journeys"
SIZES = dict(small=4, full=40)
SHARD = 20
BUSES = False
SECOND, HOUR, DAY = 1, 3_600, 86_400
CLONE_NEWTIME = 0x80
# The jumps of the wall clock: by so many seconds, or to a moment.
JUMPS = dict(
    month_later=lambda now: 30 * DAY, month_earlier=lambda now: -30 * DAY, in_1970=lambda now: 1 - now,
    before_1970=lambda now: -now - DAY, in_2038=lambda now: (1 << 31) - 2 - now,
    in_2106=lambda now: (1 << 32) - 2 - now,
    hour_earlier=lambda now: -HOUR, at_once_back=lambda now: -1)
LIBC = ctypes.CDLL(None, use_errno=True)


class Clock:
    """The clocks of the broker, which the row moves."""

    def __init__(self, folder):
        self.path = folder / "clock"
        self.path.write_bytes(bytes(24))
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 24)
        self.wall, self.uptime = 0, 0
        self.environment = dict(LD_PRELOAD=str(preload.library("clock")), CLOCK_FILE=str(self.path))

    def write(self):
        """Sleeping moves the uptime that includes it (CLOCK_BOOTTIME), but not CLOCK_MONOTONIC."""
        self.map[:24] = struct.pack("<3q", self.wall * 10 ** 9, self.uptime * 10 ** 9, 0)

    @property
    def now(self):
        return time.time() + self.wall

    def jump(self, name):
        self.wall += round(JUMPS[name](self.now))
        self.write()

    def sleep(self, seconds):
        """The machine is suspended: both clocks go on, without the broker."""
        self.wall, self.uptime = self.wall + seconds, self.uptime + seconds
        self.write()

    def restart_machine(self, seconds):
        """The machine starts again after some time. Its uptime goes on here, because the kernel still states the real start
        time of each process; `other_uptimes` starts with other ones."""
        self.wall += seconds
        self.write()


class Journey:
    """One store on its way through several times, with what it must still know."""

    def __init__(self, shard, bench, number):
        self.shard, self.bench, self.random = shard, bench, shard.random
        self.store = bench.folder / f"store {number}"
        self.clock = Clock(bench.folder)
        self.counts, self.queued, self.tried = [], [], []
        self.run = None

    def start(self):
        self.run = self.bench.begin(self.store, programs=self.shard.debug, environment=self.clock.environment)
        if not self.run.serves:
            raise Broken(f"the broker does not start: {self.run.text[-1_000:]}")
        self.connection = self.bench.connect()

    def stop(self, kill=False):
        code = self.run.kill() if kill else self.run.stop()
        if code != (-9 if kill else 0):
            raise Broken(f"the broker ended with {code}: {self.run.text[-1_000:]}")
        self.connection.close()

    def restart(self):
        self.stop(self.random.random() < 0.5)
        self.start()

    # What must hold at any time

    def check(self):
        """New change counts are above all earlier ones, all content is there, and new requests are accepted."""
        self.write("counted")
        self.read("kept", "kept for good")
        self.queue()

    def write(self, board, **options):
        reply = self.connection.wait(self.connection.pasteboard(
            board, "SetItems", "aa(sv)a{sv}", [[(stored.TEXT, ("s", board))]], {"create": ("b", True)} | options))
        count = stored.answered(reply)[0]
        if self.counts and count <= max(self.counts):
            raise Broken(f"the change count {count} is used again; {max(self.counts)} was given before")
        self.counts.append(count)
        return count

    def content(self, board):
        reply = self.connection.wait(self.connection.pasteboard(board, "GetItems", "a{sv}", {}))
        return [item[0][1] for item in stored.answered(reply)[1]]

    def read(self, board, what):
        if self.content(board) != [board]:
            raise Broken(f"{board!r}, which is {what}, is gone")

    def queue(self, **options):
        name = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        stored.answered(self.connection.ask("URLs1", "OpenURL", "sa{sv}", f"campaign:{len(self.queued)}", {
            "id": ("s", name), "queue": ("b", True), "application": ("s", stored.HANDLER),
            # One sender queue, although each start of the broker has another connection.
            "source-application": ("s", "demo.Sender"), "time-to-live": ("t", 30 * DAY * 1_000)} | options))
        if not options:
            self.queued.append(name)
        return name

    def request(self, name):
        reply = self.connection.ask("URLs1", "GetRequest", "sa{sv}", name, {})
        return None if reply.kind == wire.ERROR and reply.error.endswith("NoSuchRequest") else stored.answered(reply)[0]

    # A request for another handler, which does not come.
    short = {"time-to-live": ("t", HOUR * 1_000), "application": ("s", "demo.Nobody")}

    # Parts of a journey

    def prepare(self):
        self.start()
        self.write("kept")
        self.clock_is_seen()
        self.ended = self.queue(application=("s", "demo.Nobody"))
        stored.answered(self.connection.ask("URLs1", "CancelRequest", "sa{sv}", self.ended, {}))

    def clock_is_seen(self):
        """What lives for an hour is gone after a day of sleep. So the broker sees the clock of this row."""
        self.write("short", **{"time-to-live": ("t", HOUR * 1_000)})
        self.read("short", "to live for an hour")
        self.clock.sleep(DAY)
        if self.content("short"):
            raise Broken("what was to live for an hour is there after a day of sleep")

    def jumps_while_it_runs(self, name):
        """The wall clock does not change how long something lives while the broker runs."""
        self.write("hour", **{"time-to-live": ("t", HOUR * 1_000)})
        with self.timed_request(), self.waiting():
            self.clock.jump(name)
            self.read("hour", "to live for an hour")
        self.check()
        self.clock.sleep(2 * HOUR)
        if self.content("hour"):
            raise Broken("what was to live for an hour is there after two hours of sleep")

    @contextlib.contextmanager
    def timed_request(self, milliseconds=500):
        """A request to a handler that does not answer ends at its time-out: not earlier, and soon after."""
        silent = self.bench.connect()
        stored.answered(silent.request(*wire.BUS, "RequestName", "su", "demo.Silent", 4))
        stored.answered(silent.ask("Schemes1", "Register", "sasa{sv}", "demo.Silent", ["campaign.silent"], {}))
        begin = time.monotonic()
        serial = self.connection.broker("URLs1", "OpenURL", "sa{sv}", "campaign.silent:", {
            "timeout": ("u", milliseconds)})
        silent.wait_call("OpenURL")
        yield
        outcome = stored.answered(self.connection.wait(serial, 20))[0]["outcome"]
        took = round((time.monotonic() - begin) * 1_000)
        silent.close()
        self.shard.worst(late_ms=took - milliseconds)
        if outcome != "timed-out" or not milliseconds <= took < milliseconds + 5_000:
            raise Broken(f"a request with a time-out of {milliseconds} ms ended as {outcome} after {took} ms")

    @contextlib.contextmanager
    def waiting(self, milliseconds=300):
        """A call that waits for a change ends at its time-out too."""
        other, begin = self.bench.connect(), time.monotonic()
        serial = other.broker("Pasteboards1", "WaitForChange", "asta{sv}", ["never"], 0, {
            "timeout": ("u", milliseconds)})
        yield
        other.wait(serial, 20)
        took = round((time.monotonic() - begin) * 1_000)
        other.close()
        if took < milliseconds - 1:
            raise Broken(f"WaitForChange with a time-out of {milliseconds} ms returned after {took} ms")

    def sleeps_with_a_request(self):
        """After a day of sleep, a request with a time-out of 20 s ends at the next call at the latest."""
        silent = self.bench.connect()
        stored.answered(silent.request(*wire.BUS, "RequestName", "su", "demo.Silent", 4))
        stored.answered(silent.ask("Schemes1", "Register", "sasa{sv}", "demo.Silent", ["campaign.silent"], {}))
        serial = self.connection.broker("URLs1", "OpenURL", "sa{sv}", "campaign.silent:", {})
        silent.wait_call("OpenURL")
        self.clock.sleep(DAY)
        self.write("counted")
        outcome = stored.answered(self.connection.wait(serial, 10))[0]["outcome"]
        silent.close()
        if outcome != "timed-out":
            raise Broken(f"a request whose time-out passed during a day of sleep ended as {outcome}")

    def keeps_the_outcome(self):
        """The outcome of a request is known for a day, and not much longer."""
        ended = self.queue(application=("s", "demo.Nobody"))
        stored.answered(self.connection.ask("URLs1", "CancelRequest", "sa{sv}", ended, {}))
        self.clock.sleep(23 * HOUR)
        if self.random.random() < 0.5:
            self.restart()
        if not (found := self.request(ended)) or found["outcome"] != "cancelled":
            raise Broken(f"the outcome of a request is {found} after 23 hours")
        self.clock.sleep(2 * HOUR)
        if self.request(ended):
            raise Broken(f"the outcome of a request is still known after 25 hours: {self.request(ended)}")

    def restarts_later(self, seconds):
        """After a restart, the wall clock decides: what lives for an hour is gone, unless less time has passed."""
        self.write("hour", **{"time-to-live": ("t", HOUR * 1_000)})
        short = self.queue(**self.short)
        self.stop(self.random.random() < 0.5)
        self.clock.restart_machine(seconds)
        self.start()
        if bool(self.content("hour")) != (seconds < HOUR):
            raise Broken(f"what was to live for an hour is {self.content('hour')} after {seconds} s without a broker")
        self.expect_expired(short, seconds >= HOUR, f"after {seconds} s without a broker")

    def restarts_earlier(self, name):
        """If the clock was set back before a restart, the whole time starts over, but no more than that."""
        self.write("hour", **{"time-to-live": ("t", HOUR * 1_000)})
        short = self.queue(**self.short)
        self.stop(self.random.random() < 0.5)
        self.clock.jump(name)
        self.start()
        self.read("hour", "to live for an hour")
        self.expect_expired(short, False, "after a restart")
        self.clock.sleep(HOUR + 60)
        if self.content("hour"):
            raise Broken("what was to live for an hour is there an hour after a restart with an earlier clock")
        self.expect_expired(short, True, "an hour after a restart with an earlier clock")

    def expect_expired(self, name, wanted, when):
        if wanted:
            stored.answered(self.connection.ask("URLs1", "WaitRequest", "sa{sv}", name, {"timeout": ("u", 5_000)}))
        found = self.request(name)
        if not found or (found["outcome"] == "expired") != wanted:
            raise Broken(f"a queued request with an hour to live is {found and found['outcome']} {when}")

    def delivers_in_order(self):
        """At the end, a handler gets all requests that were queued on the way, in the order of their acceptance."""
        handler, got = self.bench.connect(), []
        stored.answered(handler.request(*wire.BUS, "RequestName", "su", stored.HANDLER, 4))
        stored.answered(handler.ask("Schemes1", "Register", "sasa{sv}", stored.HANDLER, ["campaign.live"], {}))
        due = [name for name in self.queued if (self.request(name) or {}).get("outcome") == "queued"]
        while len(got) < len(due):
            try:
                call = handler.wait_call("OpenURL", 10)
            except TimeoutError:
                raise Broken(f"only {len(got)} of {len(due)} queued requests are delivered") from None
            got.append(call.values[0])
            handler.reply(call, "sa{sv}", "handled", {})
        handler.close()
        if got != due:
            raise Broken(f"queued requests are delivered in another order: {got}, accepted {due}")
        self.shard.add(delivered_in_order=len(got))


def run(shard):
    with Bench(shard) as bench:
        for number in range(shard.count):
            if number % 4 == 3:
                other_uptimes(shard, bench, number)
            else:
                journey(shard, Journey(shard, bench, number))
            shard.done()


def journey(shard, way):
    """Five parts in random order, each from another time than the last."""
    parts = [
        lambda: way.jumps_while_it_runs(shard.random.choice(list(JUMPS))),
        lambda: way.jumps_while_it_runs(shard.random.choice(list(JUMPS))),
        way.keeps_the_outcome, way.sleeps_with_a_request,
        lambda: way.restarts_later(shard.random.choice([60, 2 * HOUR, 20 * DAY])),
        lambda: way.restarts_earlier(shard.random.choice(["month_earlier", "hour_earlier", "at_once_back"]))]
    shard.random.shuffle(parts)
    try:
        way.prepare()
        way.check()
        for part in parts[:shard.pick(3, 6)]:
            part()
            way.check()
            if way.clock.now < 0:
                # Before 1970, the broker takes every time for the start of 1970, so nothing grows old there.
                way.clock.jump("in_1970")
        way.delivers_in_order()
        way.stop()
    except Broken as error:
        raise Broken(f"at the clock {time.strftime('%Y-%m-%d', time.gmtime(way.clock.now))}: {error}") from None
    finally:
        way.bench.clear(way.store)


def other_uptimes(shard, bench, number):
    """The release broker starts in namespaces with other uptimes, as after starts of the machine."""
    store, newest = bench.folder / f"store {number}", 0
    for uptime in shard.random.sample([3_600, 40 * DAY, 3_000 * DAY, 2 * DAY, 9_000 * DAY], 3):
        def enter(seconds=uptime):
            now = int(time.clock_gettime(time.CLOCK_BOOTTIME))
            LIBC.unshare(CLONE_NEWTIME)
            with open("/proc/self/timens_offsets", "w") as file:
                file.write(f"boottime {seconds - now + 1} 0\n")
        run = bench.begin(store, preexec_fn=enter)
        shard.expect(run.serves, f"the broker does not start with an uptime of {uptime} s: {run.text[-800:]}")
        connection = bench.connect()
        content = stored.Content()
        if newest:
            found = stored.answered(connection.wait(connection.pasteboard("living", "GetItems", "a{sv}", {})))
            shard.expect(len(found[1]) == 1, f"what was to live for an hour is gone with an uptime of {uptime} s")
        count = content.set(connection, "living", [[(stored.TEXT, "x")]], **{"time-to-live": ("t", HOUR * 1_000)})
        shard.expect(count > newest, f"the change count {count} is used again; {newest} was given before")
        newest = count
        connection.close()
        run.end(shard.random.choice([9, 15]))
    bench.clear(store)


# Controls

def control_unseen_clock(shard):
    """The clock of the row does not reach the broker."""
    with Bench(shard) as bench:
        way = Journey(shard, bench, 0)
        way.clock.environment = {}
        journey(shard, way)


def control_reused_counts(shard):
    """The store is set back to an earlier state while the broker does not run, so that change counts come again."""
    class Forgetful(Journey):
        def prepare(self):
            super().prepare()
            self.stop()
            shutil.copytree(self.store, self.bench.folder / "earlier")
            self.start()
            for number in range(70):
                self.write(f"{number}")
            self.stop()
            shutil.rmtree(self.store)
            (self.bench.folder / "earlier").rename(self.store)
            self.start()

    with Bench(shard) as bench:
        journey(shard, Forgetful(shard, bench, 0))


def control_wall_clock_time_out(shard):
    """A broker that measures time-outs with the wall clock: its uptime jumps together with it."""
    class Wall(Clock):
        def jump(self, name):
            self.uptime += round(JUMPS[name](self.now))
            super().jump(name)

    with Bench(shard) as bench:
        way = Journey(shard, bench, 0)
        way.clock = Wall(bench.folder)
        way.prepare()
        way.jumps_while_it_runs("month_later")
