"""A handler that the bus starts is started once for many requests, and no request is lost however it ends.

Each run sends waiting and queued requests to handlers that are not running. The handlers crash before they own their
names, with a request, in the middle of an answer or after it; they exit, hang, start slowly, or cannot be started at
all. Each handler notes what it gets. An independent check compares the notes with the outcomes.
"""

import json
import pathlib
import subprocess
import time
import uuid

import wire
from campaign.place import Place
from campaign.rows import VARIANTS
from campaign.shard import Broken

INVARIANTS = (6, 7, 8, 18, 24)
UNIT = "runs"
SIZES = dict(small=8, full=112)
SHARD = 28
BUSES = True

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "campaign/activated.py"
# The stock limits (docs/limits.md).
START_MS, STARTS, PERIOD_MS, BACK_OFF_MS = 15_000, 5, 10_000, 100


class Scene(Place):
    """A broker on a bus that can start as many handlers as the shard needs."""

    def __init__(self, shard, **options):
        super().__init__(shard, **options)
        # dbus-broker 33 does not report a program that ends before it owns its name, and does not start it again then.
        self.reports_failures = shard.bus == "daemon"
        self.free = [Handler(self, number) for number in range(6 * shard.count + 10)]

    def handler(self, *plan):
        """A handler that was not used before, with its behaviour at each start."""
        handler = self.free.pop()
        (handler.folder / "plan.json").write_text(json.dumps(plan))
        return handler

    def close(self, handlers):
        """Ends the processes of handlers."""
        for handler in handlers:
            for pid in handler.processes():
                subprocess.run(["kill", "-9", str(pid)], stderr=subprocess.DEVNULL)


class Handler:
    def __init__(self, place, number):
        self.place, self.name = place, f"campaign.handler{number}"
        self.folder = place.folder / self.name
        self.folder.mkdir()
        place.bus.add_service(self.name, "/usr/bin/python3", PROGRAM, place.bus.path, self.name, self.folder)
        self.requests = []

    def lines(self, word):
        log = self.folder / "log"
        return [line.split(" ")[1:] for line in (log.read_text() if log.exists() else "").splitlines()
                if line.split(" ")[0] == word]

    def processes(self):
        return [int(pid) for pid, _ in self.lines("start") if is_running(pid, self.name)]

    def send(self, connection, count=1, queue=False, url="", timeout=25_000):
        """Sends requests without waiting for their outcomes."""
        for _ in range(count):
            request = Request(self, connection, queue, f"campaign:{len(self.requests)}{url}", timeout)
            self.requests.append(request)
            request.send()

    def wait_for_start(self, count=1, seconds=20):
        deadline = time.monotonic() + seconds
        while len(self.lines("start")) < count:
            if time.monotonic() > deadline:
                raise Broken(f"{self.name} was started {len(self.lines('start'))} times in {seconds} s, not {count}")
            time.sleep(0.01)


def is_running(pid, name):
    try:
        return name.encode() in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


class Request:
    def __init__(self, handler, connection, queue, url, timeout):
        self.handler, self.connection, self.queue, self.url, self.timeout = handler, connection, queue, url, timeout
        self.id = str(uuid.UUID(int=handler.place.shard.random.getrandbits(128), version=4))
        self.begin = time.monotonic()
        self.outcome = self.reason = None

    def send(self, repeated=False):
        options = dict(id=("s", self.id), application=("s", self.handler.name))
        options |= dict(queue=("b", True)) if self.queue else dict(timeout=("u", self.timeout))
        if repeated:
            options["repeated"] = ("b", True)
        self.serial = self.connection.broker("URLs1", "OpenURL", "sa{sv}", self.url, options)

    def end(self, seconds=40):
        """Waits for the final outcome; returns it, or the name of an error."""
        if self.outcome:
            return self.outcome
        reply = self.connection.wait(self.serial, seconds)
        if reply.kind != wire.ERROR and reply.values[0]["outcome"] == "queued":
            options = dict(timeout=("u", seconds * 1_000))
            wait = self.connection.broker("URLs1", "WaitRequest", "sa{sv}", self.id, options)
            reply = self.connection.wait(wait, seconds + 10)
        self.took = time.monotonic() - self.begin
        if reply.kind == wire.ERROR:
            self.outcome, self.reason = reply.error.rsplit(".", 1)[-1], reply.values[0]
        else:
            self.outcome = reply.values[0]["outcome"]
            keys = ("error-code", "error-name", "error-message")
            self.reason = " ".join(str(reply.values[0].get(key, "")) for key in keys)
        return self.outcome

    def __str__(self):
        return (f"{'queued' if self.queue else 'waiting'} request {self.url} {self.id} to {self.handler.name}: "
                f"{self.outcome} ({self.reason})")


