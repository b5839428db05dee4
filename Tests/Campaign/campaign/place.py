"""The programs of one shard: a bus, a broker on it, and other processes, which all end with the shard."""

import contextlib
import os
import signal
import subprocess
import threading
import time

import wire
from campaign import buses
from campaign.shard import Broken


class Place:
    """A private bus with a broker. Use it as `with Place(shard) as place:`.

    - shard: decides the bus, its limits and the folder.
    - arguments: more arguments for each start of the broker.
    - programs: the folder of the broker and the tools, in place of the release programs.
    - environment: more variables for each start of the broker.
    """

    def __init__(self, shard, *arguments, programs=None, environment={}, name="place"):
        self.shard, self.arguments = shard, arguments
        self.programs = programs or shard.programs
        self.broker_environment = environment
        self.folder = shard.folder / name
        self.store = self.folder / "store"
        for part in ("home", "run", "data"):
            (self.folder / part).mkdir(parents=True, mode=0o700)
        self.environment = dict(
            PATH=os.environ["PATH"], HOME=str(self.folder / "home"), XDG_RUNTIME_DIR=str(self.folder / "run"),
            XDG_DATA_HOME=str(self.folder / "data"), XDG_CONFIG_HOME=str(self.folder / "config"), LANG="C.UTF-8",
            DBUS_SESSION_BUS_ADDRESS=f"unix:path={self.folder / 'bus'}", PYTHONDONTWRITEBYTECODE="1")
        self.bus = buses.Bus(shard.bus, shard.limits, self.folder, self.environment)
        self.broker = None
        self.log = self.folder / "broker.log"
        self.processes = []

    def __enter__(self):
        self.bus.start()
        self.start_broker()
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        self.bus.kill()

    # Processes

    def start(self, *command, environment={}, **options):
        """Starts a program on the bus. Its output goes to a pipe, its errors to the log, unless `options` say otherwise."""
        with open(self.log, "a") as log:
            process = subprocess.Popen(
                [str(word) for word in command], env=self.environment | environment,
                **dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log) | options)
        self.processes.append(process)
        return process

    def run(self, tool, *arguments, input=None, seconds=60):
        """Runs a tool to its end; returns its exit code, its output and its errors as bytes."""
        ended = subprocess.run(
            [str(self.programs / tool), *arguments], env=self.environment, input=input, capture_output=True,
            timeout=seconds)
        return ended.returncode, ended.stdout, ended.stderr

    def start_broker(self, *before, seconds=20):
        """Starts the broker on the same store, and returns when its name is on the bus. `before` is a command that
        runs it, such as a tracer."""
        begin = time.monotonic()
        command = [*before, self.programs / "ipc-broker", "--store", self.store, "--log-level", "warning"]
        self.broker = self.start(*command, *self.arguments, environment=self.broker_environment,
                                 stdout=subprocess.DEVNULL)
        with contextlib.closing(self.connect()) as witness:
            self.owner = self.wait_for_name(witness, wire.BROKER, seconds)
        return time.monotonic() - begin

    def kill_broker(self, number=signal.SIGKILL):
        """Ends the broker with a signal; returns its exit code."""
        self.broker.send_signal(number)
        return self.end_of_broker()

    def end_of_broker(self, seconds=30):
        """Waits for the broker's exit; returns its exit code."""
        code = self.broker.wait(seconds)
        self.processes.remove(self.broker)
        return code

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    # Connections

    def connect(self, seconds=20):
        """A raw connection to the bus, as soon as the bus accepts it."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return wire.Connection(self.bus.path)
            except (FileNotFoundError, ConnectionRefusedError, wire.Gone):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)

    def wait_for_name(self, connection, name, seconds=20):
        """The owner of a name, as soon as it has one. The bus's signal ends the wait."""
        rule = f"type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{name}'"
        connection.request(*wire.BUS, "AddMatch", "s", rule)
        deadline = time.monotonic() + seconds
        reply = connection.request(*wire.BUS, "GetNameOwner", "s", name)
        while reply.kind == wire.ERROR:
            if self.broker and self.broker.poll() is not None and name == wire.BROKER:
                raise Broken(f"the broker ended with {self.broker.returncode} at its start: {self.log_text()[-2_000:]}")
            if time.monotonic() > deadline:
                raise Broken(f"{name} is not on the bus after {seconds} s: {self.log_text()[-2_000:]}")
            with contextlib.suppress(TimeoutError):
                connection._receive(min(deadline, time.monotonic() + 0.2))
                connection.sort()
            reply = connection.request(*wire.BUS, "GetNameOwner", "s", name)
        return reply.values[0]


@contextlib.contextmanager
def thread(function, *arguments):
    """Runs a function in a thread during a block, and raises its error at the end."""
    errors = []

    def body():
        try:
            function(*arguments)
        except BaseException as error:
            errors.append(error)

    runs = threading.Thread(target=body, daemon=True)
    runs.start()
    yield runs
    runs.join()
    if errors:
        raise errors[0]
