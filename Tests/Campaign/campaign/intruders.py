"""Callers that must not get what they ask for: sandboxed, gone before the answer, another user, or a forger."""

import contextlib
import ctypes
import json
import os
import pathlib
import select
import socket
import time
import traceback

import wire

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE, PTRACE_ATTACH = 0x20000, 4096, 16384, 1 << 18, 16
NOBODY = 65534
# The folder of the bus's socket, and /proc, which a process in a sandbox does not see; `Sandbox.enter` opens them.
BUS = PROC = None
INFO = "[Application]\nname=org.example.App\nruntime=runtime/org.example.Platform/x86_64/1\n"


class Sandbox:
    """Runs functions in processes whose root directory is a folder with `.flatpak-info`, as in a Flatpak.

    - info: the content of that file; `None` for a process with another root directory that is in no sandbox.
    - mounts: whether the folder is a mount of its own, in a mount namespace of the process.
    """

    def __init__(self, place, info=INFO, mounts=False, name="sandbox"):
        self.place, self.mounts = place, mounts
        self.root = place.folder / f"{name}-{len(list(place.folder.glob(name + '-*')))}"
        self.root.mkdir(mode=0o755)
        if info is not None:
            (self.root / ".flatpak-info").write_text(info)

    def start(self, function, *arguments, user=None):
        """Starts a function in the sandbox; returns its process and a file with its result as JSON."""
        reads, writes = os.pipe()
        pid = os.fork()
        if pid:
            os.close(writes)
            return pid, os.fdopen(reads)
        code = 1
        try:
            self.enter(user)
            result = json.dumps(function(*arguments))
            with os.fdopen(writes, "w") as file:
                file.write(result)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def run(self, function, *arguments, **options):
        pid, file = self.start(function, *arguments, **options)
        with file:
            text = file.read()
        _, status = os.waitpid(pid, 0)
        if status or not text:
            raise RuntimeError(f"{function.__name__} ended in its sandbox with the status {status}")
        return json.loads(text)

    def enter(self, user):
        """The socket of the bus stays within reach, as `bus` in the current folder."""
        global BUS, PROC
        BUS, PROC = os.open(self.place.folder, os.O_RDONLY), os.open("/proc", os.O_RDONLY)
        if self.mounts:
            root = os.fsencode(self.root)
            if (LIBC.unshare(CLONE_NEWNS) or LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
                    or LIBC.mount(root, root, None, MS_BIND, None)):
                raise OSError(ctypes.get_errno(), "no mount namespace")
        os.chroot(self.root)
        os.fchdir(BUS)
        if user:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)


class Batch(wire.Connection):
    """Collects messages in place of sending them."""

    def __init__(self):
        self.serial, self.data = 0, bytearray()

    def send(self, data, descriptors=()):
        self.data += data


def direct(connection):
    """A direct connection to the broker, for a process without /proc in its root directory."""
    reply = connection.request(wire.BROKER, wire.BROKER_PATH, wire.BROKER, "Connect", "a{sv}", {})
    if reply.kind == wire.ERROR:
        return None
    os.fchdir(PROC)
    made = wire.Connection(f"self/fd/{reply.descriptors[0]}")
    os.close(reply.descriptors[0])
    os.fchdir(BUS)
    made.owner = connection
    return made


def from_descriptor(descriptor, serial=1_000):
    """A connection over a socket on which another process has said hello."""
    connection = wire.Connection.__new__(wire.Connection)
    connection.socket = socket.socket(fileno=descriptor)
    connection.serial, connection.buffer, connection.descriptors = serial, bytearray(), []
    connection.replies, connection.others, connection.name = {}, [], None
    return connection


def greeting():
    """All bytes from the start of a connection to its first call, sent without waiting for an answer."""
    batch = Batch()
    batch.call(*wire.BUS, "Hello")
    return (b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n"
            + batch.data)


def wait_for_tick():
    """Waits until the clock in which the kernel gives the start of processes has advanced."""
    def ticks():
        return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))
    now = ticks()
    while ticks() <= now:
        time.sleep(0.001)


@contextlib.contextmanager
def reused_number(number):
    """Gives the number of a process that has ended to a new process of this user, outside of any sandbox."""
    lives, stays = os.pipe()
    deadline = time.monotonic() + 20
    while True:
        with open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(number - 1))
        pid = os.fork()
        if pid == 0:
            os.close(stays)
            if os.getpid() == number:
                os.read(lives, 1)
            os._exit(0)
        if pid == number:
            break
        os.waitpid(pid, 0)
        if time.monotonic() > deadline:
            raise RuntimeError(f"the process number {number} is not free")
    try:
        yield
    finally:
        os.close(stays)
        os.close(lives)
        os.waitpid(number, 0)


def leave_connection(sandbox):
    """A process in the sandbox connects and ends; returns its number and its connection, which another one has."""
    here, there = socket.socketpair()

    def connect():
        connection = wire.Connection("bus")
        socket.send_fds(there, [connection.name.encode()], [connection.fileno()])
        return True
    pid, file = sandbox.start(connect)
    name, descriptors, _, _ = socket.recv_fds(here, 100, 1)
    file.close()
    os.waitpid(pid, 0)
    here.close()
    there.close()
    connection = from_descriptor(descriptors[0])
    connection.name = name.decode()
    return pid, connection


def as_user(user, function):
    """Runs a function in a process of another user; returns its result."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        try:
            result = function()
        except OSError as error:
            result = f"error {error.strerror}"
        os.write(writes, json.dumps(result).encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as file:
        result = file.read()
    os.waitpid(pid, 0)
    return json.loads(result)


def signals_forged(connection, destination, old, count=1):
    """Signals as the bus sends them, to one receiver or to all: the owners of names have left, or this connection owns
    their names now. `old` has the owner of each name."""
    changes = [(name, owner, after) for name, owner in old.items() for after in (connection.name, "")]
    changes += [(owner, owner, "") for owner in old.values()]
    for _ in range(count):
        for name, before, after in changes:
            connection.message(
                wire.SIGNAL, "sss", wire.body("sss", name, before, after), destination=destination,
                path="/org/freedesktop/DBus", interface="org.freedesktop.DBus", member="NameOwnerChanged")


def replies_forged(connection, destination, serials, signature="sa{sv}", *values):
    """Answers to calls that this connection never got."""
    data = wire.body(signature, *(values or ("handled", {})))
    for serial in serials:
        connection.message(wire.RETURN, signature, data, destination=destination, reply_serial=serial)


def drain(connection):
    """Reads and forgets what has arrived, such as the bus's errors for messages that it rejects."""
    with contextlib.suppress(wire.Gone):
        while select.select([connection.socket], [], [], 0)[0]:
            connection.receive()
            connection.sort()


def spellings(secret):
    """A secret in the encodings in which a program could write it."""
    import base64
    raw = secret.encode()
    return [raw, raw.hex().encode(), base64.b64encode(raw)[:-4], secret.encode("utf-16-le")]


def places_of(secret, folder):
    """The files below a folder that contain a secret in any encoding."""
    wanted, found = spellings(secret), []
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            found += [str(path.relative_to(folder)) for text in wanted if text in data][:1]
    return found
