"""Hostile URLs reach the handler of their scheme byte for byte, or are rejected, and start no other program.

More than 500 URLs in 12 classes (corpus/u1/urls.txt) and mutations of them are opened over the bus, over direct
connections and with the tools, and are given to CanOpenURL, ResolveURL and Register. Two handlers claim schemes, and a
desktop entry has one. Each URL is delivered once, to the application that the row itself finds by RFC 3986, with the
same bytes; or it is rejected with the right error. A tracer sees every program that the broker starts.
"""

import contextlib
import os
import re
import select
import signal
import time

import wire
from campaign import buses, contract, pipelines, urls
from campaign.place import Place, thread
from campaign.shard import Broken

INVARIANTS = (20, 21, 22, 23)
UNIT = "URLs"
SIZES = dict(small=3_000, full=1_000_000)
SHARD = 25_000
BUSES = True

BATCH = 500
PROBE = "campaign.Probe"
# A longer URL is sent when nothing else waits for an answer.
LONG = 64 << 10
# execve takes at most 128 KiB for one argument.
MOST_ARGUMENT = 131_000
TRAPS = ("sh", "bash", "touch", "xdg-open", "gio", "env", "python3", "ssh", "cat", "browser", "x-www-browser")


def run(shard):
    with Scene(shard) as scene:
        scene.attack(shard.count)


