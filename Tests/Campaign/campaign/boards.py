"""Clients that change, read and watch pasteboards over raw connections, and record what they saw (see linear.py)."""

import contextlib
import os
import random
import re
import select
import time

import wire
from campaign import buses, linear
from campaign.linear import ABSENT, ADD, GET, MISMATCH, OK, REMOVE, SET, SWAP, TAKE, Operation, Watch
from campaign.shard import Broken

TEXT = "text/plain;charset=utf-8"
# The errors that a call can end with when the broker or its connection ends. The call is then repeated with its id.
LOST = ("org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.Disconnected")
STATES = {"org.swiftipc.Error.ChangeCountMismatch": MISMATCH, "org.swiftipc.Error.NoSuchPasteboard": ABSENT}
# How often each kind of call is made, of 100. A compare-and-set has a further chance after each answer.
MIX = {SET: 10, ADD: 14, TAKE: 8, GET: 22, SWAP: 44, REMOVE: 2}


class Line:
    """A connection to the broker, over the bus or direct, which continues after the broker was killed."""

    def __init__(self, path, is_direct, outlives_bus=False):
        self.path, self.is_direct, self.outlives_bus = path, is_direct, outlives_bus
        self.bus = self.direct = None
        self.flying, self.again, self.failed = {}, [], 0
        if outlives_bus:
            self.open_again()
        else:
            self.open()

    def open(self):
        """Connects to the bus, and learns who the broker is, now and later."""
        self.bus = wire.Connection(self.path)
        rule = f"type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{wire.BROKER}'"
        self.bus.request(*wire.BUS, "AddMatch", "s", rule)
        reply = self.bus.request(*wire.BUS, "GetNameOwner", "s", wire.BROKER)
        self.owner = reply.values[0] if reply.kind == wire.RETURN else ""
        self.reach()
        self.notice()

    @property
    def is_here(self):
        return bool(self.owner)

    def open_again(self):
        """Waits for the bus, if there is none now."""
        self.owner, self.direct = "", None
        # The bus may be killed between the two.
        for _ in range(50):
            buses.wait_for(self.path)
            with contextlib.suppress(OSError, wire.Gone):
                return self.open()
        raise Broken("the bus is there, but takes no connections")

    def reach(self):
        """Opens the direct connection, if this line has one and the broker is there."""
        if self.is_direct and self.is_here and not self.direct:
            with contextlib.suppress(IndexError, wire.Gone, OSError):
                self.direct = self.bus.direct()

    @property
    def wire(self):
        """Where calls go now; `None` while the broker is away."""
        return (self.direct if self.is_direct else self.bus) if self.is_here else None

    def connections(self):
        return [each for each in (self.bus, self.direct) if each]

    def receive(self, connection):
        """Reads what has arrived; returns the answers, as pairs of what was asked and the message."""
        try:
            connection.receive()
        except wire.Gone:
            lost, self.flying = list(self.flying.values()), {}
            self.again += lost
            if connection is not self.bus:
                self.direct = None
                self.reach()
                self.notice()
            elif self.outlives_bus:
                self.open_again()
            else:
                raise Broken("the bus closed the connection of a client") from None
            return []
        return self.answers(connection)

    def answers(self, connection):
        connection.sort()
        answered = []
        if connection is self.wire or connection is self.bus:
            for serial in [serial for serial in connection.replies if (id(connection), serial) in self.flying]:
                message, asked = connection.replies.pop(serial), self.flying.pop((id(connection), serial))
                if message.kind == wire.ERROR and message.error in LOST:
                    self.again.append(asked)
                else:
                    answered.append((asked, message))
        self.notice()
        return answered

    def notice(self):
        """Follows the owner of the broker's name. The signal may arrive while another answer is awaited."""
        while self.bus.others:
            message = self.bus.others.pop(0)
            if message.kind == wire.SIGNAL and message.member == "NameOwnerChanged":
                self.owner = message.values[2]
                self.reach()

    def send(self, asked, make):
        """Makes a call: `make` gets the connection, and returns the serial number of the call. If the connection is
        closed, its next read shows that, and the call counts as lost."""
        try:
            serial = make(self.wire)
        except (BrokenPipeError, ConnectionResetError):
            self.failed += 1
            serial = -self.failed
        self.flying[id(self.wire), serial] = asked


