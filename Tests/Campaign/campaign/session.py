"""A session as users have it: the bus starts the broker, and real programs work all the time, while brokers and the bus
are restarted and replaced. Every check is in terms of what these programs report: exit codes, output, and time."""

import collections
import json
import os
import pathlib
import select
import signal
import subprocess
import threading
import time

import wire
from campaign.boards import TEXT, Line
from campaign.place import Place
from campaign.shard import Broken

# I24: a restart is a delay of this time at most. What a call takes without a restart comes on top.
MOST_SECONDS = 5
USUAL_SECONDS = 1


class Session(Place):
    """A bus that starts the broker when its name is needed."""

    def __init__(self, shard, programs=None, control=None):
        super().__init__(shard, programs=programs)
        settings = ["/usr/bin/env", f"SWIFT_IPC_TEST_CONTROL={control}"] if control else []
        self.command = [self.programs / "ipc-broker", "--store", self.store, "--log-level", "warning"]
        self.bus.add_service(wire.BROKER, *settings, *self.command)

    def start_broker(self, seconds=20):
        """Lets the bus start the broker, unless another program has done so. systemd answers only when the process that
        it started has succeeded or failed, even if another one has the name by then, so the name counts."""
        client = self.connect()
        self.broker, asked, deadline = None, None, time.monotonic() + seconds
        while not (pid := self.owner_process(client)):
            if asked is None or client.replies.pop(asked, None):
                asked = client.call(*wire.BUS, "StartServiceByName", "su", wire.BROKER, 0)
            if time.monotonic() > deadline:
                raise Broken(f"there is no broker after {seconds} s: {self.log_text()[-1_000:]} "
                             f"{self.bus.log.read_text()[-1_000:]}")
            time.sleep(0.01)
        self.pid = pid
        client.close()

    def owner_process(self, client):
        reply = client.request(*wire.BUS, "GetConnectionUnixProcessID", "s", wire.BROKER)
        return reply.values[0] if reply.kind == wire.RETURN else None

    def end_broker(self, number):
        """Sends a signal to the broker, and waits until it is gone."""
        descriptor = os.pidfd_open(self.pid)
        os.kill(self.pid, number)
        gone = select.select([descriptor], [], [], 30)[0]
        os.close(descriptor)
        if not gone:
            raise Broken(f"the broker is still there 30 s after the signal {number}")


class Program:
    """A program that runs all the time and prints lines of JSON."""

    def __init__(self, session, *command):
        self.process = session.start(*command, text=True)
        self.lines, self.changed = [], threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(json.loads(line))
                self.changed.notify_all()

    def wait(self, is_there, seconds, what):
        """Waits until a condition on the lines holds."""
        with self.changed:
            if not self.changed.wait_for(lambda: is_there(self.lines), seconds):
                raise Broken(f"{what}: not within {seconds} s; the last lines are {self.lines[-3:]}")