class Scene:
    """A traced broker, two handlers, a desktop entry, and programs whose start is a defect.

    - command: the Exec of the desktop entry.
    - change: what the handlers do to a URL.
    """

    # How long the desktop application may take to start.
    patience = 20

    def __init__(self, shard, command="{marker} %u", change=lambda url: url):
        self.shard, self.random, self.change = shard, shard.random, change
        self.marks, self.trap = shard.folder / "marks", shard.folder / "trap.log"
        # The lines of the trace that are checked, the launches of the desktop application, and those of this batch.
        self.checked, self.launches, self.expected = 0, 0, []
        data, bin = shard.folder / "no-data", shard.folder / "bin"
        for folder in (self.marks, data, bin):
            folder.mkdir()
        started = shard.folder / "started"
        os.mkfifo(started)
        self.started = os.open(started, os.O_RDWR)
        self.marker = script(bin / "marker", f"printf '%s\\0' \"$#\" \"$@\" END > {self.marks}/$$; printf . > {started}")
        for name in TRAPS:
            script(bin / name, f"printf '%s\\n' {name} \"$@\" >> {self.trap}")
        self.place = Place(shard, environment=dict(XDG_DATA_DIRS=str(data), PATH=f"{bin}:{os.environ['PATH']}"))
        entries = self.place.folder / "data/applications"
        entries.mkdir(parents=True)
        for name, type, line in [("camp", urls.DESKTOP, command.format(marker=self.marker)),
                                 ("trap", "camp-trap", f"{bin}/touch %u")]:
            (entries / f"{name}.desktop").write_text(
                f"[Desktop Entry]\nType=Application\nName={name}\nExec={line}\nMimeType=x-scheme-handler/{type};\n")
        # What update-desktop-database would write.
        (entries / "mimeinfo.cache").write_text(
            f"[MIME Cache]\nx-scheme-handler/{urls.DESKTOP}=camp.desktop;\nx-scheme-handler/camp-trap=trap.desktop;\n")
        self.trace = shard.folder / "trace"
        self.mutator = urls.Mutator(self.random)

    def __enter__(self):
        place = self.place
        place.bus.start()
        place.start_broker("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=execve,execveat", "-s", "200", "-o",
                           self.trace)
        # The tracer does not take the broker with it.
        self.broker = next(pid for pid in buses.descendants(place.broker.pid) if buses.command(pid) == "ipc-broker")
        self.sender = pipelines.Pipeline(place.bus.path)
        self.direct = self.sender.direct()
        self.probe = place.connect()
        self.probe.request(*wire.BUS, "RequestName", "su", PROBE, 4)
        self.handlers = [Handler(place, name, self.change) for name in ("campaign.One", "campaign.Two")]
        self.stack = contextlib.ExitStack()
        for handler in self.handlers:
            self.stack.enter_context(thread(handler.serve))
        return self

    def __exit__(self, *exception):
        for handler in self.handlers:
            handler.is_ending = True
        with contextlib.suppress(Exception):
            self.stack.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.broker, signal.SIGKILL)
        self.place.__exit__(*exception)
        os.close(self.started)

    def attack(self, count):
        begin = urls.listed()
        self.shard.expect(len(begin) >= 500 and count > len(begin), "the list is not complete")
        rest = iter(self.mutator.url, None)
        done = 0
        while done < count:
            size = min(BATCH, count - done)
            batch = [begin.pop() if begin else next(rest) for _ in range(size)]
            self.batch(batch, is_listed=done < len(urls.listed()))
            done += size
            self.shard.done(size)
        self.check_reserved()

    def batch(self, batch, is_listed):
        connection = self.random.choice([self.sender, self.direct])
        texts = [url for url in batch if urls.is_text(url)]
        self.open(connection, texts, is_listed)
        for url in batch:
            if not urls.is_text(url) and (is_listed or self.random.random() < 0.3):
                self.refused(url)
        chance = self.shard.pick(0.02, 0.1) if is_listed else 0.001
        for url in texts:
            if self.random.random() < 0.06:
                self.register(url)
            if self.random.random() < chance and len(url) < MOST_ARGUMENT:
                self.run_tools(url)
        self.settle()

    # OpenURL, CanOpenURL and ResolveURL

    def open(self, connection, texts, is_listed):
        """Opens URLs, many at a time, and compares each answer and each delivery."""
        sent = {}
        connection.answer = lambda call, message: self.answered(call, message)
        for url in texts:
            scheme = urls.scheme(url)
            is_claimed = scheme is None or scheme in urls.CLAIMS
            # A look-up of the desktop's handler takes a process.
            chance = self.shard.pick(0.02, 0.2) if is_listed else 0.002
            if scheme == urls.DESKTOP and is_listed:
                chance = self.shard.pick(0.1, 0.5)
            to_desktop = self.random.random() < chance
            sent[connection.serial + 1] = url
            self.send(connection, ("OpenURL", url, to_desktop), "URLs1", "OpenURL",
                      {} if is_claimed or to_desktop else {"desktop": ("b", False)})
            if self.random.random() < (0.125 if is_claimed else chance / 2):
                self.send(connection, ("CanOpenURL", url, True), "Schemes1", "CanOpenURL", {})
                self.send(connection, ("ResolveURL", url, True), "Schemes1", "ResolveURL", {})
        try:
            connection.settle()
        except (TimeoutError, wire.Gone) as error:
            raise Broken(f"{error!r}: no answer to {list(connection.open.values())[:2]}")

    def send(self, connection, what, interface, member, options):
        # Several long calls would together exceed what may wait of one caller (`arriving-bytes`).
        connection.settle(0 if len(what[1]) > LONG else pipelines.MOST_OPEN - 1)
        connection.open[connection.serial + 1] = what
        connection.broker(interface, member, "sa{sv}", what[1], options)

    def answered(self, what, message):
        if what is None:
            raise Broken(f"I18: a second answer: {message.text or message.values}")
        member, url, to_desktop = what
        scheme = urls.scheme(url)
        application = urls.CLAIMS.get(scheme)
        if scheme is None:
            self.must_fail(what, message, "InvalidURL")
        elif member == "CanOpenURL":
            can_open = application is not None or scheme == urls.DESKTOP
            self.must(message.kind == wire.RETURN and message.values == [int(can_open)], what, message)
        elif member == "ResolveURL":
            wanted = application or ("camp.desktop" if scheme == urls.DESKTOP else "")
            self.must(message.kind == wire.RETURN and message.values[0]["application"] == wanted, what, message)
        elif application:
            self.must(message.kind == wire.RETURN and message.values[0]["outcome"] == "handled"
                      and message.values[0]["application"] == application, what, message)
            self.delivered(message.values[0]["id"], application, url)
        elif scheme == urls.DESKTOP and to_desktop:
            self.launched(what, message)
        else:
            self.must_fail(what, message, "NoHandler")

    def must(self, condition, what, message):
        if not condition:
            raise Broken(f"I20: {what[0]} of {shown(what[1])} is answered with {message.text or message.values}")

    def must_fail(self, what, message, word):
        self.must(message.kind == wire.ERROR and message.error == contract.ERRORS + word, what, message)
        self.shard.add(rejected=1)

    def delivered(self, id, application, url):
        """Compares what the handler has got with what was sent."""
        for handler in self.handlers:
            got = handler.got.pop(id, None)
            if got is not None and (handler.application, got) != (application, url):
                raise Broken(f"I20: {shown(url)} for {application} reached {handler.application} as {shown(got)}")
            if got is not None:
                return self.shard.add(delivered=1)
        raise Broken(f"I20: {shown(url)} is handled, and no handler has got it")

    def launched(self, what, message):
        """A desktop application gets the URL as one argument, which cannot have any length."""
        if len(what[1]) >= MOST_ARGUMENT:
            return
        self.must(message.kind == wire.RETURN and message.values[0]["outcome"] == "delivered", what, message)
        self.expect_launch(what[1])

    def expect_launch(self, url):
        self.launches += 1
        self.expected.append(url)

    def refused(self, url):
        """What is no text cannot be sent as text: the bus or the broker closes the connection."""
        made = pipelines.Pipeline(self.place.bus.path)
        owner, connection = made, made
        if self.random.random() < 0.3:
            connection = owner.direct()
        try:
            connection.awaited = {connection.serial + 1}
            reply = connection.wait(connection.broker("URLs1", "OpenURL", "sa{sv}", url, {}))
            self.must(reply.kind == wire.ERROR, ("OpenURL", url), reply)
        except wire.Gone:
            self.shard.add(not_text=1)
        except TimeoutError:
            raise Broken(f"I20: no answer to {shown(url)}, which is no text")
        finally:
            connection.close()
            owner.close()

    # Register

    def register(self, url):
        """Claims the text before the colon. An invalid or reserved scheme is rejected, and no claim moves (I22)."""
        text = url.partition(b":")[0]
        reply = self.probe.ask("Schemes1", "Register", "sasa{sv}", PROBE, [text], {})
        scheme = urls.scheme(text + b":")
        if scheme is None:
            wanted = "InvalidName"
        elif scheme in reserved():
            wanted = "ReservedScheme"
        else:
            wanted = None
        got = reply.error.removeprefix(contract.ERRORS) if reply.kind == wire.ERROR else None
        self.shard.expect(
            got == wanted, f"I22: Register of {shown(text)} gives {reply.text or reply.values}, not {wanted}")
        if not wanted:
            self.probe.ask("Schemes1", "Unregister", "sasa{sv}", PROBE, [], {})

    def check_reserved(self):
        rows = self.probe.ask("Schemes1", "ListHandlers", "sa{sv}", "", {}).values[0]
        claims = {(row[0].lower(), row[1]["application"]) for row in rows}
        self.shard.expect(claims == set(urls.CLAIMS.items()), f"I21, I22: the claims are {claims}")

    # Tools

    def run_tools(self, url):
        """The tools take a URL as data: after `--` always, and otherwise if it does not start with a hyphen."""
        scheme = urls.scheme(url)
        application = urls.CLAIMS.get(scheme)
        is_desktop = scheme == urls.DESKTOP
        wanted = 65 if scheme is None else 0 if application or is_desktop else 68
        for command in (["open", "--json", "--", url], ["call", url]):
            code, _, errors = self.place.run("ipc-client", *command)
            if url.startswith(b"-") and "--" not in command:
                # The tool takes it for an option, and must not open anything.
                self.taken(None, url)
                continue
            self.shard.expect(code == wanted, f"I20: ipc-client {command[:-1]} with {shown(url)} exits with {code}, "
                              f"not {wanted}: {errors[:500]}")
            if is_desktop:
                self.expect_launch(url)
            self.taken(application, url)
        self.shard.add(tools=2)

    def taken(self, application, url):
        """What the handlers have got since the last look: one delivery, or none."""
        got = [(handler.application, handler.got.pop(id)) for handler in self.handlers for id in list(handler.got)]
        wanted = [(application, url)] if application else []
        self.shard.expect(got == wanted, f"I20: after a tool opened {shown(url)}, the handlers have "
                          + str([(name, shown(text)) for name, text in got]))

    # What must not happen

    def settle(self):
        """Compares the programs that ran with those that should have run."""
        for handler in self.handlers:
            self.shard.expect(not handler.got and not handler.error,
                              f"I20: {handler.application} has deliveries that nobody sent: "
                              f"{[shown(url) for url in handler.got.values()]} {handler.error or ''}")
        self.compare_marks(self.expected)
        self.expected = []
        if self.trap.exists():
            raise Broken(f"I20: a URL has started a program: {self.trap.read_text()[:500]}")
        self.check_programs()

    def compare_marks(self, expected):
        """The arguments of each start of the marker. The broker does not wait for a program that it starts, so each one
        writes a byte when it has noted them."""
        missing, deadline = len(expected), time.monotonic() + self.patience
        while missing > 0 and select.select([self.started], [], [], max(0, deadline - time.monotonic()))[0]:
            missing -= len(os.read(self.started, missing))
        got = sorted(mark.read_bytes() for mark in self.marks.iterdir())
        wanted = sorted(b"1\0" + url + b"\0END\0" for url in expected)
        if got != wanted:
            raise Broken("I20: the desktop application was not started with the URL, byte for byte: it got "
                         f"{[shown(mark) for mark in got if mark not in wanted][:3]} and not "
                         f"{[shown(mark) for mark in wanted if mark not in got][:3]}")
        self.shard.add(launched=len(got))
        for mark in list(self.marks.iterdir()):
            mark.unlink()

    def check_programs(self):
        """The programs that the broker and its children have executed, as the tracer saw them."""
        text = self.trace.read_text(errors="replace")
        # The tracer writes one call as two lines if another process runs in between. If it shows an address instead of
        # the program, the process or thread has ended before the call, and nothing was executed.
        lines = [line for line in text.splitlines()
                 if re.search(r"execve(at)?\((?!0x)", line) and " = -1 " not in line]
        tool = (self.place.programs / "ipc-desktop-open").resolve()
        allowed = (
            rf'execve\("[^"]*/ipc-broker", ', rf'execve\("{tool}", \["{tool}", "(find"|launch", "camp.desktop")\], ',
            rf'execve\("[^"]*/gio-launch-desktop", \["[^"]*/gio-launch-desktop", "{self.marker}", ',
            rf'execve\("{self.marker}", \["{self.marker}", ')
        for line in lines[self.checked:]:
            if not any(re.search(pattern, line) for pattern in allowed):
                raise Broken(f"I20: the broker has started another program: {line[:500]}")
        self.checked = len(lines)
        starts = sum(f'execve("{self.marker}"' in line for line in lines)
        self.shard.expect(starts == self.launches, f"I20: the desktop application was started {starts} times, and "
                          f"{self.launches} URLs were for it")


