"""Starts brokers on one bus, one after the other, each with a store of its own, and judges how they start and end."""

import contextlib
import os
import shutil
import signal
import subprocess
import time

import wire
from campaign.place import Place
from campaign.shard import Broken

# The documented exit codes of a broker that refuses to start or ends by itself: configuration, bus or store, input and
# output, permission.
REFUSALS = {65, 69, 73, 74, 77}
CRASH_WORDS = ("Fatal error", "Backtrace", "*** ", "Segmentation", "ERROR: AddressSanitizer")


class Bench(Place):
    """A place whose broker the row itself starts, as often as it likes. Use it as `with Bench(shard) as bench:`."""

    def __init__(self, shard, **options):
        # The rows that use it need no particular bus.
        if shard.bus == "none":
            shard.bus, shard.limits = "daemon", "stock"
        super().__init__(shard, **options)
        # The stack of a crash takes seconds to print, and the rows only need to know that there was one.
        self.environment["SWIFT_BACKTRACE"] = "enable=no"
        self.tries = 0

    def __enter__(self):
        self.bus.start()
        self.witness = self.connect()
        self.witness.request(
            *wire.BUS, "AddMatch", "s", "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'")
        return self

    def begin(self, store, *before, programs=None, environment={}, arguments=(), seconds=20, **options):
        """Starts a broker on a store. Returns when it is ready or has ended; see `Run`."""
        self.tries += 1
        errors = self.folder / f"errors {self.tries}"
        command = [*before, (programs or self.programs) / "ipc-broker", "--store", store, "--log-level", "warning",
                   *arguments]
        with open(errors, "wb") as log:
            process = self.start(*command, environment=environment, **dict(
                stdout=subprocess.DEVNULL, stderr=log) | options)
        run = Run(self, process, errors)
        deadline = time.monotonic() + seconds
        while process.poll() is None and not self.is_served_by(process.pid):
            if time.monotonic() > deadline:
                run.kill()
                raise Broken(f"the broker neither served nor ended within {seconds} s: {run.text[-500:]}")
            with contextlib.suppress(TimeoutError):
                self.witness._receive(time.monotonic() + 0.02)
                self.witness.sort()
                self.witness.others.clear()
        return run

    def clear(self, store):
        """Removes a store and the errors of earlier runs, after it has ended all processes of the row."""
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes.clear()
        for path in [store, *self.folder.glob("errors *")]:
            remove(path)

    def is_served_by(self, pid):
        owner = self.witness.request(*wire.BUS, "GetConnectionUnixProcessID", "s", wire.BROKER)
        return owner.kind == wire.RETURN and owner.values[0] == pid


class Run:
    """One run of a broker, which serves or has ended."""

    def __init__(self, bench, process, errors):
        self.bench, self.process, self.errors = bench, process, errors

    @property
    def serves(self):
        return self.process.poll() is None

    @property
    def text(self):
        return self.errors.read_text(errors="replace")

    def kill(self):
        return self.end(signal.SIGKILL)

    def stop(self):
        return self.end(signal.SIGTERM)

    def end(self, number, seconds=20):
        """Ends the broker with a signal, if it has not ended; returns its exit code."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        return self.wait(seconds)

    def wait(self, seconds=20):
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Broken(f"the broker did not end within {seconds} s: {self.text[-500:]}") from None
        if self.process in self.bench.processes:
            self.bench.processes.remove(self.process)
        return code

    def refusal(self):
        """The sentence of a broker that ended by itself. Raises `Broken` if it crashed or gave no clear reason."""
        code, text = self.wait(), self.text
        for word in CRASH_WORDS:
            if word in text:
                raise Broken(f"the broker crashed with {code}: {text[-1_500:]}")
        if code not in REFUSALS:
            raise Broken(f"the broker ended with {code}, which is no documented exit code: {text[-1_500:]}")
        last = text.strip().splitlines()[-1:]
        if not last or not 20 < len(last[0]) < 2_000:
            raise Broken(f"the broker ended with {code} and gave no clear reason: {text[-1_500:]!r}")
        return last[0]


def remove(path):
    """Removes a file or a folder of any kind. (`shutil.rmtree` would wait for a FIFO to be opened.)"""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def tree(folder):
    """All files below a folder, with what can be told of each without following a link."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        if path.is_symlink():
            found[str(path.relative_to(folder))] = ("link", os.readlink(path))
        elif path.is_file():
            found[str(path.relative_to(folder))] = ("file", path.read_bytes())
        else:
            found[str(path.relative_to(folder))] = ("other", status.st_mode)
    return found
