"""Runs one command line of a tool with its input, output and signal, and notes how it ended."""

import contextlib
import dataclasses
import os
import pty
import resource
import select
import signal
import subprocess
import termios
import threading
import time


@dataclasses.dataclass
class Ended:
    """How a tool ended: `signals` are those that it got; a `hang` is a tool that did not end, even after SIGTERM."""
    code: int
    out: bytes
    err: bytes
    signals: list
    hang: str | None


class ToolRun:
    """- seconds: how long a command that does not wait may take; `patience`: when a waiting one gets SIGTERM."""

    def __init__(self, programs, folder, environment, seconds=20, patience=0.3):
        self.programs, self.folder, self.environment = programs, folder, environment
        self.seconds, self.patience = seconds, patience

    def run(self, case):
        with open(self.folder / "errors", "w+b") as errors:
            source, feed = self.input(case)
            target, read = self.output(case)
            closing = [number for number, kind in ((0, case.input), (1, case.output)) if kind == "closed"]

            def prepare():
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                for number in closing:
                    os.close(number)
            process = subprocess.Popen(
                self.command(case), stdin=source, stdout=target, stderr=errors, cwd=self.folder, env=self.environment,
                start_new_session=True, preexec_fn=prepare)
            for descriptor in (source, target):
                if isinstance(descriptor, int) and descriptor > 2:
                    os.close(descriptor)
            threads = [threading.Thread(target=part, args=[process], daemon=True) for part in (feed, read) if part]
            for thread in threads:
                thread.start()
            signals, hang = self.wait(case, process)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            for thread in threads:
                thread.join(10)
            errors.seek(0)
            return Ended(process.returncode, bytes(self.got), errors.read(), signals, hang)

    def command(self, case):
        command = [os.fsencode(self.programs / case.command.tool), *case.arguments]
        if case.signal and case.signal[0] == "call":
            _, number, call, count = case.signal
            return ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                    f"inject={call}:signal={number}:when={count}", *command]
        return command

    # Input and output

    def input(self, case):
        """The standard input, and a function that feeds it."""
        kind = case.input
        if kind in ("null", "closed"):
            return subprocess.DEVNULL, None
        if kind in ("file", "huge", "directory"):
            name = {"file": "scratch.txt", "huge": "huge", "directory": "folder"}[kind]
            return os.open(self.folder / name, os.O_RDONLY), None
        # A pipe; for `fifo` the writer goes away in the middle, and for `open` it writes nothing and stays.
        reads, writes = os.pipe()
        data = {"empty": b"", "text": b"some text\n", "binary": bytes(range(256)), "fifo": b"half", "open": b""}[kind]
        if case.command.tool == "ipc-desktop-open" and kind != "empty":
            data = {"text": b"token\0campaign.test:x", "binary": b"\xff\0\xff:\xff\0"}.get(kind, data)

        def feed(process):
            with contextlib.suppress(BrokenPipeError):
                os.write(writes, data)
            if kind == "open":
                process.wait()
            os.close(writes)
        os.set_inheritable(writes, False)
        return reads, feed

    def output(self, case):
        """The standard output, and a function that reads it into `got`."""
        self.got = bytearray()
        kind = case.output
        if kind in ("null", "closed"):
            return subprocess.DEVNULL, None
        if kind == "full":
            return os.open("/dev/full", os.O_WRONLY), None
        if kind == "file":
            return os.open(self.folder / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), None
        reads, writes = os.pipe()
        if kind == "broken":
            os.close(reads)
            return writes, None
        most = 100 if kind == "short" else None

        def read(process):
            sent = False
            while not (most and len(self.got) >= most) and (data := os.read(reads, 4_096)):
                self.got += data
                if case.signal and case.signal[0] == "output" and len(self.got) >= case.signal[2] and not sent:
                    sent = True
                    with contextlib.suppress(ProcessLookupError):
                        process.send_signal(case.signal[1])
            os.close(reads)
        return writes, read

    # The end

    def wait(self, case, process):
        """Waits for the end. A command that waits by design gets SIGTERM; the second signal ends any tool."""
        signals = [case.signal[1]] if case.signal else []
        steps = [(self.patience if case.may_wait else self.seconds, signal.SIGTERM), (self.seconds, signal.SIGTERM),
                 (self.seconds / 4, None)]
        for seconds, number in steps:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
                return signals, None
            if not case.may_wait and not signals:
                break
            if number:
                signals.append(number)
                self.signal(process, number)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        when = f"even after {signals}" if signals else f"within {self.seconds} s"
        return signals, f"it did not end {when}"

    def signal(self, process, number):
        """Sends a signal to the tool itself. A tracer passes no signals on, but ends with its program."""
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
            children = file.read().split()
        name = open(f"/proc/{process.pid}/comm").read().strip()
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(children[0]) if name == "strace" and children else process.pid, number)


def on_terminal(command, folder, environment, keys, number, seconds=20):
    """Runs a command on a terminal, types keys after its first output, and sends a signal. Returns its exit code, what
    it wrote, and whether the terminal's settings have changed."""
    pid, terminal = pty.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(folder)
        os.execve(command[0], command, environment)
    before, shown, sent = termios.tcgetattr(terminal), b"", False
    deadline = time.monotonic() + seconds
    while True:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                shown += os.read(terminal, 65_536)
            except OSError:
                break
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            break
        if not sent and (shown or time.monotonic() > deadline - seconds + 0.2):
            sent = True
            os.write(terminal, keys)
            if number:
                os.kill(pid, number)
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(terminal)
            return None, shown, False
    if not ended:
        _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError, termios.error):
        while select.select([terminal], [], [], 0)[0]:
            shown += os.read(terminal, 65_536)
    after = termios.tcgetattr(terminal)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown, after != before