class Handler:
    """A program that claims schemes, and keeps the bytes of each URL that it gets, by the id of the request."""

    def __init__(self, place, application, change):
        self.connection, self.application, self.change = place.connect(), application, change
        self.got, self.is_ending, self.error = {}, False, None
        schemes = [scheme for scheme, owner in urls.CLAIMS.items() if owner == application]
        self.connection.request(*wire.BUS, "RequestName", "su", application, 4)
        reply = self.connection.ask("Schemes1", "Register", "sasa{sv}", application, schemes, {"window": ("u", 64)})
        if reply.kind == wire.ERROR:
            raise Broken(reply.text)

    def serve(self):
        try:
            while not self.is_ending:
                self.connection.sort()
                for call in self.connection.others:
                    if call.kind == wire.CALL and call.member == "OpenURL":
                        id, url, _ = call.values
                        if id in self.got:
                            self.error = f"the request {id} came twice"
                        self.got[id] = self.change(url.encode("utf-8", "surrogatepass"))
                        self.connection.reply(call, "sa{sv}", "handled", {})
                self.connection.others.clear()
                with contextlib.suppress(TimeoutError):
                    self.connection._receive(time.monotonic() + 0.2)
        except Exception as error:
            self.error = self.is_ending or repr(error)


def script(path, line):
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
    return path


