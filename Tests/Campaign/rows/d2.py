"""A broker that is killed at any of its system calls keeps its promises.

A scenario is one thing that a broker does: a start on an empty store, a change, a request, a stop, a start after a
kill. Its system calls are counted over all threads, and then the broker is killed at each of them: at its entry, so that
the call is not carried out, and at the exit of each call that changes a file or sends a message. After each kill the
next broker starts, and everything is compared with what was acknowledged, as in D1.
"""

import contextlib
import os
import signal

from campaign import buses, load, points
from campaign.place import Place

INVARIANTS = (1, 2, 6, 7, 10, 11, 12)
UNIT = "parts"
BUSES = False
SHARD = 4


class Running:
    """What a running broker does. `calls` are what the client asks for at the point."""

    handler = False

    def prepare(self, scene):
        pass

    def once(self, scene, edge, point):
        """Kills the broker at a point. The start of the next one is the start of the next point."""
        scene.start("later", edge, point)
        scene.serve_until_named()
        scene.check()
        if not self.handler:
            scene.load.handler_leaves()
        self.prepare(scene)
        scene.count()
        calls = self.calls(scene.load.books, scene.client)
        for call in calls:
            scene.client.begin(call)
        self.after(scene)
        return scene.serve_until_killed(lambda: all(self.isover(call) for call in calls))

    def after(self, scene):
        pass

    def isover(self, call):
        return call.state != "open"

    def end(self, scene):
        scene.place.start_broker()
        scene.check()
        scene.load.finish()

    def begin(self, scene):
        scene.place.start_broker()
        scene.load.begin()
        scene.place.kill_broker()


class Set(Running):
    """A small value."""

    def calls(self, books, client):
        return [books.shared[0].change(client, "set")]


class SetLarge(Running):
    """A large value, which replaces large values whose files are removed."""

    number = 0

    def calls(self, books, client):
        SetLarge.number += 1
        books.fleeting[0].sizes = lambda random: 150_000 + random.randint(0, 1_000)
        return [books.fleeting[0].next(client, isremoval=False), self.added(books, client)]

    def added(self, books, client):
        return books.shared[1].change(client, "add", points.large("second-large", self.number, self.number % 2))


class AddLarge(SetLarge):
    """One large value."""

    def calls(self, books, client):
        SetLarge.number += 1
        return [self.added(books, client)]


class Remove(SetLarge):
    """The removal of a pasteboard with large values."""

    def prepare(self, scene):
        for call in SetLarge.calls(self, scene.load.books, scene.client):
            scene.client.perform(call)
            call.ledger.done(call)

    def calls(self, books, client):
        return [books.fleeting[0].next(client, isremoval=True)]


class Queue(Running):
    """A request with a large payload, which sets a pasteboard and is queued for an absent handler."""

    number = 0

    def calls(self, books, client):
        Queue.number += 1
        return [books.sent.change(client, "send", points.large("sent-large", self.number, self.number % 2))]


class Deliver(Queue):
    """The same with a handler, up to its answer."""

    handler = True

    def isover(self, call):
        return call.state != "open" and call.attempt > 0


class Wait(Running):
    """A request whose sender waits, with a large payload and an answer."""

    handler = True
    number = 0

    def calls(self, books, client):
        Wait.number += 1
        return [books.requests.request(client, "wait", points.large("wait", self.number, self.number % 2))]


class Take(Running):
    """A take of a large value."""

    number = 0

    def prepare(self, scene):
        Take.number += 1
        board = scene.load.books.shared[2]
        call = board.change(scene.client, "set", points.large("third-large", self.number, self.number % 2))
        scene.client.perform(call)
        board.done(call)

    def calls(self, books, client):
        return [books.shared[2].change(client, "take")]


class Claim(Running):
    """Claims of schemes, and the user's choice."""

    def calls(self, books, client):
        return [books.claims[0].next(client), books.claims[1].next(client)]


class Many(Running):
    """Many calls at a time, which share commits."""

    handler = True

    def calls(self, books, client):
        found = [books.shared[place].change(client, kind) for place, kind in
                 enumerate(("set", "add", "take"))] + [books.sent.change(client, "send")]
        found += [one.next(client) for one in (*books.single, books.requests, books.requests)]
        return [call for call in found if call]


class Checkpoint(Running):
    """A change after which the log is copied into the database."""

    def begin(self, scene):
        super().begin(scene)
        scene.place.start_broker()
        board = scene.load.books.fleeting[1]
        board.sizes = lambda random: 60_000
        log = scene.place.store / "store.sqlite-wal"
        # The log is copied once it has 1,024 pages; this stops a little before. A write of 60,000 bytes takes about 20.
        while log.stat().st_size < 1_001 * 4_120:
            board.done(scene.client.perform(board.next(scene.client, isremoval=False)))
        scene.place.kill_broker()
        self.image = points.Image(scene)

    def once(self, scene, edge, point):
        self.image.restore()
        call = super().once(scene, edge, point)
        scene.place.start_broker()
        scene.check()
        scene.place.kill_broker()
        return call

    def calls(self, books, client):
        books.fleeting[1].sizes = lambda random: 60_000
        return [books.fleeting[1].next(client, isremoval=False)]

    def end(self, scene):
        pass


class Stop(Running):
    """A stop by SIGTERM, with a request that waits."""

    handler = True

    def calls(self, books, client):
        return [books.shared[0].change(client, "set")]

    def after(self, scene):
        # There is no broker if the point was in the call.
        for pid in buses.descendants(scene.place.broker.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)


