"""A bus and a broker for one attack, with honest programs on them; it measures the effects of the attack."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import wire


class Scene:
    """The environment of an attack. `programs` is the folder of the programs, `tools` that of the observer; `size` is
    `small` or `full`."""

    # mallopt(3): after freeing a large block, glibc keeps up to twice its size for the next one. With these
    # settings, a program returns freed memory and grows only by what it holds, which is what the bound is for.
    GIVES_BACK = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}

    def __init__(self, programs, tools, attack, size):
        self.programs, self.tools = pathlib.Path(programs), pathlib.Path(tools)
        self.attack, self.size = attack, size
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hostile-", dir=os.environ.get("TMPDIR", "/var/tmp")))
        self.path = str(self.folder / "bus")
        self.environment = dict(
            PATH=os.environ["PATH"], HOME=str(self.folder), XDG_RUNTIME_DIR=str(self.folder), LANG="C.UTF-8",
            XDG_DATA_HOME=str(self.folder / "data"), DBUS_SESSION_BUS_ADDRESS=f"unix:path={self.path}",
            PYTHONDONTWRITEBYTECODE="1")
        self.processes = []
        self.facts, self.broken = {}, []

    def full(self, full, small):
        """Selects one of two values by the size of the run."""
        return full if self.size == "full" else small

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
        self.bus = self.start(
            "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1",
            f"--address=unix:path={self.path}", stderr=log, environment=self.GIVES_BACK)
        self.bus.stdout.readline()
        limits = [f"--limit={name}={value}" for name, value in getattr(self.attack, "LIMITS", {}).items()]
        self.broker = self.start(
            self.programs / "ipc-broker", "--log-level", "error", *limits, stderr=log, stdout=log,
            nofile=getattr(self.attack, "NOFILE", None))
        witness = self.connect()
        self.wait_for_name(witness, wire.BROKER)
        # A program that uses the library. It must stay on the bus during the attack.
        self.server = self.start(self.programs / "ipc-server", stderr=log, stdout=log)
        self.server_name = self.wait_for_name(witness, "demo.IPCServer")
        self.witness = witness
        self.observer = self.start(
            sys.executable, self.tools / "observer.py", self.path, self.broker.pid, self.bus.pid, stdin=subprocess.PIPE)
        if self.observer.stdout.readline() != "ready\n":
            raise RuntimeError("the honest clients could not begin")
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
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

    def result(self):
        """The effects of the attack, with a message for each broken bound."""
        out, _ = self.observer.communicate()
        seen = json.loads(out.splitlines()[-1])
        bounds = dict(wait=250, broker=64, bus=64) | getattr(self.attack, "BOUNDS", {})
        broken = [f"the connection '{name}' of an honest client: {error}" for name, error in seen["cut"].items()]
        waits = {name: wait for name, wait in seen["waits"].items() if name != "bus"}
        if max(waits.values()) > bounds["wait"]:
            broken.append(f"an honest client waited {max(waits.values())} ms, more than {bounds['wait']}")
        for name in ("broker", "bus"):
            if seen["grown"][name] > bounds[name]:
                broken.append(f"the {name} grew by {seen['grown'][name]} MiB, more than {bounds[name]}")
        broken += self.broken_programs()
        return dict(
            attack=self.attack.__name__.split(".")[-1], wait=max(waits.values()), waits=seen["waits"],
            grown=seen["grown"], **self.facts, broken=self.broken + broken)

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