class Client:
    """Makes random calls to pasteboards, several at a time."""

    def __init__(self, path, number, count, names, load, seed):
        self.random = random.Random(f"{seed} client {number}")
        self.number, self.names, self.load = number, names, load
        self.left, self.depth = count, self.random.choice(load.depths)
        self.line = Line(path, load.direct and number % 2 == 1)
        self.known, self.operations = {}, []

    @property
    def is_done(self):
        return not self.left and not self.line.flying and not self.line.again

    def fill(self):
        line = self.line
        while line.wire and line.again:
            each = line.again.pop(0)
            # A removal has no id. If its answer is lost, nobody knows whether it removed the pasteboard.
            if each.kind != REMOVE:
                self.send(each)
        while line.wire and self.left and len(line.flying) < self.depth:
            self.left -= 1
            each = self.choose()
            self.operations.append(each)
            self.send(each)

    def choose(self):
        draw = self.random
        board = draw.choice(self.names)
        kind = draw.choices(list(MIX), list(MIX.values()))[0]
        if kind == REMOVE and not self.load.removes:
            kind = GET
        if kind == SWAP:
            # The version that this client saw last has the best chance to be still there.
            board = next(reversed(self.known)) if self.known and draw.random() < 0.9 else board
            if board not in self.known:
                kind = GET
        number = len(self.operations)
        each = Operation(self.number, number, kind, board)
        if kind in linear.MAKERS:
            each.token = f"{self.number}.{number}"
        if kind == SWAP:
            each.expected = self.known.pop(board)
        if self.load.repeats and kind not in (GET, REMOVE):
            each.id = f"{draw.getrandbits(128):032x}"
        return each

    def send(self, each):
        options = {"id": ("s", each.id)} if each.id else {}
        items = [[(TEXT, ("s", each.token))]]
        if each.kind in (SET, ADD):
            options |= {"create": ("b", 1), "persistent": ("b", each.board.startswith("p"))}
        if each.kind == SWAP:
            options["if-change-count"] = ("t", each.expected)
        if each.kind == TAKE:
            options["take"] = ("b", 1)
        each.begin = each.begin or time.monotonic_ns()
        if each.kind == REMOVE:
            self.line.send(each, lambda to: to.broker("Pasteboards1", "RemovePasteboard", "sa{sv}", each.board, {}))
        elif each.kind in (GET, TAKE):
            self.line.send(each, lambda to: to.pasteboard(each.board, "GetItems", "a{sv}", options))
        else:
            member = "AddItems" if each.kind == ADD else "SetItems"
            self.line.send(each, lambda to: to.pasteboard(each.board, member, "aa(sv)a{sv}", items, options))

    def take_in(self, each, message):
        each.end = time.monotonic_ns()
        if message.kind == wire.ERROR:
            each.state = STATES.get(message.error)
            if not each.state:
                raise Broken(f"{each} failed: {message.text}")
            if each.state == MISMATCH:
                each.count = self.actual(each, message)
        else:
            each.state = OK
            if each.kind != REMOVE:
                each.count = message.values[0]
            if each.kind in (GET, TAKE):
                each.items = [item[0][1] for item in message.values[1]]
        if each.count and not (each.kind == TAKE and each.items):
            self.known.pop(each.board, None)
            self.known[each.board] = each.count

    def actual(self, each, message):
        """The count that the pasteboard has, which the error names beside the expected one."""
        numbers = [int(number.replace(",", "")) for number in re.findall(r"\b\d[\d,]*", message.values[0])]
        others = [number for number in numbers if number != each.expected]
        if each.expected not in numbers or len(others) != 1:
            raise Broken(f"the error of {each} does not name both counts: {message.text}")
        return others[0]


class Load:
    """What the clients do: how many calls they have open at once, whether some use direct connections, whether they
    remove pasteboards, and whether they give ids to their calls, so that they can repeat them."""

    def __init__(self, direct=True, removes=True, repeats=False, depths=(1, 1, 2, 4)):
        self.direct, self.removes, self.repeats, self.depths = direct, removes, repeats, depths


def work(path, clients, counts, names, load, seed, progress):
    """Runs clients in one process to their end; returns their operations. Writes a byte to `progress` for each."""
    crowd = [Client(path, number, count, names, load, seed) for number, count in zip(clients, counts)]
    while not all(client.is_done for client in crowd):
        for client in crowd:
            client.fill()
        owners = {id(each): client for client in crowd if not client.is_done for each in client.line.connections()}
        open_now = [each for client in crowd if not client.is_done for each in client.line.connections()]
        ready = select.select(open_now, [], [], 30)[0]
        if not ready:
            raise Broken("no client got an answer for 30 s: " + "; ".join(
                str(each) for client in crowd for each in list(client.line.flying.values())[:1]))
        for connection in ready:
            client = owners[id(connection)]
            for each, message in client.line.receive(connection):
                client.take_in(each, message)
                os.write(progress, b".")
    # The reader of the progress must see its end before it waits for the result, which may be larger than a pipe.
    os.close(progress)
    return [each for client in crowd for each in client.operations]


class Watcher:
    """Calls WaitForChange again and again, each time from where the answer before it ended. After `MEMORY` answers,
    it forgets what it knows, and starts from 0."""
    MEMORY = 8

    def __init__(self, path, number, names, is_direct):
        self.number, self.names, self.seen = number, names, 0
        self.line = Line(path, is_direct)
        self.answers, self.view = [], {}

    def ask(self):
        asked = (self.seen, time.monotonic_ns())
        self.line.send(asked, lambda to: to.broker(
            "Pasteboards1", "WaitForChange", "asta{sv}", self.names, self.seen, {"timeout": ("u", 20_000)}))

    def take_in(self, asked, message):
        if message.kind == wire.ERROR:
            raise Broken(f"WaitForChange failed: {message.text}")
        reached, changed, facts = message.values
        if facts.get("resync"):
            raise Broken(f"watcher {self.number} had to read everything again, although few pasteboards were removed")
        seen, begin = asked
        before = self.view if seen else dict.fromkeys(self.names, 0)
        self.view = before | dict(changed)
        self.answers.append(Watch(
            self.number, len(self.answers), self.names, seen, begin, time.monotonic_ns(), reached, dict(changed),
            self.view))
        self.seen = reached if len(self.answers) % self.MEMORY else 0


def watch(path, first, groups, last, is_direct):
    """Runs watchers until each has seen a change of the pasteboard `last`. Returns their answers and their views."""
    crowd = [Watcher(path, first + place, [*names, last], is_direct and place % 2 == 1)
             for place, names in enumerate(groups)]
    while active := [watcher for watcher in crowd if not watcher.view.get(last)]:
        for watcher in active:
            if watcher.line.wire and not watcher.line.flying:
                watcher.line.again.clear()
                watcher.ask()
        owners = {id(each): watcher for watcher in active for each in watcher.line.connections()}
        open_now = [each for watcher in active for each in watcher.line.connections()]
        for connection in select.select(open_now, [], [], 30)[0]:
            watcher = owners[id(connection)]
            for asked, message in watcher.line.receive(connection):
                watcher.take_in(asked, message)
    return [answer for watcher in crowd for answer in watcher.answers], [watcher.view for watcher in crowd]