def reserved():
    """The reserved schemes that the contract lists."""
    text = (contract.ROOT / "dbus/org.swiftipc.Schemes1.xml").read_text()
    sentence = re.search(r"can be claimed only with ``allow-reserved``: ([^.]*)\.", text).group(1)
    return set(re.split(r",\s+", sentence.strip()))


def shown(url):
    return repr(url if len(url) <= 300 else url[:300] + b"...") + f" ({len(url)} bytes)"


# Controls

def control_normalizes(shard):
    """A handler, or a library below it, that decodes a URL."""
    with shard.finds(" reached "), Scene(shard, change=lambda url: url.replace(b"%7E", b"~")) as scene:
        scene.attack(shard.count)


def control_runs_shell(shard):
    """A desktop entry that gives the URL to a shell."""
    with Scene(shard, command='/bin/sh -c "eval {marker} $0" %u') as scene:
        scene.patience = 1
        scene.attack(shard.count)


def control_other_handler(shard):
    """Another program that claims the scheme, and that the user has chosen."""
    with Scene(shard) as scene:
        scene.probe.ask("Schemes1", "Register", "sasa{sv}", "campaign.Two", ["camp-one"], {"persistent": ("b", True)})
        scene.probe.ask("Schemes1", "SetDefault", "ssa{sv}", "camp-one", "campaign.Two", {})
        scene.attack(shard.count)