class Starting:
    """A start on a store that is the same each time."""

    def begin(self, scene):
        self.image = points.Image(scene)

    def once(self, scene, edge, point):
        self.image.restore()
        scene.start("start", edge, point)
        isnamed = scene.serve_until_named()
        call = scene.serve_until_killed(lambda: isnamed)
        scene.place.start_broker()
        self.check(scene)
        scene.place.kill_broker(signal.SIGTERM)
        load.check_files(scene.place.store)
        return call

    def check(self, scene):
        scene.check()
        scene.load.handler_leaves()

    def end(self, scene):
        pass


class Empty(Starting):
    """A start on an empty store."""

    def check(self, scene):
        scene.load.begin()
        scene.load.handler_leaves()


class Clean(Starting):
    """A start after a clean stop."""

    def begin(self, scene):
        Running().begin(scene)
        scene.place.start_broker()
        scene.check()
        scene.load.handler_leaves()
        scene.place.kill_broker(signal.SIGTERM)
        super().begin(scene)


class Recover(Starting):
    """A start after a kill: with a log, open requests, claims, and files of large values without rows."""

    ORPHANS = ("incoming-77", "0000000000abcdef")

    def begin(self, scene):
        Running().begin(scene)
        for _ in range(scene.shard.pick(1, 3)):
            for scenario in (SetLarge(), Many(), Claim(), Wait(), Take(), Queue()):
                scenario.once(scene, *points.END)
        scene.place.start_broker()
        scene.check()
        self.leave_open(scene)
        for name in self.ORPHANS:
            (scene.place.store / "blobs" / name).write_bytes(bytes(100_000))
        super().begin(scene)

    def leave_open(self, scene):
        """Kills the broker while the handler has some requests and others wait; the sender of one of them waits."""
        books, client, handler = scene.load.books, scene.client, scene.load.beside[0]
        handler.isholding = True
        calls = Wait().calls(books, client) + Queue().calls(books, client) + SetLarge().calls(books, client)
        calls += [books.requests.request(client, "queue", books.requests.value(client.random)) for _ in range(10)]
        for call in calls:
            client.begin(call)
        while sum(call.attempt > 0 for call in books.requests.calls.values() if not call.outcome) < 8 \
                or sum(call.state == "open" for call in calls) > 1:
            scene.load.note(client.collect())
        scene.place.kill_broker()
        scene.load.note(client.drain())
        scene.load.handler_leaves()

    def once(self, scene, edge, point):
        # The broker delivers to the handler as soon as it serves.
        scene.load.handler_waits()
        return super().once(scene, edge, point)


SCENARIOS = (Empty, Set, SetLarge, Remove, Queue, Deliver, Wait, Take, Claim, Many, Stop, Clean, Recover, Checkpoint)
# With the full size, each scenario is divided into this many parts, so that no shard takes too long.
PARTS = 4
SIZES = dict(small=len(SCENARIOS), full=PARTS * len(SCENARIOS))


def run(shard):
    units, parts = SIZES[shard.size], SIZES[shard.size] // len(SCENARIOS)
    # The shards take turns, so that each gets parts of several scenarios.
    for unit in range(shard.number, units, -(-units // SHARD)):
        sweep(shard, SCENARIOS[unit // parts](), lambda shard, found: spread(shard, every(found), unit % parts))
        shard.done()
    # The number of calls differs a little from run to run, so a few points may come after the end.
    late = shard.figures.get("ended_before", 0)
    shard.expect(shard.size != "full" or late < shard.figures["kills"] / 5, f"{late} points were not reached")


def spread(shard, found, part):
    """The points of one part, or a few that are spread over all."""
    if shard.size == "full":
        return found[part::PARTS]
    count, start = 3, shard.random.random()
    return [found[int((place + start) * len(found) / count)] for place in range(count)]


def sweep(shard, scenario, select, place=None):
    """Kills the broker at the points of a scenario."""
    shard.bus, shard.limits = "daemon", "stock"
    name = type(scenario).__name__
    place = place or Place(shard, name=name)
    place.bus.start()
    try:
        scene = points.Scene(shard, place)
        scenario.begin(scene)
        scenario.once(scene, *points.END)
        found = scene.calls()
        for edge, point in select(shard, found):
            call = scenario.once(scene, edge, point)
            scene.point = f"in {name} at the {edge} of {point}"
            shard.add(kills=1, **{"reached" if call >= 0 else "ended_before": 1})
        scenario.end(scene)
        shard.add(calls=len(found))
    finally:
        place.__exit__()


def every(found):
    """All points: the entry of each call, and the entry and the exit of each call that changes something."""
    numbers = {}
    targets = []
    for call, changes in found:
        numbers[call] = numbers.get(call, 0) + 1
        targets += [(edge, f"{call}:{numbers[call]}") for edge in ("entry", "exit") if changes]
    return [("entry", str(number + 1)) for number in range(len(found))] + targets


def control_acknowledge_before_commit(shard):
    """The broker answers before it commits: a kill after the answer finds it."""
    place = Place(shard, programs=shard.debug, environment={"SWIFT_IPC_TEST_CONTROL": "acknowledge-before-commit"})
    with shard.finds("I1:"):
        sweep(shard, Set(), lambda shard, found: [points.END], place)


def control_late_names(shard):
    """The files of large values get their names after the commit. Only a kill between commit and answer shows it."""
    library = points.compiled(shard, "late_names", "-shared", "-fPIC")
    place = Place(shard, programs=shard.debug, environment={"LD_PRELOAD": str(library)})
    with shard.finds("InputOutput"):
        # The last points come first, because the answer is near the end.
        sweep(shard, AddLarge(), lambda shard, found: every(found)[:-40:-1], place)
