"""Senders of requests over raw connections, and the checker of their histories (see handler.py for the other side)."""

import dataclasses
import os
import random
import select
import time

import wire
from campaign.boards import Line
from campaign.shard import Broken

ENDS = ("handled", "declined", "cancelled", "failed", "unavailable", "timed-out", "expired")


@dataclasses.dataclass
class Request:
    """What a sender asks for. `answer` is what the handler answers: an outcome, `error`, or `crash` without any."""
    id: str
    source: str
    place: int
    handler: str
    is_queued: bool
    answer: str
    # What happened, from the logs.
    sent: list = dataclasses.field(default_factory=list)
    told: list = dataclasses.field(default_factory=list)
    errors: list = dataclasses.field(default_factory=list)
    deliveries: list = dataclasses.field(default_factory=list)
    answers: list = dataclasses.field(default_factory=list)
    end: tuple | None = None
    was_cut: bool = False

    @property
    def url(self):
        return f"{self.handler.lower()}:{self.place}={self.answer}"

    @property
    def expected(self):
        return "failed" if self.answer in ("error", "crash") else self.answer

    def __str__(self):
        kind = "queued" if self.is_queued else "waiting"
        return f"the {kind} request {self.id} (place {self.place} of {self.source} to {self.handler}, {self.answer})"


def plan(seed, source, count, handlers, crashes, queued):
    """The requests of one sender, in their order. `crashes` and `queued` are the shares of two kinds of requests."""
    draw = random.Random(f"{seed} {source}")
    requests = []
    for place in range(count):
        is_queued = draw.random() < queued
        answer = draw.choices(["handled", "declined", "failed", "error"], [20, 1, 1, 1])[0]
        if is_queued and draw.random() < crashes:
            answer = "crash"
        requests.append(
            Request(f"{draw.getrandbits(128):032x}", source, place, draw.choice(handlers), is_queued, answer))
    return requests


class Sender:
    """Sends its requests in their order, several at a time, and repeats those whose answer was lost, before any other.
    Calls go to the unique name of the broker, so that none of them overtakes a repeated one after a restart."""

    DEPTH = 8

    def __init__(self, path, requests, is_direct, log, draw):
        self.line = Line(path, is_direct, outlives_bus=True)
        self.todo, self.log, self.random = list(requests), log, draw
        self.tried = set()

    @property
    def is_done(self):
        return not self.todo and not self.line.flying and not self.line.again

    def note(self, *words):
        os.write(self.log, (" ".join(str(word) for word in words) + "\n").encode())

    def fill(self):
        line = self.line
        if line.again:
            if line.flying:
                return
            # Extra calls with the id of an ended request are not repeated.
            lost = {id(each): each for each, kind in line.again if kind == "first"}
            self.todo = sorted(lost.values(), key=lambda each: each.place) + self.todo
            line.again.clear()
        while line.wire and self.todo and len(line.flying) < self.DEPTH:
            each = self.todo.pop(0)
            self.note("S", time.monotonic_ns(), each.id)
            self.send(each, "first", each.url)
            self.tried.add(each.id)

    def send(self, each, kind, url):
        options = {"id": ("s", each.id), "source-application": ("s", each.source), "timeout": ("u", 60_000)}
        if each.is_queued:
            options["queue"] = ("b", 1)
        if kind == "first" and each.id in self.tried:
            options["repeated"] = ("b", 1)
        self.line.send((each, kind), lambda to: to.call(
            self.line.owner, wire.BROKER_PATH, "org.swiftipc.URLs1", "OpenURL", "sa{sv}", url, options))

    def take_in(self, each, kind, message):
        if kind == "other":
            if message.error != "org.swiftipc.Error.InvalidArguments":
                raise Broken(f"another request with the id of {each} was accepted: {message.text or message.values}")
            return
        if message.kind == wire.ERROR:
            self.note("E", time.monotonic_ns(), each.id, message.error, message.values[0].replace("\n", " "))
            return
        result = message.values[0]
        self.note("R", time.monotonic_ns(), each.id, result["outcome"], result.get("error-code", "-"))
        chance = self.random.random()
        if kind == "first" and self.line.wire and chance < 0.1:
            self.send(each, *(("again", each.url) if chance < 0.05 else ("other", each.url + "x")))


def drive(senders, progress=None):
    """Runs senders to their end."""
    while active := [sender for sender in senders if not sender.is_done]:
        for sender in active:
            sender.fill()
        owners = {id(each): sender for sender in active for each in sender.line.connections()}
        open_now = [each for sender in active for each in sender.line.connections()]
        ready = select.select(open_now, [], [], 90)[0]
        if not ready:
            lost = [str(each) for sender in active for each, _ in list(sender.line.flying.values())[:1]]
            raise Broken(f"no sender got an answer for 90 s; open are {lost}")
        for connection in ready:
            sender = owners[id(connection)]
            for (each, kind), message in sender.line.receive(connection):
                sender.take_in(each, kind, message)
                if progress is not None:
                    os.write(progress, b".")