# The independent check

def check(handlers, starts=None):
    """Compares what the handlers have noted with the outcomes.

    - starts: how often each handler may have been started, as (least, most).
    """
    for handler in handlers:
        for request in handler.requests:
            request.end()
        got = [(identifier, int(attempt)) for identifier, attempt, _ in handler.lines("got")]
        answered = [identifier for identifier, in handler.lines("answer")]
        if len(set(got)) < len(got):
            raise Broken(f"{handler.name} got a request twice with the same attempt: {twice(got)}")
        for request in handler.requests:
            attempts = [attempt for identifier, attempt in got if identifier == request.id]
            if attempts != sorted(attempts):
                raise Broken(f"{request}: the attempts are {attempts}")
            if request.outcome == "handled" and (not attempts or request.id not in answered):
                raise Broken(f"{request}, but the handler has not handled it (it saw the attempts {attempts})")
            if request.outcome == "queued":
                raise Broken(f"{request}: it has no outcome")
        unknown = {identifier for identifier, _ in got} - {request.id for request in handler.requests}
        if unknown:
            raise Broken(f"{handler.name} got requests that were not sent to it: {unknown}")
        order(handler, got)
        number = len(handler.lines("start"))
        if starts and not starts[0] <= number <= starts[1]:
            raise Broken(f"{handler.name} was started {number} times, not {starts[0]} to {starts[1]} times")


def order(handler, got):
    """First deliveries follow the order of acceptance of each source, which is a connection here."""
    firsts = list(dict.fromkeys(identifier for identifier, _ in got))
    for connection in {request.connection for request in handler.requests}:
        sent = [request.id for request in handler.requests if request.connection is connection and request.id in firsts]
        seen = [identifier for identifier in firsts if identifier in sent]
        if seen != sent:
            raise Broken(f"{handler.name}: first deliveries are not in the order of acceptance: {seen}, not {sent}")


def twice(values):
    return sorted({value for value in values if values.count(value) > 1})


def expect(requests, *allowed):
    """Each request has one of these outcomes; a word after a slash must be in its reason."""
    for request in requests:
        outcome = request.end()
        if not any(outcome == word.partition("/")[0] and word.partition("/")[2] in request.reason for word in allowed):
            raise Broken(f"{request}: expected {' or '.join(allowed)}")


# Scenarios

def storm(place):
    """A hundred requests at once start the handler once, and all are handled."""
    handler = place.handler()
    connections = [place.connect() for _ in range(10)]
    for connection in connections:
        for place_in_ten in range(10):
            handler.send(connection, queue=place_in_ten % 2 == 1)
    expect(handler.requests, "handled")
    check([handler], (1, 1))
    return [handler]


def several(place):
    """Several handlers start at once; each ends its first process in its own way, and gets only its own requests."""
    ends = [{}, dict(start="crash-with-name"), dict(mode="crash-with-request"), dict(mode="crash-after-answer"),
            dict(sleep=0.5)]
    handlers = [place.handler(*([end] if end else [])) for end in ends]
    connections = [place.connect() for _ in range(4)]
    for _ in range(3):
        for connection in connections:
            for handler in handlers:
                handler.send(connection, queue=True)
    for handler in handlers:
        expect(handler.requests, "handled")
    check(handlers, (1, 3))
    return handlers


def ended_with_request(mode):
    """The handler ends while it has a request: a waiting one fails, a queued one comes again with a higher attempt."""
    def scenario(place):
        waiting, queued = place.handler(dict(mode=mode)), place.handler(dict(mode=mode), dict(mode=mode))
        connection = place.connect()
        waiting.send(connection)
        queued.send(connection, 3, queue=True)
        expect(waiting.requests, "failed/handler-ended")
        waiting.send(connection)
        expect(waiting.requests[1:], "handled")
        expect(queued.requests, "handled")
        first = queued.requests[0]
        attempts = [attempt for identifier, attempt, _ in queued.lines("got") if identifier == first.id]
        if attempts != ["1", "2", "3"]:
            raise Broken(f"{first}: the attempts are not 1, 2, 3: {queued.lines('got')}")
        check([waiting], (2, 2))
        check([queued], (3, 3))
        return [waiting, queued]
    return scenario


def parked(place):
    """A request that crashes its handler three times is parked, and those around it are handled."""
    handler, connection = place.handler(), place.connect()
    handler.send(connection, queue=True)
    handler.send(connection, queue=True, url="?crash")
    handler.send(connection, 3, queue=True)
    poison = handler.requests[1]
    expect([poison], "failed/parked")
    expect([request for request in handler.requests if request is not poison], "handled")
    attempts = [int(attempt) for identifier, attempt, _ in handler.lines("got") if identifier == poison.id]
    if len(attempts) != 3:
        raise Broken(f"{poison}: it was parked after the attempts {attempts}")
    check([handler], (3, 4))
    return [handler]


