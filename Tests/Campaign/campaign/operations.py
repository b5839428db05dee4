"""The operations of R2 and R3. Each is a generator: it sends calls, yields the serial number of each, and gets the
answer.

An operation leaves nothing that `Soak.clean` does not remove: it writes only to pasteboards in NAMES, closes its
descriptors and connections, and ends its claims.
"""

import os
import uuid

import wire

APPLICATION, SCHEME = "com.example.Soak", "soak"
PERSISTENT = [f"soak.persistent{number}" for number in range(12)]
MEMORY = [f"soak.memory{number}" for number in range(12)]
NAMES = PERSISTENT + MEMORY
# Other workers may have removed, emptied or changed the pasteboard in the meantime.
RACES = ("NoSuchPasteboard", "NoSuchItem", "ChangeCountMismatch")


class Worker:
    """A peer that carries out one operation at a time, on the bus or on a direct connection."""

    def __init__(self, path, number, random):
        self.path, self.number, self.random = path, number, random
        self.doing, self.operation, self.serial = None, None, None
        self.join()

    @property
    def is_waiting(self):
        return self.serial is not None

    def join(self):
        self.bus = self.connection = wire.Connection(self.path)

    def leave(self):
        if self.connection is not self.bus:
            self.connection.owner = None
            self.connection.close()
        self.bus.close()

    def go_direct(self):
        self.connection = self.bus.direct()

    def begin(self, kinds):
        kind = self.random.choices(list(kinds), kinds.values())[0]
        self.doing, self.operation = kind.__name__, kind(self)
        self.proceed(None)

    def receive(self):
        """Takes what has arrived, and continues the operation if it is the awaited answer."""
        self.connection.receive()
        self.connection.sort()
        self.connection.others.clear()
        while answer := self.connection.replies.pop(self.serial, None):
            self.proceed(answer)

    def proceed(self, answer):
        try:
            self.serial = self.operation.send(answer)
        except StopIteration:
            self.serial = None

    # What operations are made of

    def board(self):
        """A pasteboard, and the options that create it with its first items."""
        name = self.random.choice(NAMES)
        return name, {"create": ("b", True), "persistent": ("b", name in PERSISTENT)}

    def text(self, most=2_000):
        return "x" * self.random.randrange(1, most)

    def right(self, answer, *errors):
        """Checks that an answer is a result, or one of these errors."""
        if answer.kind == wire.ERROR and not any(answer.error.endswith(f".{name}") for name in errors):
            raise AssertionError(f"{self.doing}: {answer.text}")
        for descriptor in answer.descriptors:
            os.close(descriptor)
        return answer.kind == wire.RETURN


def write(worker):
    name, options = worker.board()
    items = [[("text/plain", ("s", worker.text())), ("a/b", ("ay", b"y" * 50))]] * worker.random.randrange(1, 4)
    if worker.random.random() < 0.3:
        options["id"] = ("s", uuid.UUID(int=worker.random.getrandbits(128)).hex)
    worker.right((yield worker.connection.pasteboard(name, "SetItems", "aa(sv)a{sv}", items, options)))


def add(worker):
    name, options = worker.board()
    answer = yield worker.connection.pasteboard(name, "AddItems", "aa(sv)a{sv}", [[("a/b", ("ay", b"z"))]], options)
    worker.right(answer)


