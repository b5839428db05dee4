"""A mixed load on a broker, and the check of a store after a failure: everything acknowledged, nothing half done.

The load consists of lanes. A lane has a connection and a persistent pasteboard of its own, so the calls of a lane are
applied in the order in which it makes them. Each operation maps a state of the pasteboard to the next state. After a
failure, the pasteboard must have a state to which all acknowledged operations lead, with or without those that were not
answered. Some operations also open URLs, for a handler that runs and for one that is absent.
"""

import collections
import contextlib
import os
import random
import select
import time

import wire
from campaign.shard import Broken

TEXT, BYTES = "text/plain;charset=utf-8", "application/octet-stream"
PRESENT, ABSENT = "com.example.Present", "com.example.Absent"
# The broker has answered, has answered with an error, or has not answered; or the load has not made the call.
ACKNOWLEDGED, REFUSED, UNKNOWN, UNSENT = "acknowledged", "refused", "unknown", "unsent"
# With these errors, the operation may be done or not: the broker, or its store, has failed.
GONE = {f"org.freedesktop.DBus.Error.{name}" for name in ("NoReply", "ServiceUnknown", "NameHasNoOwner")} | {
    "org.swiftipc.Error.StoreUnavailable"}
NO_BOARD, NO_REQUEST = "org.swiftipc.Error.NoSuchPasteboard", "org.swiftipc.Error.NoSuchRequest"

# A state of a pasteboard: its items (`None` without a pasteboard), its change count if the broker has stated it, and
# the number of the operation that wrote it.
State = collections.namedtuple("State", "items count by")
NOTHING = State(None, None, -1)


class Operation:
    """One call of a lane. `key` identifies the answer: the name of the connection and the serial number of the call."""

    def __init__(self, number, kind, items=(), request=None, application=None):
        self.number, self.kind, self.items = number, kind, items
        self.request, self.application = request, application
        self.key = self.answer = self.taken = None
        # What `Load.watch` returned before the call.
        self.seen = None

    def applied(self, state):
        """The state that follows from a state; the same one if the operation has no effect on it."""
        if self.kind in ("set", "send", "queue"):
            items = self.items
        elif state.items is None or self.kind == "take" and not state.items:
            return state
        else:
            items = dict(add=state.items + self.items, clear=(), take=(), remove=None)[self.kind]
        return State(items, self.count, self.number)

    @property
    def count(self):
        """The change count of the version that the operation wrote, if the broker has stated it."""
        if self.answer is None or self.answer.kind != wire.RETURN or self.kind in ("take", "remove"):
            return None
        value = self.answer.values[0]
        return value.get("change-count") if isinstance(value, dict) else value

    @property
    def fate(self):
        """What the load knows about the operation."""
        if self.answer is None or self.answer.kind == wire.ERROR and self.answer.error in GONE:
            return UNKNOWN
        # The broker says that it could not store the outcome of the request.
        if self.kind == "send" and self.count is not None and self.answer.values[0].get("error-code") == "not-recorded":
            return UNKNOWN
        return ACKNOWLEDGED if self.answer.kind == wire.RETURN else REFUSED


