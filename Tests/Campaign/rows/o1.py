"""Exhausted memory loses nothing that was acknowledged, and no tool reports a success that was none.

A library lets one allocation, or all from one on, fail in the broker of the debug build at a point of a scenario
(start, set, add, take, send, queue, cancel, claim), or in a tool. The release broker reaches a limit of its address
space under load.
"""

import contextlib
import mmap
import re
import resource
import socket
import struct
import threading
import uuid

import wire
from campaign import preload, stored
from campaign.bench import Bench
from campaign.shard import Broken

INVARIANTS = (1, 2, 23)
UNIT = "points"
SIZES = dict(small=6, full=300)
SHARD = 100
BUSES = False
# The handler that is there, unlike stored.HANDLER.
LIVE = "demo.Live"
NEVER_AGAIN = 1 << 40
# The number of a point whose tool writes; see `tool_point`.
WRITING = 6


class Memory:
    """The numbers that a process shares with the library noalloc (see campaign/preload/noalloc.c)."""

    def __init__(self, folder):
        self.path = folder / "allocations"
        self.path.write_bytes(bytes(32))
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 32)
        self.environment = dict(LD_PRELOAD=str(preload.library("noalloc")), NOALLOC_FILE=str(self.path))

    def arm(self, first, count):
        """Lets allocations fail: the `first` one from now on, and the next `count - 1` ones."""
        self.map[:32] = struct.pack("<4Q", 0, first, count, 0)

    @property
    def counted(self):
        return struct.unpack("<4Q", self.map[:32])[0]

    @property
    def failed(self):
        return struct.unpack("<4Q", self.map[:32])[3]


class History:
    """The changes that a scenario makes, with what each has been answered."""

    def __init__(self):
        self.calls = []  # (kind, name, value, answered)

    def carry_out(self, connection, steps):
        """Makes the changes until the broker leaves."""
        for kind, name, value in steps:
            self.calls.append([kind, name, value, False])
            reply = connection.wait(self.call(connection, kind, name, value))
            # A send whose outcome could not be stored says so, and acknowledges nothing.
            self.calls[-1][3] = reply.kind == wire.RETURN and (
                kind != "send" or reply.values[0]["outcome"] == "handled")

    @staticmethod
    def call(connection, kind, name, value):
        items = [[(stored.TEXT, ("s", value))]]
        create = {"create": ("b", True)}
        if kind in ("set", "add"):
            member = {"set": "SetItems", "add": "AddItems"}[kind]
            return connection.pasteboard(name, member, "aa(sv)a{sv}", items, create)
        if kind == "take":
            return connection.pasteboard(name, "GetItems", "a{sv}", {"take": ("b", True)})
        if kind in ("queue", "send"):
            return connection.broker("URLs1", "OpenURL", "sa{sv}", f"campaign:{value}", {
                "id": ("s", name), "queue": ("b", kind == "queue"), "items": ("aa(sv)", items),
                "application": ("s", stored.HANDLER if kind == "queue" else LIVE)})
        if kind == "cancel":
            return connection.broker("URLs1", "CancelRequest", "sa{sv}", name, {})
        return connection.broker(
            "Schemes1", "Register", "sasa{sv}", name, [value], {"persistent": ("b", True)})

    def check(self, connection):
        """Everything that was acknowledged is there, and what was not is there completely or not at all."""
        boards = {}
        for kind, name, value, answered in self.calls:
            if kind in ("set", "add", "take"):
                boards.setdefault(name, []).append((kind, value, answered))
        for name, changes in boards.items():
            self.check_board(connection, name, changes)
        for kind, name, value, answered in self.calls:
            if kind in ("queue", "send"):
                outcome = {"handled"} if kind == "send" else self.outcomes(name)
                reply = connection.ask("URLs1", "GetRequest", "sa{sv}", name, {})
                self.judge(answered, reply, lambda: reply.values[0]["url"] == f"campaign:{value}" and (
                    not answered or reply.values[0]["outcome"] in outcome), f"request {name}")
            elif kind == "claim":
                handlers = connection.ask("Schemes1", "ListHandlers", "sa{sv}", value, {}).values[0]
                if answered and not any(facts["application"] == name for _, facts in handlers):
                    raise Broken(f"the acknowledged claim of {value!r} is lost")

    def outcomes(self, name):
        """What a queued request may have become: cancelled if this was acknowledged, or if it may have happened."""
        answers = [answered for kind, other, _, answered in self.calls if (kind, other) == ("cancel", name)]
        return {"cancelled"} if any(answers) else {"queued", "cancelled"} if answers else {"queued"}

    @staticmethod
    def check_board(connection, name, changes):
        """The content is one that the changes allow: each that was answered took effect, the others may have."""
        possible = {()}
        for kind, value, answered in changes:
            after = {{"set": (value,), "add": (*before, value), "take": ()}[kind] for before in possible}
            possible = after if answered else possible | after
        reply = connection.wait(connection.pasteboard(name, "GetItems", "a{sv}", {}))
        if reply.kind == wire.ERROR and not reply.error.endswith("NoSuchPasteboard"):
            raise Broken(f"the pasteboard {name!r} cannot be read: {reply.text}")
        found = () if reply.kind == wire.ERROR else tuple(item[0][1] for item in reply.values[1])
        if found not in possible:
            raise Broken(f"acknowledged content of {name!r} is lost: it has {[value[:20] for value in found]}, "
                         f"but the changes were {[(kind, value[:20], ok) for kind, value, ok in changes]}")

    @staticmethod
    def judge(answered, reply, is_right, what):
        if reply.kind == wire.ERROR:
            if answered or not reply.error.endswith("NoSuchRequest"):
                raise Broken(f"the {'acknowledged' if answered else ''} {what} is lost: {reply.text}")
        elif not is_right():
            raise Broken(f"the {what} is not as it was sent: {str(reply.values[0])[-500:]}")