def write_blob(worker):
    """Writes large values, inline or by descriptor."""
    name, options = worker.board()
    size, connection = worker.random.randrange(70_000, 600_000), worker.connection
    if worker.random.random() < 0.5:
        items = [[("a/b", ("ay", os.urandom(16) * (size // 16)))]]
        worker.right((yield connection.pasteboard(name, "SetItems", "aa(sv)a{sv}", items, options)))
        return
    file = os.memfd_create("value")
    os.write(file, os.urandom(16) * (size // 16))
    serial = connection.pasteboard(
        name, "SetItems", "aa(sv)a{sv}", [[("a/b", ("h", 0))]], options, descriptors=[file])
    os.close(file)
    worker.right((yield serial))


def read(worker):
    options = {"fd": ("b", worker.random.random() < 0.5)}
    answer = yield worker.connection.pasteboard(worker.board()[0], "GetItems", "a{sv}", options)
    worker.right(answer, *RACES)


def take(worker):
    options = {"take": ("b", True), "fd": ("b", True), "id": ("s", uuid.UUID(int=worker.random.getrandbits(128)).hex)}
    worker.right((yield worker.connection.pasteboard(worker.board()[0], "GetItems", "a{sv}", options)), *RACES)


def write_secret(worker):
    """Writes a version that one reader gets, or that expires soon."""
    name, options = worker.board()
    options[worker.random.choice(["sensitive", "once"])] = ("b", True)
    options["time-to-live"] = ("t", worker.random.randrange(1, 200))
    items = [[("text/plain", ("s", worker.text()))]]
    worker.right((yield worker.connection.pasteboard(name, "SetItems", "aa(sv)a{sv}", items, options)))


def clear(worker):
    worker.right((yield worker.connection.pasteboard(worker.board()[0], "Clear", "a{sv}", {})), *RACES)


def remove(worker):
    worker.right((yield worker.connection.broker(
        "Pasteboards1", "RemovePasteboard", "sa{sv}", worker.board()[0], {})), *RACES)


def watch(worker):
    """Waits for a change, of one pasteboard or of all, for some milliseconds."""
    names = worker.random.choice([[], [worker.board()[0]]])
    answer = yield worker.connection.broker("Pasteboards1", "WaitForChange", "asta{sv}", names, 0, {
        "timeout": ("u", 0)})
    worker.right(answer)
    answer = yield worker.connection.broker("Pasteboards1", "WaitForChange", "asta{sv}", names, answer.values[0], {
        "timeout": ("u", worker.random.randrange(1, 20))})
    worker.right(answer)


def open_queued(worker):
    options = {"queue": ("b", True), "items": ("aa(sv)", [[("text/plain", ("s", worker.text()))]])}
    answer = yield worker.connection.broker("URLs1", "OpenURL", "sa{sv}", f"{SCHEME}:x", options)
    worker.right(answer)
    id = answer.values[0]["id"]
    worker.right((yield worker.connection.broker("URLs1", "WaitRequest", "sa{sv}", id, {})))
    if worker.random.random() < 0.3:
        worker.right((yield worker.connection.broker("URLs1", "DropRequest", "sa{sv}", id, {})))


def open_waiting(worker):
    """Opens a URL of the handler or of `ipc-server`, sometimes with an id or a pasteboard."""
    options = {"items": ("aa(sv)", [[("text/plain", ("s", worker.text()))]])}
    if worker.random.random() < 0.3:
        options["id"] = ("s", uuid.UUID(int=worker.random.getrandbits(128)).hex)
    if worker.random.random() < 0.3:
        options["pasteboard"] = ("s", worker.random.choice(PERSISTENT))
    url = worker.random.choice([f"{SCHEME}:y", "ipcserver.demo:y"])
    worker.right((yield worker.connection.broker("URLs1", "OpenURL", "sa{sv}", url, options)))


def cancel(worker):
    """Queues a request for an application that does not run, and cancels it."""
    options = {"queue": ("b", True), "application": ("s", "com.example.Absent")}
    answer = yield worker.connection.broker("URLs1", "OpenURL", "sa{sv}", "absent:x", options)
    worker.right(answer)
    id = answer.values[0]["id"]
    worker.right((yield worker.connection.broker("URLs1", "CancelRequest", "sa{sv}", id, {})))
    worker.right((yield worker.connection.broker("URLs1", "TraceRequest", "sa{sv}", id, {})))


def register(worker):
    """Claims a scheme and chooses a default, and undoes both."""
    application = f"com.example.Worker{worker.number}"
    for member, signature, *values in (
            ("Register", "sasa{sv}", application, ["worked"], {"persistent": ("b", True)}),
            ("SetDefault", "ssa{sv}", "worked", application, {}),
            ("ResolveURL", "sa{sv}", "worked:x", {}),
            ("SetDefault", "ssa{sv}", "worked", "", {}),
            ("Unregister", "sasa{sv}", application, [], {})):
        worker.right((yield worker.connection.broker("Schemes1", member, signature, *values)))


def fail(worker):
    """Calls that fail, each in its own way."""
    connection, general = worker.connection, worker.board()[0]
    for serial, error in (
            (connection.broker("Pasteboards1", "GetPasteboard", "sa{sv}", "soak.absent", {}), "NoSuchPasteboard"),
            (connection.broker("URLs1", "OpenURL", "sa{sv}", "no scheme", {}), "InvalidURL"),
            (connection.broker("URLs1", "WaitRequest", "sa{sv}", "a" * 32, {}), "NoSuchRequest"),
            (connection.pasteboard(general, "SetItems", "aa(sv)a{sv}", [[]], {}), "InvalidArguments"),
            (connection.pasteboard(general, "GetItems", "s", "x"), "InvalidArguments"),
            (connection.broker("Pasteboards1", "NoSuchMethod", ""), "UnknownMethod")):
        answer = yield serial
        if answer.kind != wire.ERROR or error not in answer.error and "NoSuch" not in answer.error:
            raise AssertionError(f"fail: {error} was expected, not {answer.text or answer.values}")


def introspect(worker):
    for path in (wire.BROKER_PATH, wire.BROKER_PATH + "/pasteboards"):
        worker.right((yield worker.connection.call(
            wire.BROKER, path, "org.freedesktop.DBus.Introspectable", "Introspect")))
    worker.right((yield worker.connection.broker("Pasteboards1", "ListPasteboards", "a{sv}", {})))
    worker.right((yield worker.connection.broker("URLs1", "ListRequests", "a{sv}", {})))


def come_again(worker):
    """Leaves the bus with a call in flight, and comes again: on the bus, or on a direct connection."""
    worker.connection.broker("Pasteboards1", "CreateUniquePasteboard", "a{sv}", {})
    worker.connection.broker("Pasteboards1", "WaitForChange", "asta{sv}", ["soak.absent"], 0, {})
    worker.leave()
    worker.join()
    if worker.random.random() < 0.5:
        worker.go_direct()
    worker.right((yield worker.connection.broker("Broker1", "Describe", "a{sv}", {})))


# How often each kind comes, compared with the others.
KINDS = {
    write: 20, add: 6, write_blob: 6, read: 15, take: 6, write_secret: 4, clear: 3, remove: 3, watch: 8, open_queued: 8,
    open_waiting: 12, cancel: 2, register: 2, fail: 4, introspect: 2, come_again: 3}