def send_all(path, plans, log, seed, progress):
    """Runs the senders of one process. Writes a byte to `progress` for each answer, and an `e` at the end."""
    try:
        descriptor = os.open(log, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        senders = [Sender(path, requests, number % 2 == 1, descriptor, random.Random(f"{seed} {number}"))
                   for number, requests in enumerate(plans)]
        drive(senders, progress)
    finally:
        os.write(progress, b"e")


# The history

def read_senders(logs, requests):
    for log in logs:
        for line in log.read_text().splitlines():
            kind, moment, identifier, *rest = line.split(" ")
            each = requests[identifier]
            if kind == "S":
                each.sent.append(int(moment))
            elif kind == "R":
                each.told.append((int(moment), *rest))
            else:
                each.errors.append(" ".join(rest))


def read_handler(name, log, requests):
    """Adds the deliveries of one handler to their requests, and returns them in order."""
    deliveries = []
    for line in log.read_text().splitlines() if log.exists() else []:
        kind, *rest = line.split(" ")
        if kind == "D":
            moment, process, broker, identifier, attempt, source, url = rest
            delivery = Delivery(int(moment), (process, broker), identifier, int(attempt), source, url)
            if identifier not in requests:
                raise Broken(f"{name} got a request with the id {identifier}, which nobody chose: {url}")
            requests[identifier].deliveries.append(delivery)
            deliveries.append(delivery)
        elif kind == "A":
            requests[rest[1]].answers.append(rest[2])
    return deliveries


@dataclasses.dataclass
class Delivery:
    time: int
    life: tuple
    id: str
    attempt: int
    source: str
    url: str


def check(requests, logs):
    """Judges all requests. `logs` has the deliveries of each handler, in order. I6, I7, I8, I10."""
    for each in requests.values():
        check_end(each)
        check_deliveries(each)
    for handler, deliveries in logs.items():
        check_order(handler, deliveries, requests)


def check_end(each):
    told = {(outcome, code) for _, outcome, code in each.told if outcome in ENDS}
    if each.end:
        told.add(each.end)
    if len(told) > 1:
        raise Broken(f"{each} has several outcomes: {sorted(told)}")
    if each.told and not each.end:
        raise Broken(f"{each} was accepted, but the broker does not know it any more")
    if each.errors and not each.told and (each.deliveries or each.end):
        raise Broken(f"{each} was refused ({each.errors}), but was carried out")
    if not each.end:
        # The sender was killed, or it was told that the request was refused.
        if each.is_queued and each.deliveries:
            raise Broken(f"{each} was delivered, but has no record and no outcome")
        return
    outcome, code = each.end
    if outcome == "queued":
        raise Broken(f"{each} did not end")
    if outcome == "handled" and "handled" not in each.answers:
        raise Broken(f"{each} is reported as handled, but no handler said so; deliveries: {len(each.deliveries)}")
    if (code == "parked") != (each.answer == "crash"):
        raise Broken(f"{each} ended as {each.end}, after {len(each.deliveries)} deliveries")
    if outcome != each.expected and not may_differ(each, outcome, code):
        raise Broken(f"{each} ended as {each.end}, after {len(each.deliveries)} deliveries, answers {each.answers}")


def may_differ(each, outcome, code):
    """A waiting request ends with its handler, which may be killed before it records the delivery, or its sender."""
    if each.is_queued:
        return False
    if code == "handler-ended":
        return True
    return each.was_cut and (outcome in ("cancelled", "unavailable") or code == "broker-ended")


def check_deliveries(each):
    last, broker = 0, None
    ended = min((moment for moment, outcome, _ in each.told if outcome in ENDS), default=None)
    for delivery in each.deliveries:
        if delivery.url != each.url or delivery.source != each.source:
            raise Broken(f"{each} arrived as {delivery.url} from {delivery.source}")
        # A broker that was killed may have forgotten a waiting request. If its sender repeats the call, the attempts
        # begin at 2 again, also after a second crash. The attempts of queued requests are on disk.
        forgot = not each.is_queued and len(each.sent) > 1 and broker not in (None, delivery.life[1])
        if delivery.attempt <= (1 if forgot else last):
            raise Broken(f"{each} came as attempt {delivery.attempt} after attempt {last}")
        broker = delivery.life[1]
        if ended and delivery.time > ended:
            raise Broken(f"{each} was delivered again after its sender knew the outcome")
        last = delivery.attempt


def check_order(handler, deliveries, requests):
    """First deliveries are in order, and after a crash of either side the unanswered ones come before anything newer.
    A waiting request that was repeated after a restart may have been accepted only then, so it may come late."""
    queues, lives = {}, {}
    for delivery in deliveries:
        each = requests[delivery.id]
        if each.handler != handler:
            raise Broken(f"{each} came to {handler}")
        life = lives.setdefault(delivery.life, len(lives))
        queues.setdefault(each.source, []).append((each, life))
    for row in queues.values():
        newest, last = None, {}
        for number, (each, life) in enumerate(row):
            may_be_late = not each.is_queued and (len(each.sent) > 1 or each.was_cut)
            if each.id not in last:
                if newest and each.place < newest.place and not may_be_late:
                    raise Broken(f"{each} was delivered after {newest}, which was accepted later")
            elif not may_be_late and life > last[each.id][1]:
                before, old = last[each.id]
                for other, its_life in row[before + 1:number]:
                    if other.place > each.place and its_life > old:
                        raise Broken(f"{other} passed {each}, which was delivered before the crash and not answered")
            if not newest or each.place > newest.place:
                newest = each
            last[each.id] = number, life