def ended_after_answer(place):
    """A handler that ends after each answer is started again, and each answer counts."""
    count = 6
    handler, connection = place.handler(*[dict(mode="crash-after-answer")] * (2 * count)), place.connect()
    handler.send(connection, count, queue=True)
    expect(handler.requests, "handled")
    waiting = place.handler(*[dict(mode="crash-after-answer")] * 3)
    for _ in range(3):
        waiting.send(connection)
        # The request may reach the process that has just answered the one before, and is ending.
        expect(waiting.requests[-1:], "handled", "failed/handler-ended")
    check([handler], (count, 2 * count))
    check([waiting], (1, 3))
    return [handler, waiting]


def ended_before_name(place):
    """The handler ends before it owns its name: a waiting request is told, a queued one waits for a good start."""
    word = place.shard.random.choice(["crash", "fail"])
    handler, connection = place.handler(*[dict(start=word)] * 3), place.connect()
    handler.send(connection)
    expect(handler.requests, "unavailable")
    within(handler.requests[0], 0, START_MS + 3_000)
    if place.reports_failures:
        handler.send(connection, 3, queue=True)
        expect(handler.requests[1:], "handled")
    check([handler], (4, 4) if place.reports_failures else (1, 1))
    return [handler]


def ended_with_name(place):
    """The handler ends as soon as it owns its name. If it had not got the request by then, it may be started again."""
    handler, connection = place.handler(*[dict(start="crash-with-name")] * 2), place.connect()
    handler.send(connection)
    expect(handler.requests, "unavailable", "failed/handler-ended", "handled")
    handler.send(connection, 3, queue=True)
    expect(handler.requests[1:], "handled")
    check([handler], (3, 3))
    return [handler]


def slow(place):
    """Requests wait for a handler that starts slowly; it is started once."""
    handler = place.handler(dict(sleep=place.shard.random.uniform(1, 4)))
    for connection in [place.connect() for _ in range(5)]:
        handler.send(connection, 4)
        handler.send(connection, 4, queue=True)
    expect(handler.requests, "handled")
    check([handler], (1, 1))
    return [handler]


def not_startable(place):
    """The program does not exist or is not executable; other handlers are started meanwhile."""
    folder = place.folder / f"programs{len(place.free)}"
    folder.mkdir()
    (folder / "plain").write_text("#!/bin/sh\n")
    bad = [place.handler(), place.handler()]
    for handler, program in zip(bad, ["missing", "plain"]):
        place.bus.add_service(handler.name, folder / program)
    connection = place.connect()
    connection.request(*wire.BUS, "ReloadConfig")
    good = place.handler()
    for handler in bad:
        handler.send(connection)
    good.send(connection, 5)
    expect(good.requests, "handled")
    for handler in bad:
        expect(handler.requests, "unavailable/cannot be started", "unavailable/has not taken its bus name")
        within(handler.requests[0], 0, START_MS + 3_000)
    if not place.reports_failures:
        check([good], (1, 1))
        return [good]
    for handler in bad:
        handler.send(connection, queue=True)
        # The queued request waits for a program that can be started.
        place.bus.add_service(handler.name, "/usr/bin/python3", PROGRAM, place.bus.path, handler.name, handler.folder)
    connection.request(*wire.BUS, "ReloadConfig")
    expect([handler.requests[1] for handler in bad], "handled")
    check([good, *bad], (1, 1))
    return [good, *bad]


def replaced(place):
    """A broker that takes the place of another during a start continues with the same start."""
    handler, connection = place.handler(dict(sleep=2)), place.connect()
    handler.send(connection, 3, queue=True)
    handler.send(connection, 3)
    handler.wait_for_start()
    connection.request(wire.BROKER, wire.BROKER_PATH, "org.freedesktop.DBus.Peer", "Ping")
    before, owner = place.broker, place.owner
    place.arguments = ("--replace",)
    place.start_broker()
    if (code := before.wait(30)) != 0:
        raise Broken(f"the replaced broker ended with {code}")
    place.processes.remove(before)
    while place.owner == owner:
        place.owner = place.wait_for_name(connection, wire.BROKER)
    for request in handler.requests[3:]:
        if connection.wait(request.serial).kind == wire.ERROR:
            request.send(repeated=True)
        else:
            raise Broken(f"{request} ended with the broker that had to leave it")
    expect(handler.requests, "handled")
    check([handler], (1, 1))
    return [handler]