@contextlib.contextmanager
def handler(bench):
    """A handler that answers each request."""
    connection = bench.connect()

    def answer():
        with contextlib.suppress(Exception):
            connection.request(*wire.BUS, "RequestName", "su", LIVE, 4)
            connection.ask("Schemes1", "Register", "sasa{sv}", LIVE, ["campaign.live"], {})
            ready.set()
            while True:
                connection.reply(connection.wait_call("OpenURL", 3_600), "sa{sv}", "handled", {})
    ready = threading.Event()
    answers = threading.Thread(target=answer, daemon=True)
    answers.start()
    ready.wait(2)
    yield
    connection.socket.shutdown(socket.SHUT_RDWR)
    answers.join()
    connection.close()


def steps(random):
    """A scenario: all kinds of changes, in an order that the seed determines."""
    found = []
    for number in range(14):
        queued = [name for kind, name, _ in found if kind == "queue"] or ["0" * 16]
        text = f"{number} " + random.choice(["short", "x" * 600, "y" * 20_000])
        board, name = f"board {number % 5}", str(uuid.UUID(int=random.getrandbits(128), version=4))
        found.append(random.choice([
            ("set", board, text), ("set", board, text), ("add", board, text), ("take", board, ""),
            ("queue", name, text), ("send", name, text),
            ("cancel", random.choice(queued), ""), ("claim", f"demo.Claims{number}", f"campaign{number}")]))
    return found


class Scenario:
    """Runs a scenario with failing allocations, and then checks the store with a broker that has memory."""

    def __init__(self, shard, bench, environment={}):
        self.shard, self.bench, self.environment = shard, bench, environment
        self.store = bench.folder / "store"
        self.memory = Memory(bench.folder)

    def measure(self):
        """How many allocations the start and the scenario make."""
        counts, history = [0, 0], History()
        self.run(history, steps(self.shard.random), "start", NEVER_AGAIN, 1, counts)
        self.check(history)
        self.bench.clear(self.store)
        return counts

    def run(self, history, what, phase, first, count, counts=None):
        """The allocations of one phase fail: those of the start, or those of the changes."""
        if phase == "start":
            self.memory.arm(first, count)
        else:
            self.memory.arm(0, 0)
        run = self.bench.begin(
            self.store, programs=self.shard.debug, environment=self.memory.environment | self.environment)
        if counts:
            counts[0] = self.memory.counted
        if run.serves:
            connection = self.bench.connect()
            if phase == "work":
                self.memory.arm(first, count)
            with contextlib.suppress(wire.Gone, TimeoutError), handler(self.bench):
                history.carry_out(connection, what)
            if counts:
                counts[1] = self.memory.counted - counts[0]
            connection.close()
        self.ended = run.process.poll()
        run.kill()
        return run

    def check(self, history):
        run = self.bench.begin(self.store)
        if not run.serves:
            raise Broken(f"the next start fails with {run.wait()}: {run.text[-1_000:]}")
        connection = self.bench.connect()
        history.check(connection)
        probe = stored.Content()
        probe.set(connection, "after", [[(stored.TEXT, "after")]])
        connection.close()
        code = run.stop()
        self.shard.expect(code == 0, f"the broker after it ended with {code}: {run.text[-1_000:]}")


def run(shard):
    with Bench(shard) as bench:
        scenario = Scenario(shard, bench)
        counts = scenario.measure()
        shard.worst(allocations_of_a_start=counts[0], allocations_of_the_work=counts[1])
        for number in range(shard.count):
            # Two thirds of the points are in the broker, a sixth each in the tools and at a limit of the address space.
            kind = (number + shard.number) % 6
            if kind == 4:
                tool_point(shard, bench, number)
            elif kind == 5:
                ceiling_point(shard, bench, scenario)
            else:
                broker_point(shard, scenario, counts, number)
            shard.done()