class Lane:
    """A connection with a pasteboard of its own. It makes the next call when fewer than `window` are unanswered."""

    def __init__(self, load, number, count, window):
        self.load, self.count, self.window = load, count, window
        self.random = random.Random(load.random.random())
        self.board = f"lane{number}"
        self.connection = load.place.connect()
        self.operations, self.pending = [], {}
        self.expected, self.failures = NOTHING, 0

    def proceed(self):
        """Takes the answers that have arrived, and makes the next calls."""
        self.connection.sort()
        for serial in [serial for serial in self.pending if serial in self.connection.replies]:
            self.answered(self.pending.pop(serial), self.connection.replies.pop(serial))
        while len(self.pending) < self.window and not self.is_at_end:
            operation = self.invented()
            self.operations.append(operation)
            self.expected = operation.applied(self.expected)
            operation.seen = self.load.watch()
            serial = self.called(operation)
            operation.key = (self.connection.name, serial)
            self.pending[serial] = operation

    @property
    def is_at_end(self):
        """Whether it makes no more calls. It gives up soon when the broker has failed, because each call whose effect
        is unknown may double the number of states that the pasteboard can have."""
        return len(self.operations) >= self.count or self.failures >= 4

    def answered(self, operation, answer):
        operation.answer = answer
        self.failures += operation.fate == UNKNOWN
        if operation.kind == "take" and answer.kind == wire.RETURN:
            # The disk below a value may fail when the reader reads it.
            with contextlib.suppress(OSError):
                operation.taken = unmarshalled(answer.values[1], answer)
        release(answer)

    def invented(self):
        """A random operation that makes sense after the earlier ones."""
        number = len(self.operations)
        kinds = dict(set=5, send=2, queue=3)
        if self.expected.items:
            kinds |= dict(add=3 if len(self.expected.items) < 4 else 0, clear=1, take=1, remove=1)
        kind = self.random.choices(list(kinds), kinds.values())[0] if number >= len(self.load.script) else \
            self.load.script[number]
        items = tuple(self.item() for _ in range(self.random.choice([1, 1, 2])))
        if kind in ("send", "queue"):
            application = PRESENT if kind == "send" else self.random.choice([PRESENT, ABSENT, ABSENT])
            return Operation(number, kind, items, f"{self.board}-{number:010}", application)
        return Operation(number, kind, items if kind in ("set", "add") else ())

    def item(self):
        """An item with one or two values: a short text, bytes of some pages, or a large value for a file."""
        size = self.random.choices(
            [self.random.randrange(200), self.random.randrange(2_000, 30_000), self.random.randrange(66_000, 300_000)],
            self.load.mixture)[0]
        values = [(BYTES, self.random.randbytes(size))]
        if self.random.random() < 0.3:
            values.append((TEXT, f"{self.board} {self.random.random()}".encode()))
        return tuple(values)

    def called(self, operation):
        """Makes the call; returns its serial number."""
        connection, kind = self.connection, operation.kind
        if kind in ("clear", "take"):
            member, options = ("Clear", {}) if kind == "clear" else ("GetItems", dict(take=("b", True), fd=("b", True)))
            return connection.pasteboard(self.board, member, "a{sv}", options)
        if kind == "remove":
            return connection.broker("Pasteboards1", "RemovePasteboard", "sa{sv}", self.board, {})
        values, descriptors = marshalled(operation.items)
        try:
            if kind in ("set", "add"):
                member = "SetItems" if kind == "set" else "AddItems"
                options = dict(create=("b", kind == "set"))
                return connection.pasteboard(
                    self.board, member, "aa(sv)a{sv}", values, options, descriptors=descriptors)
            options = dict(
                id=("s", operation.request), application=("s", operation.application), queue=("b", kind == "queue"),
                items=("aa(sv)", values), pasteboard=("s", self.board))
            return connection.broker("URLs1", "OpenURL", "sa{sv}", f"x-load:{operation.request}", options,
                                     descriptors=descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def states(self, fate):
        """All states that the pasteboard may have."""
        states = {NOTHING}
        for operation in self.operations:
            known = fate(operation)
            if known == ACKNOWLEDGED and operation.taken is not None:
                states = {state for state in states if state.items == operation.taken}
                if not states:
                    raise Broken(f"operation {operation.number} of {self.board} took {shown(operation.taken)}, "
                                 "which was not there")
            after = {operation.applied(state) for state in states}
            if known == ACKNOWLEDGED:
                states = after
            elif known == UNKNOWN:
                states |= after
        return states


class Handler:
    """The handler that runs during the load. It answers each request at once."""

    def __init__(self, place):
        self.connection = place.connect()
        self.connection.request(*wire.BUS, "RequestName", "su", PRESENT, 4)
        options = dict(window=("u", 16), fd=("b", True))
        self.connection.ask("Schemes1", "Register", "sasa{sv}", PRESENT, ["x-present"], options)
        # The greatest attempt that was seen, for each request.
        self.attempts = {}

    def proceed(self):
        self.connection.sort()
        calls, self.connection.others = self.connection.others, []
        for call in calls:
            if call.kind == wire.CALL and call.member == "OpenURL":
                id, _, context = call.values
                self.attempts[id] = max(self.attempts.get(id, 0), context["attempt"])
                release(call)
                self.connection.reply(call, "sa{sv}", "handled", dict(items=("aa(sv)", [[(TEXT, ("s", f"did {id}"))]])))


class Load:
    """Runs `operations` calls in lanes.

    - mixture: the weights of short, middle and large values.
    - claims: the number of schemes that are claimed first.
    - script: the kinds of the first operations of each lane.
    - watch: called before each call, for the operation's `seen`.
    """

    def __init__(self, place, generator, operations, lanes=5, mixture=(55, 33, 12), claims=4, script=(),
                 watch=lambda: None):
        self.place, self.random, self.mixture, self.script, self.watch = place, generator, mixture, script, watch
        self.handler = Handler(place)
        self.lanes = [
            Lane(self, number, operations // lanes, generator.choice([1, 1, 2, 3])) for number in range(lanes)]
        self.claims = []
        for number in range(claims):
            call = (f"com.example.App{number}", [f"x-claim{number}"], dict(persistent=("b", True)))
            operation = Operation(number, "claim")
            serial = self.handler.connection.broker("Schemes1", "Register", "sasa{sv}", *call)
            operation.key = (self.handler.connection.name, serial)
            operation.answer = self.handler.connection.wait(serial)
            self.claims.append(operation)

    @property
    def operations(self):
        return [operation for lane in self.lanes for operation in lane.operations]

    def is_done(self):
        return all(not lane.pending and lane.is_at_end for lane in self.lanes)

    def proceed(self, wait=0.5):
        """Waits for an answer, takes all that have arrived, and makes the next calls."""
        connections = {each.connection: each for each in [*self.lanes, self.handler]}
        for connection in select.select(list(connections), [], [], wait)[0]:
            connection.receive()
        for each in connections.values():
            each.proceed()

    def run(self, until=lambda: False, seconds=120):
        """Runs until all calls are answered, or until a condition holds."""
        deadline = time.monotonic() + seconds
        for lane in self.lanes:
            lane.proceed()
        while not self.is_done() and not until():
            if time.monotonic() > deadline:
                pending = {lane.board: [op.kind for op in lane.pending.values()] for lane in self.lanes if lane.pending}
                raise Broken(f"calls are not answered after {seconds} s: {pending}")
            self.proceed()

    def finish(self):
        """Takes the answers that are on their way, and makes no more calls."""
        for lane in self.lanes:
            lane.count = 0
            for serial in list(lane.pending):
                lane.answered(lane.pending.pop(serial), lane.connection.wait(serial))

    def close(self):
        """Leaves the bus. The load still knows what it did, for the check."""
        for each in [*self.lanes, self.handler]:
            each.connection.close()


class Check:
    """Compares the store of a broker that has started again with the load.

    - fate: what is known about an operation at the time of the failure.
    - attempts: for each request, the greatest attempt that the handler had seen.
    """

    def __init__(self, place, load, fate=lambda operation: operation.fate, attempts=None):
        self.place, self.load, self.fate = place, load, fate
        self.attempts = load.handler.attempts if attempts is None else attempts
        self.connection = place.connect()

    def run(self):
        """Raises `Broken` if an acknowledged operation is lost, or if one is there in part."""
        try:
            records = self.records()
            self.check_boards(records)
            self.check_requests(records)
            self.check_claims()
            self.check_deliveries(records)
            self.check_count()
        finally:
            self.connection.close()

    def answers(self, calls):
        """Makes many calls at once; yields what each is about, and its answer."""
        for subject, serial in [(subject, call()) for subject, call in calls]:
            yield subject, self.connection.wait(serial)

    def records(self):
        """The records of all requests of the load that the broker knows."""
        found = {}
        calls = [
            (operation, lambda id=operation.request: self.connection.broker("URLs1", "GetRequest", "sa{sv}", id, {}))
            for operation in self.load.operations if operation.request]
        for operation, answer in self.answers(calls):
            if answer.kind == wire.RETURN:
                found[operation.request] = answer.values[0]
            elif answer.error != NO_REQUEST:
                raise Broken(f"request {operation.request} cannot be read: {answer.text}")
        return found

    def check_boards(self, records):
        options = dict(fd=("b", True))
        calls = [
            (lane, lambda board=lane.board: self.connection.pasteboard(board, "GetItems", "a{sv}", options))
            for lane in self.load.lanes]
        for lane, answer in self.answers(calls):
            items = count = None
            if answer.kind == wire.RETURN:
                count, items = answer.values[0], unmarshalled(answer.values[1], answer)
            elif answer.error != NO_BOARD:
                raise Broken(f"pasteboard {lane.board} cannot be read: {answer.text}")
            states = lane.states(self.fate)
            found = [state for state in states if state.items == items and state.count in (None, count)]
            if not found:
                raise Broken(f"pasteboard {lane.board} has {shown(items, count)}, but may only have "
                             + " or ".join(sorted(shown(*state[:2]) + f" (operation {state.by})" for state in states)))
            known = [operation.number for operation in lane.operations if operation.request in records]
            if not any(self.agrees(lane, state, known) for state in found):
                raise Broken(f"pasteboard {lane.board} has the version of operation {found[0].by}, but the requests of "
                             f"the operations {known} have a record: one is there in part")

    def agrees(self, lane, state, known):
        """Whether a request has a record exactly if its version was written. A remembered request may have ended."""
        by = lane.operations[state.by] if state.by >= 0 else None
        return max(known, default=-1) <= state.by and not (by and by.request and by.number not in known)

    def check_requests(self, records):
        for operation in self.load.operations:
            if not operation.request or self.fate(operation) != ACKNOWLEDGED:
                continue
            record = records.get(operation.request)
            if record is None:
                raise Broken(f"request {operation.request} was acknowledged, and has no record")
            if operation.kind == "send":
                outcome = operation.answer.values[0]["outcome"]
                if (record["state"], record["outcome"]) != ("ended", outcome):
                    raise Broken(f"request {operation.request} ended as {outcome}, and is now {record['state']}, "
                                 f"{record['outcome']}")

    def check_claims(self):
        for operation in self.load.claims:
            answer = self.connection.ask("Schemes1", "ListHandlers", "sa{sv}", f"x-claim{operation.number}", {})
            applications = [facts["application"] for _, facts in answer.values[0]]
            if self.fate(operation) == ACKNOWLEDGED and f"com.example.App{operation.number}" not in applications:
                raise Broken(f"claim {operation.number} was acknowledged, and is gone: {applications}")

    def check_deliveries(self, records):
        """Takes the queued requests that have not ended as their handlers, and compares them with the load."""
        waiting = {
            operation.request: operation for operation in self.load.operations
            if operation.kind == "queue" and records.get(operation.request, {}).get("state", "ended") != "ended"}
        for application in (PRESENT, ABSENT):
            owned = self.connection.request(*wire.BUS, "RequestName", "su", application, 4)
            if owned.values != [1]:
                raise RuntimeError(f"{application} is still on the bus")
            options = dict(window=("u", 64), fd=("b", True))
            self.connection.ask("Schemes1", "Register", "sasa{sv}", application, ["x-" + application], options)
        last = {}
        while waiting:
            try:
                call = self.connection.wait_call("OpenURL", 20)
            except TimeoutError:
                raise Broken(f"the requests {sorted(waiting)} are queued, and are not delivered") from None
            id, url, context = call.values
            operation = waiting.pop(id, None)
            items = unmarshalled(context["items"], call)
            self.connection.reply(call, "sa{sv}", "handled", {})
            if operation is None:
                continue
            if items != operation.items or url != f"x-load:{id}":
                raise Broken(f"request {id} is delivered with {shown(items)} in place of {shown(operation.items)}")
            if context["attempt"] <= self.attempts.get(id, 0):
                raise Broken(f"request {id} is delivered as attempt {context['attempt']}, which was seen before")
            queue = (operation.application, id.partition("-")[0])
            if operation.number < last.get(queue, -1):
                raise Broken(f"request {id} is delivered after number {last[queue]} of its queue")
            last[queue] = operation.number

    def check_count(self):
        """The next change count is greater than all that were acknowledged."""
        answer = self.connection.wait(self.connection.pasteboard(
            "after", "SetItems", "aa(sv)a{sv}", [[(TEXT, ("s", "after"))]], dict(create=("b", True))))
        if answer.kind != wire.RETURN:
            raise Broken(f"the broker takes no write after the failure: {answer.text}")
        counts = [op.count for op in self.load.operations if op.count and self.fate(op) == ACKNOWLEDGED]
        if answer.values[0] <= max(counts, default=0):
            raise Broken(f"change count {answer.values[0]} follows the acknowledged count {max(counts)}")


def marshalled(items):
    """The items as values of a message, and the descriptors of large ones, which the caller closes."""
    rows, descriptors = [], []
    for item in items:
        row = []
        for type, value in item:
            if len(value) > 65_536:
                descriptors.append(os.memfd_create("load"))
                os.write(descriptors[-1], value)
                row.append((type, ("h", len(descriptors) - 1)))
            else:
                row.append((type, ("s", value.decode()) if type == TEXT else ("ay", value)))
        rows.append(row)
    return rows, descriptors


def unmarshalled(rows, message):
    """The items of a message, with the content of its descriptors, which are closed."""
    try:
        contents = [os.pread(descriptor, os.fstat(descriptor).st_size, 0) for descriptor in message.descriptors]
    finally:
        release(message)

    def bytes_of(value):
        # A variant is read as its value.
        return contents[value] if isinstance(value, int) else value.encode() if isinstance(value, str) else value

    return tuple(tuple((type, bytes_of(value)) for type, value in row) for row in rows)


def release(message):
    for descriptor in message.descriptors:
        os.close(descriptor)
    message.descriptors = []


def shown(items, count=None):
    """A short description of items for messages."""
    if items is None:
        return "no pasteboard"
    text = "; ".join(" ".join(f"{len(value)} bytes {value[:6].hex()}" for _, value in item) for item in items)
    return f"[{text}]" + (f" at {count}" if count else "")