def no_name(place):
    """A program exits with 0 and owns no name, or owns another one; after 15 s its senders are told."""
    handlers = [place.handler(dict(start="exit")), place.handler()]
    place.bus.add_service(handlers[1].name, "/bin/sleep", "40")
    connection = place.connect()
    connection.request(*wire.BUS, "ReloadConfig")
    for handler in handlers:
        handler.send(connection)
    for handler in handlers:
        expect(handler.requests, "unavailable")
        within(handler.requests[0], 0, START_MS + 3_000)
    check(handlers, (0, 1))
    return handlers


def hangs(place):
    """A handler that hangs for more than 15 s: waiting senders are told, and a queued request waits for it."""
    handler, connection = place.handler(dict(sleep=18)), place.connect()
    handler.send(connection, 3)
    handler.send(connection, queue=True)
    expect(handler.requests[:3], "unavailable/has not taken its bus name")
    for request in handler.requests[:3]:
        within(request, START_MS - 100, START_MS + 3_000)
    expect(handler.requests[3:], "handled")
    check([handler], (1, 1))
    return [handler]


def breaker(place):
    """After 5 starts within 10 s, the handler is not started for a while; each start waits longer than the last."""
    ends = "crash" if place.reports_failures else "crash-with-name"
    handler, connection = place.handler(*[dict(start=ends)] * STARTS), place.connect()
    refused = 0
    end = time.monotonic() + PERIOD_MS / 1_000 - 2
    while time.monotonic() < end:
        handler.send(connection)
        refused += handler.requests[-1].end() == "HandlerUnavailable"
    expect(handler.requests, "unavailable", "HandlerUnavailable",
           *[] if place.reports_failures else ["failed/handler-ended"])
    times = [int(begin) for _, begin in handler.lines("start")]
    if len(times) != STARTS or not refused:
        raise Broken(f"{handler.name} was started {len(times)} times within 8 s, and {refused} calls were refused")
    for number, (first, second) in enumerate(zip(times, times[1:]) if place.reports_failures else ()):
        if second - first < BACK_OFF_MS << number:
            raise Broken(f"start {number + 2} of {handler.name} came {second - first} ms after the one before")
    handler.send(connection, queue=True)
    expect(handler.requests[-1:], "handled")
    times = [int(begin) for _, begin in handler.lines("start")]
    # The program notes its start a little after the bus has started it.
    if times[-1] - times[0] < PERIOD_MS - 1_000:
        raise Broken(f"{handler.name} was started 6 times within {times[-1] - times[0]} ms")
    check([handler], (STARTS + 1, STARTS + 1))
    return [handler]


def within(request, least, most):
    if not least <= request.took * 1_000 <= most:
        raise Broken(f"{request} took {request.took * 1_000:.0f} ms, not {least} to {most}")


SCENARIOS = [
    storm, several, ended_with_request("crash-in-answer"), parked, ended_before_name,
    ended_with_request("crash-with-request"), ended_after_answer, ended_with_name, slow, not_startable, replaced,
    no_name, hangs, breaker]


def run(shard):
    variant = VARIANTS.index(shard.part.variant)
    with Scene(shard) as place:
        for unit in range(shard.count):
            number = shard.pick(4 * unit + variant, unit + variant) % len(SCENARIOS)
            scenario = SCENARIOS[number]
            begin = time.monotonic()
            try:
                handlers = scenario(place)
            except (Broken, TimeoutError) as error:
                name = getattr(scenario, "__name__", "")
                log = place.log_text()[-500:]
                raise Broken(f"scenario {number} ({name}), unit {unit}: {error!r}; broker: {log}") from error
            shard.expect(place.broker.poll() is None, f"the broker ended in scenario {number}")
            shard.add(requests=sum(len(handler.requests) for handler in handlers),
                      starts=sum(len(handler.lines("start")) for handler in handlers))
            shard.worst(seconds=round(time.monotonic() - begin, 1))
            place.close(handlers)
            shard.done()


# Controls

def defective(shard, defect, scenario):
    with Scene(shard, programs=shard.debug, environment=dict(SWIFT_IPC_TEST_CONTROL=defect)) as place:
        for _ in range(shard.count):
            scenario(place)


def control_drop_one(shard):
    """A broker that reports a request as handled without delivering it."""
    defective(shard, "drop-one", storm)


def control_deliver_twice(shard):
    """A broker that delivers a request twice with the same attempt."""
    defective(shard, "deliver-twice", storm)


def control_liar(shard):
    """A handler that reports requests as handled and does nothing."""
    with Scene(shard) as place:
        handler = place.handler(dict(mode="lie"))
        handler.send(place.connect(), 3)
        check([handler])


def control_two_starts(shard):
    """A handler that is started twice for the same requests."""
    with Scene(shard) as place:
        handler = place.handler(dict(twin=True))
        handler.send(place.connect(), 3)
        check([handler], (1, 1))
