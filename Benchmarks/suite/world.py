"""A private world to measure in: a folder on a disk, a bus, and the processes on it. Leaving it removes everything."""

import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build/release"
BENCHMARKS = ROOT / "Benchmarks/.build"
LOAD = BENCHMARKS / "release/Load"
FLOOR = BENCHMARKS / "floor"
PROGRAMS = ["ipc-broker", "ipc-server", "ipc-client"]
BROKER = "org.swiftipc.Broker1"


class Failure(Exception):
    """A program that should have run did not run, or failed."""


class Process:
    """A background process. Its output is read continuously, so a full pipe never blocks it."""

    def __init__(self, arguments, environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
        self.arguments = [str(argument) for argument in arguments]
        self.started = time.monotonic()
        self.seconds_to_ready = None
        self.process = subprocess.Popen(
            self.arguments, env=environment, stdin=stdin, stdout=stdout,
            # A handler prints its messages to the output, and reports on standard error that it is listening.
            stderr=subprocess.STDOUT if stdout == subprocess.PIPE else subprocess.PIPE, text=True,
            start_new_session=True)
        self.lines = queue.SimpleQueue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout or self.process.stderr:
            self.lines.put((time.monotonic(), line))
        self.lines.put((time.monotonic(), None))

    def wait_for(self, word):
        """Waits until the process prints a line with this word."""
        said = []
        while True:
            at, line = self.lines.get()
            if line is None:
                raise Failure(f"{' '.join(self.arguments)} exited with {self.process.wait()}: {''.join(said)}")
            if word in line:
                self.seconds_to_ready = at - self.started
                return line
            said.append(line)

    def objects(self):
        """The JSON objects that a measuring program prints, as they arrive, until it exits."""
        said = []
        while (line := self.lines.get()[1]) is not None:
            if line.startswith("{"):
                yield json.loads(line)
            else:
                said.append(line)
        if self.process.wait():
            raise Failure(f"{' '.join(self.arguments)} exited with {self.process.wait()}: {''.join(said)}")

    def result(self):
        """The last JSON object that a measuring program prints."""
        return list(self.objects())[-1]

    def go(self):
        """Starts a program that is waiting for a line on its input."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    @property
    def pid(self):
        return self.process.pid

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()

    def status(self, field):
        """A number from /proc/PID/status."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1])
        raise Failure(f"/proc/{self.pid}/status has no {field}")

    @property
    def anonymous_bytes(self):
        return self.status("RssAnon") * 1024

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def switches(self):
        """How often each thread of the process has slept and woken up so far."""
        threads = {}
        for thread in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            for line in (thread / "status").read_text().splitlines():
                if line.startswith("voluntary_ctxt_switches"):
                    threads[thread.name] = int(line.split()[1])
        return threads

    def settle(self, seconds):
        """Waits while the process has nothing to do, so that it can, for example, return free memory."""
        time.sleep(seconds)

    def wake_ups(self, seconds):
        """How often per second the threads of the process wake up."""
        before = self.switches()
        time.sleep(seconds)
        return sum(count - before.get(thread, 0) for thread, count in self.switches().items()) / seconds


class Peak:
    """A context that records the peak anonymous memory of a process."""

    def __init__(self, process):
        self.process = process
        self.bytes = self.before = process.anonymous_bytes
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def _look(self):
        while not self.done.wait(0.005):
            self.bytes = max(self.bytes, self.process.anonymous_bytes)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    @property
    def growth(self):
        return self.bytes - self.before


class World:
    """An empty bus, and a folder on the disk (in TMPDIR, or else in /var/tmp) for the store."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ipc-bench.", dir=os.environ.get("TMPDIR", "/var/tmp")))
        self.processes = []
        self.broker = None
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self):
        for name in ["runtime", "data", "config", "share", "services", "home", "bin"]:
            (self.folder / name).mkdir(mode=0o700)
        for program in PROGRAMS:
            if not (RELEASE / program).exists():
                raise Failure(f"{RELEASE / program} is missing; run 'make build'")
            shutil.copy(RELEASE / program, self.folder / "bin")
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("DBUS_", "SWIFT_IPC_STORE"))
        } | {
            "HOME": str(self.folder / "home"), "XDG_RUNTIME_DIR": str(self.folder / "runtime"),
            "XDG_DATA_HOME": str(self.folder / "data"), "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_DATA_DIRS": f"{self.folder / 'share'}:/usr/share", "GIO_USE_VFS": "local",
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.folder}/bus",
        }
        configuration = (ROOT / "dbus/test-session.conf.in").read_text()
        configuration = configuration.replace("@ADDRESS@", f"unix:path={self.folder}/bus")
        (self.folder / "bus.conf").write_text(configuration.replace("@SERVICES@", str(self.folder / "services")))
        self.start("dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--print-address", word="unix:")

    def start(self, *arguments, word="ready", environment=None, **streams):
        """Starts a program, and waits until it prints this word."""
        process = Process(arguments, self.environment | (environment or {}), **streams)
        self.processes.append(process)
        if word:
            process.wait_for(word)
        return process

    def run(self, *arguments, environment=None):
        """Runs a program, and returns its output."""
        done = subprocess.run(
            [str(argument) for argument in arguments], env=self.environment | (environment or {}),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise Failure(
                f"{' '.join(map(str, arguments))} exited with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def load_command(self, measurement, **settings):
        return [LOAD, measurement, *(f"{name.replace('_', '-')}={value}" for name, value in settings.items())]

    def load(self, measurement, environment=None, **settings):
        """Runs our measuring program, Load, and returns the JSON object that it prints."""
        return json.loads(self.run(*self.load_command(measurement, **settings), environment=environment).splitlines()[-1])

    def fill(self, measurement, **settings):
        """Runs our measuring program, Load, to add content to the broker."""
        self.run(*self.load_command(measurement, **settings))

    def start_load(self, measurement, environment=None, **settings):
        return self.start(*self.load_command(measurement, **settings), environment=environment)

    def floor(self, program, *arguments):
        """Runs a C program from the folder Floor, and returns the JSON object that it prints."""
        return json.loads(self.run(FLOOR / program, *arguments).splitlines()[-1])

    def start_floor(self, program, *arguments):
        return self.start(FLOOR / program, *arguments)

    def times(self, count, *command):
        """The median run time of a whole process, in milliseconds, over this number of runs."""
        return self.floor("times", count, *command)["ms"]

    def together(self, commands, environment=None):
        """Starts programs that wait, releases them at the same moment, and returns their combined rate per second."""
        clients = [self.start(*command, stdin=subprocess.PIPE, environment=environment) for command in commands]
        for client in clients:
            client.go()
        results = [client.result() for client in clients]
        for client in clients:
            self.stop(client)
        # The time ends when the last client has finished by its own clock, not when its process has exited.
        return sum(result["count"] for result in results) / max(result["seconds"] for result in results)

    def start_broker(self, *options, store="store"):
        """Starts a broker as the bus does, without arguments. It logs "ready" when it owns its name."""
        environment = {"SWIFT_IPC_STORE": str(self.folder / store)}
        self.broker = self.start(self.folder / "bin/ipc-broker", *options, environment=environment)
        return self.broker

    def stop_broker(self, how=signal.SIGTERM):
        self.broker.end(how)
        self.processes.remove(self.broker)
        self.broker = None

    def stop(self, process):
        process.end()
        self.processes.remove(process)

    @property
    def store_bytes(self):
        return sum(file.stat().st_size for file in (self.folder / "store").rglob("*") if file.is_file())

    def close(self):
        for process in reversed(self.processes):
            try:
                process.end(signal.SIGKILL)
            except OSError:
                pass
        self.processes = []
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def leave_on_signals():
    """Turns signals into exceptions, so that the processes and files of the benchmark are removed."""
    def leave(number, _):
        raise SystemExit(128 + number)
    for number in [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]:
        signal.signal(number, leave)