class Load:
    """The programs of one session. Use it as `with Load(session) as load:`."""

    def __init__(self, shard, session, raw_returns=True):
        self.shard, self.session, self.raw_returns = shard, session, raw_returns
        self.is_over, self.errors, self.worst = False, [], 0.0
        # Programs that begin while there is no bus cannot work, so none begins then.
        self.gate, self.is_closed, self.active = threading.Condition(), False, 0
        self.rounds = collections.Counter()
        self.sent, self.queued, self.held, self.begun = [], [], 0, 0.0
        self.threads = []

    def __enter__(self):
        session, folder = self.session, self.session.folder
        self.begin, self.end = folder / "begin", folder / "end"
        for path in (self.begin, self.end):
            os.mkfifo(path)
        tools = session.programs
        self.server = Program(session, tools / "ipc-server", "--json")
        # The command of this handler says that it has begun, and waits for a word before it answers.
        wait = f'echo "$IPC_URL" > {self.begin}; read word < {self.end}; echo "$word"'
        self.slow = Program(session, tools / "ipc-server", "--json", "--application", "demo.Slow", "--scheme",
                            "slow.demo", "--exec", wait)
        self.watcher = Program(session, tools / "ipc-client", "watch", "--json")
        client = session.connect()
        for name in ("demo.IPCServer", "demo.Slow"):
            session.wait_for_name(client, name)
        client.close()
        self.run_tool("send", "--timeout", "20s", "first")
        self.sent.append("first")
        for body in (self.send, self.queue, self.store, self.write_raw):
            thread = threading.Thread(target=self.guarded, args=(body,), daemon=True)
            thread.start()
            self.threads.append(thread)
        return self

    def __exit__(self, kind, *_):
        self.is_over = True
        self.open_gate()
        for thread in self.threads:
            thread.join(60)
        if not kind:
            self.raise_errors()

    def guarded(self, body):
        try:
            while not self.is_over:
                body()
                with self.gate:
                    self.rounds[body.__name__] += 1
                    self.gate.notify_all()
        except BaseException as error:
            with self.gate:
                self.errors.append(error)
                self.gate.notify_all()

    def raise_errors(self):
        if self.errors:
            raise self.errors[0]

    # The gate

    def close_gate(self):
        with self.gate:
            self.is_closed = True
            if not self.gate.wait_for(lambda: not self.active or self.errors, 60):
                raise Broken("a program did not end within 60 s")

    def open_gate(self):
        with self.gate:
            self.is_closed = False
            self.gate.notify_all()

    def progress(self):
        """Waits until each kind of program has done its work once more."""
        with self.gate:
            names = ("send", "queue", "store", "write_raw")
            goal = {name: self.rounds[name] + 2 for name in names}
            if not self.gate.wait_for(
                    lambda: self.errors or all(self.rounds[name] >= goal[name] for name in names), 60):
                raise Broken(f"no progress for 60 s: {dict(self.rounds)}")
        self.raise_errors()

    # What the programs do

    def run_tool(self, *arguments, may_be_lost=False):
        """Runs ipc-client once; checks its exit code, and keeps the longest time. Returns its output, or `None` if the
        answer to a call without an id was lost, which the tool says and never repeats."""
        with self.gate:
            self.gate.wait_for(lambda: not self.is_closed or self.is_over)
            self.active += 1
        begin = time.monotonic()
        try:
            ended, out, errors = self.session.run("ipc-client", *arguments)
        except subprocess.TimeoutExpired:
            raise Broken(f"ipc-client {' '.join(arguments)} did not end within 60 s") from None
        finally:
            with self.gate:
                self.active -= 1
                self.gate.notify_all()
        self.took(time.monotonic() - begin, " ".join(arguments))
        if may_be_lost and ended == 69 and b"it is unknown whether the broker carried out the call" in errors:
            self.shard.add(unanswered=1)
            return None
        if ended:
            raise Broken(f"ipc-client {' '.join(arguments)} ended with {ended}: {errors.decode()}")
        return out.decode()

    def took(self, seconds, what):
        self.worst = max(self.worst, seconds)
        if seconds > MOST_SECONDS + USUAL_SECONDS:
            raise Broken(f"{what} was delayed for {seconds:.1f} s, more than {MOST_SECONDS}")

    def send(self):
        text = f"text {len(self.sent)}"
        self.run_tool("send", "--application", "demo.Load", text)
        self.sent.append(text)

    def queue(self):
        self.queued.append(self.run_tool("open", "--queue", f"IPCServer.demo:queued/{len(self.queued)}").strip())

    def store(self):
        value = f"value {self.rounds['store']}"
        is_known = self.run_tool("set", "kept", value, may_be_lost=True) is not None
        got = self.run_tool("get", "kept")
        if got != value and (is_known or got != self.kept):
            raise Broken(f"ipc-client set stored {value!r}, but get returns {got!r}")
        self.kept = got

    kept = None

    line = None
    acknowledged = written = 0

    def write_raw(self):
        """Writes numbers with ids over a raw connection, several at once, and repeats what was not answered. After
        each loss of the broker, the last acknowledged number must still be there."""
        if not self.line:
            self.line = Line(self.session.bus.path, is_direct=False, outlives_bus=self.raw_returns)
        target = self.written + 20
        while (self.written < target or self.line.flying) and not self.is_over:
            if self.line.again:
                self.restore()
            while self.line.wire and len(self.line.flying) < 4 and self.written < target:
                self.written += 1
                self.put(self.written)
            for connection in select.select(self.line.connections(), [], [], 30)[0]:
                for number, message in self.line.receive(connection):
                    self.take_in(number, message)

    def put(self, number):
        options = {"create": ("b", 1), "id": ("s", f"raw-{number:032d}")}
        items = [[(TEXT, ("s", str(number)))]]
        self.line.send(number, lambda to: to.pasteboard("raw", "SetItems", "aa(sv)a{sv}", items, options))

    def take_in(self, number, message):
        if number == "read":
            found = int(message.values[1][0][0][1]) if message.kind == wire.RETURN else 0
            if found < self.acknowledged:
                raise Broken(f"the number {self.acknowledged} was acknowledged, but after a restart {found} is there")
            return
        if message.kind == wire.ERROR:
            raise Broken(f"the write of {number} failed: {message.text}")
        self.acknowledged = max(self.acknowledged, number)

    def restore(self):
        """Reads before it repeats, and repeats in order, because a repeated call may not have taken effect before."""
        if not self.raw_returns:
            raise Broken("a raw connection lost the answers to its calls")
        if self.line.flying or not self.line.wire:
            return
        lost = sorted({number for number in self.line.again if number != "read"})
        self.line.again.clear()
        if self.acknowledged:
            self.line.send("read", lambda to: to.pasteboard("raw", "GetItems", "a{sv}", {}))
        for number in lost:
            self.put(number)

    # Across a restart

    def hold(self):
        """Begins a call to the slow handler; returns when the handler has it."""
        self.held += 1
        call = self.session.start(
            self.session.programs / "ipc-client", "call", "--timeout", "2m", f"slow.demo:{self.held}",
            stderr=subprocess.PIPE, text=True)
        url = self.read_word()
        if url != f"slow.demo:{self.held}":
            raise Broken(f"the slow handler began with {url}, not with {self.held}")
        return call

    def read_word(self, seconds=30):
        descriptor = os.open(self.begin, os.O_RDONLY | os.O_NONBLOCK)
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            if not poll.poll(seconds * 1_000):
                raise Broken(f"the slow handler did not begin within {seconds} s")
            return os.read(descriptor, 4_096).decode().strip()
        finally:
            os.close(descriptor)

    def release(self, call, limit=MOST_SECONDS + USUAL_SECONDS):
        """Lets the slow handler answer, and expects the answer in the call that began before the restart. The time
        since the beginning of the restart counts."""
        word = f"answer {self.held}"
        pathlib.Path(self.end).write_text(word + "\n")
        try:
            out, errors = call.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            raise Broken(f"a call that began before the restart was not answered within {limit} s") from None
        self.took(time.monotonic() - self.begun, "a call that began before the restart")
        self.session.processes.remove(call)
        if call.returncode or out.strip() != word:
            raise Broken(f"a call that began before the restart ended with {call.returncode}, {out!r}: {errors}")

    def mark(self):
        """Changes a pasteboard; the watcher must report this version in time."""
        begin = time.monotonic()
        while not (answer := self.run_tool("set", "--json", "mark", f"{begin}", may_be_lost=True)):
            pass
        count = json.loads(answer)["change-count"]
        self.watcher.wait(
            lambda lines: any(each.get("pasteboard") == "mark" and int(each["change-count"]) >= int(count)
                              for each in reversed(lines[-200:])),
            MOST_SECONDS + USUAL_SECONDS, f"the watcher must report version {count} of mark")
        self.took(time.monotonic() - begin, "the report of a watcher")

    # The end

    def judge(self):
        """Nothing is lost or doubled. Call it when the programs have ended their work."""
        for each in self.queued:
            self.run_tool("request", "wait", each)
        texts = collections.Counter(self.text(line) for line in self.server.lines if "id" in line)
        urls = [f"IPCServer.demo:queued/{number}" for number in range(len(self.queued))]
        for wanted in self.sent + urls:
            if texts.pop(wanted, 0) != 1:
                lines = [line for line in self.server.lines if "id" in line and self.text(line) == wanted]
                raise Broken(f"{wanted!r} was sent once, but the handler printed it {len(lines)} times: {lines}")
        if texts:
            raise Broken(f"the handler printed what nobody sent: {dict(texts)}")
        begun = collections.Counter(line["url"] for line in self.slow.lines if "id" in line)
        if set(begun.values()) - {1} or len(begun) != self.held:
            raise Broken(f"{self.held} calls were held, but the slow handler began {dict(begun)}")
        for program in (self.server, self.slow, self.watcher):
            if program.process.poll() is not None:
                path, *rest = map(str, program.process.args)
                raise Broken(f"{path.rpartition('/')[2]} {' '.join(rest)} ended with {program.process.returncode}: "
                             f"{self.session.log_text()[-1_000:]}")
        self.shard.add(sent=len(self.sent), queued=len(self.queued), held=self.held, raw=self.acknowledged)
        self.shard.worst(delay_ms=round(self.worst * 1_000))

    @staticmethod
    def text(line):
        return line["items"][0][0]["text"] if line.get("items") else line["url"]


def stop_for_a_while(session, load, seconds):
    """SIGSTOP, and SIGCONT: in small size, as soon as the bus has passed on calls; otherwise after some seconds."""
    load.close_gate()
    os.kill(session.pid, signal.SIGSTOP)
    held = session.start(session.programs / "ipc-client", "set", "--timeout", "2m", "stopped", "value",
                         stderr=subprocess.PIPE)
    client = session.connect()
    serial = client.broker("Pasteboards1", "ListPasteboards", "a{sv}", {})
    client.request(*wire.BUS, "GetId")
    if seconds:
        time.sleep(seconds)
    if held.poll() is not None:
        raise Broken(f"ipc-client set ended with {held.returncode} while the broker was stopped")
    os.kill(session.pid, signal.SIGCONT)
    begin = time.monotonic()
    client.wait(serial, 30)
    code = held.wait(30)
    if code:
        raise Broken(f"ipc-client set ended with {code} after the broker was stopped: {held.stderr.read().decode()}")
    load.took(time.monotonic() - begin, "a call after SIGCONT")
    session.processes.remove(held)
    client.close()
    load.open_gate()
