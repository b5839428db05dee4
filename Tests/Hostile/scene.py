"""A bus and a broker for one attack, with honest programs on them; it measures the effects of the attack."""

import gc
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import wire
from campaign import buses


class Scene:
    """The environment of an attack. `programs` is the folder of the programs, `tools` that of the observer; `size` is
    `small` or `full`; `bus` and `limits` decide which message bus is used, as in `buses.Bus`."""

    # mallopt(3): after freeing a large block, glibc keeps up to twice its size for the next one. With these
    # settings, a program returns freed memory and grows only by what it holds, which is what the bound is for.
    GIVES_BACK = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
    # How long the broker may take to release what is no longer used (I17).
    QUIET_SECONDS = 1

    def __init__(self, programs, tools, attack, size, bus="daemon", limits="stock"):
        self.programs, self.tools = pathlib.Path(programs), pathlib.Path(tools)
        self.attack, self.size = attack, size
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hostile-", dir=os.environ.get("TMPDIR", "/var/tmp")))
        self.environment = dict(
            PATH=os.environ["PATH"], HOME=str(self.folder), XDG_RUNTIME_DIR=str(self.folder), LANG="C.UTF-8",
            XDG_DATA_HOME=str(self.folder / "data"), XDG_CONFIG_HOME=str(self.folder / "config"),
            DBUS_SESSION_BUS_ADDRESS=f"unix:path={self.folder / 'bus'}", PYTHONDONTWRITEBYTECODE="1")
        self.limits = limits
        self.bus = buses.Bus(bus, limits, self.folder, self.environment | self.GIVES_BACK)
        self.path = self.bus.path
        self.processes = []
        self.facts, self.broken = {}, []

    def full(self, full, small):
        """Selects one of two values by the size of the run."""
        return full if self.size == "full" else small

    @property
    def most_unread(self):
        """How many answers a caller on the bus may leave unread. dbus-broker counts them towards a quota of the user, and
        disconnects receivers, also honest ones, when it is used up."""
        return float("inf") if self.bus.kind == "daemon" else 20_000

    def note(self, **facts):
        """Adds figures from the attack itself to the report."""
        self.facts |= facts

    def expect(self, condition, sentence):
        """Checks a bound of this attack; `sentence` reports that it is broken."""
        if not condition:
            self.broken.append(sentence)

    def start(self, *command, nofile=None, environment={}, **options):
        def limit():
            if nofile:
                resource.setrlimit(resource.RLIMIT_NOFILE, (nofile, nofile))
        process = subprocess.Popen(
            [str(word) for word in command], env=self.environment | environment, preexec_fn=limit,
            text=True, **dict(dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE), **options))
        self.processes.append(process)
        return process

    def __enter__(self):
        log = open(self.folder / "log", "w")
        self.bus.start()
        limits = [f"--limit={name}={value}" for name, value in getattr(self.attack, "LIMITS", {}).items()]
        self.broker = self.start(
            self.programs / "ipc-broker", "--log-level", "error", *limits, stderr=log, stdout=log,
            nofile=getattr(self.attack, "NOFILE", None))
        self.witness = self.connect()
        self.wait_for_name(self.witness, wire.BROKER)
        # A program that uses the library. It must stay on the bus during the attack.
        self.server = self.start(self.programs / "ipc-server", stderr=log, stdout=log)
        self.server_name = self.wait_for_name(self.witness, "demo.IPCServer")
        self.observer = self.start(
            sys.executable, self.tools / "observer.py", self.path, self.broker.pid, self.bus.pid, stdin=subprocess.PIPE)
        if self.observer.stdout.readline() != "ready\n":
            raise RuntimeError("the honest clients could not begin")
        self.before = self.footprint()
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        self.bus.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def connect(self):
        deadline = time.monotonic() + 20
        while True:
            try:
                return wire.Connection(self.path)
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def wait_for_name(self, connection, name):
        """Returns the owner of a name, which must appear within 20 s."""
        deadline = time.monotonic() + 20
        while (reply := connection.request(*wire.BUS, "GetNameOwner", "s", name)).kind == wire.ERROR:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{name} is not on the bus: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.01)
        return reply.values[0]

    # What the broker holds

    def footprint(self):
        """What must be the same before and after an attack."""
        names = self.witness.request(*wire.BUS, "ListNames").values[0]
        return dict(
            connections=sum(name.startswith(":") for name in names), descriptors=descriptors(self.broker.pid),
            threads=len(os.listdir(f"/proc/{self.broker.pid}/task")))

    def left_over(self):
        """What is still held 1 s after the last connection of the attack has left the bus; a sentence for each kind."""
        gc.collect()
        if self.broker.poll() is not None:
            return []
        # The broker learns that a connection has left before it answers a later call.
        self.witness.ask("Broker1", "Describe", "a{sv}", {})
        begin = time.monotonic()
        while True:
            now = self.footprint()
            more = {kind: now[kind] - self.before[kind] - self.tolerated(kind) for kind in now}
            if max(more.values()) <= 0 or time.monotonic() > begin + self.QUIET_SECONDS:
                break
            # No event reports that another process has closed a descriptor.
            time.sleep(0.005)
        self.note(quiet_ms=round((time.monotonic() - begin) * 1_000), threads=now["threads"])
        return [f"{count} {kind} are left after {self.QUIET_SECONDS} s of quiet" for kind, count in more.items()
                if count > 0]

    @staticmethod
    def tolerated(kind):
        """The Swift runtime keeps the threads that it has started, at most one for each core."""
        return os.cpu_count() if kind == "threads" else 0

    # The result

    def phase(self):
        """The waits of the honest clients since the last phase, and the growth of broker and bus."""
        self.observer.stdin.write("\n")
        self.observer.stdin.flush()
        return json.loads(self.observer.stdout.readline())

    def result(self):
        """The effects of the attack, with a message for each broken bound."""
        left_over = self.left_over()
        out, _ = self.observer.communicate()
        seen = json.loads(out.splitlines()[-1])
        bounds = dict(wait=250, broker=64, bus=64) | getattr(self.attack, "BOUNDS", {})
        is_limited = hasattr(self.attack, "LIMIT")
        if self.bus.kind != "daemon" or is_limited:
            # dbus-broker reports no sizes that the broker could limit, and has limits of its own (I16).
            bounds["bus"] = float("inf")
        broken = [f"the connection '{name}' of an honest client: {error}" for name, error in seen["cut"].items()]
        waits = {name: wait for name, wait in seen["waits"].items() if name != "bus"}
        # The queue of the bus is its memory, and may delay its clients, but not those with a direct connection.
        longest = {name: wait["longest"] for name, wait in waits.items() if name == "direct" or not is_limited}
        if max(longest.values()) > bounds["wait"]:
            broken.append(f"an honest client waited {longest} ms, more than {bounds['wait']}")
        for name in ("broker", "bus"):
            if seen["grown"][name] > bounds[name]:
                broken.append(f"the {name} grew by {seen['grown'][name]} MiB, more than {bounds[name]}")
        broken += left_over + self.broken_programs()
        return dict(
            attack=self.attack.__name__.split(".")[-1], wait=max(longest.values()),
            p99=max(wait["p99"] for wait in waits.values()), waits=seen["waits"], grown=seen["grown"], **self.facts,
            broken=self.broken + broken)

    def broken_programs(self):
        broken = []
        try:
            # Wait briefly, because a broker that is shutting down counts as exited.
            return [f"the broker ended with {self.broker.wait(0.5)}"]
        except subprocess.TimeoutExpired:
            pass
        try:
            owner = self.witness.request(*wire.BUS, "GetNameOwner", "s", "demo.IPCServer")
            if owner.kind == wire.ERROR or owner.values[0] != self.server_name:
                broken.append("ipc-server lost its connection")
        except (OSError, wire.Gone, TimeoutError) as error:
            broken.append(f"an idle client lost its connection: {error!r}")
        sent = subprocess.run(
            [str(self.programs / "ipc-client"), "send", "after the attack"], env=self.environment, timeout=60,
            capture_output=True, text=True)
        if sent.returncode:
            broken.append(f"a request after the attack ended with {sent.returncode}: {sent.stderr.strip()}")
        return broken


def descriptors(pid):
    """The descriptors of the broker, which only root may count. An unprivileged scene keeps root as its saved user.
    Without root, the count is 0: it is not checked."""
    user = os.geteuid()
    try:
        os.seteuid(os.getresuid()[2])
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        return 0
    finally:
        os.seteuid(user)