def broker_point(shard, scenario, counts, number):
    """Allocation N fails, where the points of all shards are spread evenly over the start and the work."""
    phase = "start" if number % 3 == 0 else "work"
    most = counts[phase == "work"]
    first = 1 + (number * most // shard.count + shard.random.randrange(1 + most // shard.count)) % most
    count = shard.random.choice([1, 1, 3, NEVER_AGAIN])
    history = History()
    try:
        run = scenario.run(history, steps(shard.random), phase, first, count)
        shard.add(**{f"{phase}_survived" if scenario.ended is None else f"{phase}_ended": 1})
        shard.expect(scenario.ended != 0, f"the broker ended with 0: {run.text[-1_000:]}")
        scenario.check(history)
    except Broken as error:
        raise Broken(f"after {count} failed allocations from number {first} of the {phase} on: {error}") from None
    finally:
        scenario.bench.clear(scenario.store)


# Tools

def tool_point(shard, bench, number):
    """An allocation fails in a tool. If the tool ends with 0, it has done what it was asked for."""
    memory = Memory(bench.folder)
    store = bench.folder / "store"
    broker = bench.begin(store)
    connection = bench.connect()
    stored.Content().set(connection, "readable", [[(stored.TEXT, "the value")]])
    tools = [(["get", "readable"], is_read), (["set", "written", "a new value"], is_written),
             (["get", "readable", "--take"], is_read), (["board", "list"], is_listed),
             (["broker", "describe"], is_described)]
    arguments, check = tools[number // 6 % len(tools)]
    memory.arm(0, 0)
    ended = call(bench, shard, memory, [word.replace("a new value", "an old value") for word in arguments])
    if ended[0] != 0:
        raise Broken(f"ipc-client {arguments} fails without a failed allocation: {ended}")
    most = memory.counted
    if "--take" in arguments:
        stored.Content().set(connection, "readable", [[(stored.TEXT, "the value")]])
    first, count = 1 + shard.random.randrange(most), shard.random.choice([1, 1, NEVER_AGAIN])
    memory.arm(first, count)
    code, out, errors = call(bench, shard, memory, arguments)
    shard.add(**{"tools_succeeded" if code == 0 else "tools_ended_by_signal" if code < 0 else "tools_failed": 1})
    if code == 0 and not check(out, connection):
        raise Broken(f"ipc-client {arguments} ends with 0 but has not done it, after {count} failed allocations from "
                     f"number {first} on: {out!r} {errors!r}")
    connection.close()
    broker.kill()
    bench.clear(store)


def call(bench, shard, memory, arguments):
    process = bench.start(shard.debug / "ipc-client", *arguments, environment=memory.environment, stderr=-1)
    out, errors = process.communicate(timeout=60)
    bench.processes.remove(process)
    return process.returncode, out, errors


def is_read(out, _):
    return out == b"the value"


def is_written(_, connection):
    reply = connection.wait(connection.pasteboard("written", "GetItems", "a{sv}", {}))
    return reply.kind == wire.RETURN and reply.values[1][0][0][1] == "a new value"


def is_listed(out, _):
    return b"readable" in out


def is_described(out, _):
    return b"features" in out


# A limit of the address space

def ceiling_point(shard, bench, scenario):
    """The release broker may take only a few MiB more than it has after its start, and gets more and more content."""
    room = shard.random.choice([1, 2, 4, 8, 16, 32]) << 20
    which = shard.random.choice([resource.RLIMIT_AS, resource.RLIMIT_DATA])
    run = bench.begin(scenario.store)
    sizes = dict(re.findall(r"Vm(Size|Data):\s+(\d+)", open(f"/proc/{run.process.pid}/status").read()))
    now = int(sizes["Size" if which == resource.RLIMIT_AS else "Data"]) << 10
    resource.prlimit(run.process.pid, which, (now + room, now + room))
    connection = bench.connect()
    history = History()
    changes = steps(shard.random) + [
        ("set", f"load {number}", "z" * shard.random.choice([50_000, 400_000, 3_000_000])) for number in range(24)]
    with contextlib.suppress(wire.Gone, TimeoutError), handler(bench):
        history.carry_out(connection, changes)
    connection.close()
    shard.add(**{"ceiling_survived" if run.serves else "ceiling_ended": 1})
    run.kill()
    try:
        scenario.check(history)
    except Broken as error:
        raise Broken(f"after {room >> 20} MiB more of memory: {error}") from None
    finally:
        bench.clear(scenario.store)


# Controls

def control_acknowledge_before_commit(shard):
    """A broker that answers before it commits loses an acknowledged change if memory ends in between."""
    with Bench(shard) as bench:
        scenario = Scenario(shard, bench, dict(SWIFT_IPC_TEST_CONTROL="acknowledge-before-commit"))
        counts = scenario.measure()
        for number in range(150):
            broker_point_of_control(shard, scenario, counts, number)


def broker_point_of_control(shard, scenario, counts, number):
    history = History()
    first = 1 + number * counts[1] // 150
    try:
        scenario.run(history, steps(shard.random), "work", first, NEVER_AGAIN)
        scenario.check(history)
    finally:
        scenario.bench.clear(scenario.store)


def control_success_of_a_failure(shard):
    """A tool that ends with 0 although it could not write."""
    global call
    right = call
    try:
        call = lambda *arguments: (0, *right(*arguments)[1:])
        with Bench(shard) as bench:
            for number in range(60):
                tool_point(shard, bench, WRITING)
    finally:
        call = right
