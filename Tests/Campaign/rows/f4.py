"""No argument, input, output or signal makes a tool crash, hang or end with an undocumented code.

The command lines are generated from the help texts. Each runs with an input (closed, empty, binary, a directory, a FIFO
whose writer goes away …), an output (closed, full, broken …) and often a signal at one of its system calls or after
some output. A quarter of the cases check that a signal or a broken output in the middle of `set`, `get --take` or
`send --queue` leaves either all or nothing.
"""

import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import time

import wire
from campaign import buses, toolcases, toolruns
from campaign.place import Place
from campaign.shard import Broken

INVARIANTS = (2, 12, 20, 23)
UNIT = "runs"
SIZES = dict(small=60, full=5_000)
SHARD = 625
BUSES = False

TOOLS = ("ipc-client", "ipc-server", "ipc-broker", "ipc-bridge", "ipc-desktop-open")
# The documented exit codes (ipc(7), docs/tools.md, the comment at the start of DesktopOpen.swift).
CODES = {"ipc-client": {0, 1, 2, 64, 65, 66, 68, 69, 70, 73, 74, 75, 77}, "ipc-broker": {0, 64, 65, 66, 69, 73, 74, 77},
         "ipc-desktop-open": {0, 64, 68, 69, 74}}
# These codes always come with a message; 68 and 69 may be the answer of a command.
MESSAGES = {64, 65, 66, 73, 74, 77}
CORPUS = pathlib.Path(__file__).resolve().parents[1] / "corpus/f4/cases.json"
ENTRY = """[Desktop Entry]
Type=Application
Name=Campaign
Exec=/bin/true %u
MimeType=x-scheme-handler/campaign.test;
"""
DEFAULTS = "[Default Applications]\nx-scheme-handler/campaign.test=campaign.desktop\n"


class Scene(contextlib.ExitStack):
    """A broker with a handler and some pasteboards, a second bus on which brokers may start, and a display."""

    def __init__(self, shard, programs=None, seconds=None):
        super().__init__()
        self.shard = shard
        shard.bus, shard.limits = "daemon", "stock"
        applications = shard.folder / "share/applications"
        applications.mkdir(parents=True)
        (applications / "campaign.desktop").write_text(ENTRY)
        (applications / "mimeapps.list").write_text(DEFAULTS)
        # Nothing of the machine's desktop may be started.
        share = dict(XDG_DATA_DIRS=str(shard.folder / "share"), SWIFT_IPC_STORE="", SWIFT_BACKTRACE="enable=no")
        self.place = self.enter_context(Place(shard, environment=share))
        self.server = self.place.start(shard.programs / "ipc-server", stdout=subprocess.DEVNULL)
        self.connection = self.place.connect()
        self.place.wait_for_name(self.connection, "demo.IPCServer")
        self.tested = pathlib.Path(programs or shard.programs)
        environment = self.place.environment | share | dict(self.display())
        self.folder = shard.folder / "scratch"
        toolcases.prepare(self.folder)
        self.tools = toolruns.ToolRun(self.tested, self.folder, environment, seconds or 20)
        self.side = self.side_bus()
        self.brokers = toolruns.ToolRun(
            self.tested, self.folder, environment | dict(DBUS_SESSION_BUS_ADDRESS=f"unix:path={self.side.path}"))
        self.commands = [command for tool in TOOLS[:4] for command in toolcases.commands(shard.programs, tool)]
        self.commands.append(toolcases.Command("ipc-desktop-open", (), (), ()))

    def side_bus(self):
        folder = self.shard.folder / "side"
        folder.mkdir()
        bus = buses.Bus("daemon", "stock", folder, self.place.environment)
        bus.start()
        self.callback(bus.kill)
        return bus

    def display(self):
        """An X11 display for ipc-bridge, at full size."""
        if self.shard.size != "full" or self.shard.part.control:
            return {}
        reads, writes = os.pipe()
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writes), "-nolisten", "tcp"], pass_fds=[writes], stderr=subprocess.DEVNULL)
        os.close(writes)
        self.callback(lambda: (server.kill(), server.wait()))
        with open(reads) as file:
            return dict(DISPLAY=":" + file.readline().strip())

    def run(self, case):
        return (self.brokers if case.command.tool == "ipc-broker" else self.tools).run(case)

    def content(self, board):
        """The values on a pasteboard, read by a call of this process; `None` if there is no such pasteboard."""
        reply = self.connection.wait(self.connection.pasteboard(board, "GetItems", "a{sv}", {}))
        if reply.kind == wire.ERROR:
            return None
        return [value if isinstance(value, bytes) else value.encode() for item in reply.values[1] for _, value in item]

    def expect_broker(self, case):
        if self.place.broker.poll() is not None:
            raise Broken(f"the broker ended with {self.place.broker.returncode} after {case}")


def run(shard):
    with Scene(shard) as scene:
        for case in replayed(scene.commands) if shard.number == 0 else ():
            check(scene, case)
        for index in range(shard.count):
            seed = f"{shard.seed}/{shard.number}/{index}"
            own = random.Random(seed)
            kind = index % 12
            if kind < 8:
                check(scene, toolcases.case(own, chosen(own, scene.commands), seed))
            elif kind < 11:
                whole_or_nothing(scene, own, seed, ("set", "take", "queue")[kind - 8])
            elif index % 24 == 11:
                lost_output(scene, own, seed)
            else:
                terminal(scene, own, seed)
            shard.done()


def chosen(own, commands):
    """A random command. The programs with one command get a third of the runs."""
    if own.random() < 0.35:
        return own.choice([command for command in commands if not command.words])
    return own.choice(commands)


def replayed(commands):
    """The cases that once failed."""
    for row in json.loads(CORPUS.read_text()) if CORPUS.exists() else []:
        command = next(one for one in commands if one.tool == row["tool"] and list(one.words) == row.get("words", []))
        yield toolcases.Case(
            command, [word.encode("latin-1") for word in row["arguments"]], row.get("input", "null"),
            row.get("output", "pipe"), row.get("signal") and tuple(row["signal"]), f"corpus: {row['why']}")


# Checks

def check(scene, case):
    """Runs one command line, and checks how it ended."""
    ended = scene.run(case)
    scene.shard.add(**{f"{'signals' if case.signal else 'command_lines'}": 1})
    check_end(case, ended)
    check_messages(case, ended)
    scene.expect_broker(case)
    return ended


def check_end(case, ended):
    if ended.hang:
        raise Broken(f"{case}: {ended.hang}")
    allowed = set(CODES.get(case.command.tool, CODES["ipc-client"]))
    for number in ended.signals:
        allowed |= {-number, 128 + number}
    if case.output in ("broken", "short"):
        allowed.add(-13)
    if ended.code not in allowed:
        raise Broken(f"{case}: the exit code {ended.code} is not documented; {ended.err[-500:]!r}")


def check_messages(case, ended):
    """Standard error is UTF-8 without control characters, and an error is one message."""
    tool = case.command.tool
    try:
        text = ended.err.decode()
    except UnicodeDecodeError:
        raise Broken(f"{case}: standard error is not UTF-8: {ended.err[-500:]!r}") from None
    if any(b"always" in word for word in case.arguments):
        text = re.sub("\x1b\\[[0-9;]*m", "", text)
    if found := re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", text):
        raise Broken(f"{case}: standard error has the control character {found[0]!r}: {text[-500:]!r}")
    # An error as text, as JSON, as indented JSON, and in the broker's log in both forms.
    forms = [f"{tool}: ", '{"error":', ' *"error": '] + [r"\S+Z error: ", '.*"level":"error"'] * (tool == "ipc-broker")
    lines = [line for line in text.splitlines() if any(re.match(form, line) for form in forms)]
    # The bridge also reports its transfers with its name.
    most = 100 if tool == "ipc-bridge" else max(1, len(case.arguments)) if "request" in case.command.words else 1
    if len(lines) > most:
        raise Broken(f"{case}: there are {len(lines)} error messages: {text[-1_000:]!r}")
    # In JSON, an error that affects one of several ids is a warning. A reader that is gone gets no message, nor does a
    # shell that completes a word, and the program that the broker runs reports with its code.
    silent = (tool == "ipc-desktop-open" or (ended.code == 74 and case.output in ("broken", "short")) or ended.signals
              or b"---completion" in case.arguments)
    if ended.code in MESSAGES and not lines and '"warning":' not in text and not silent:
        raise Broken(f"{case}: it ended with {ended.code} without a message: {text[-500:]!r}")


def lost_output(scene, own, seed):
    """A command that prints something must not succeed if its output is full or closed."""
    command = chosen(own, scene.commands)
    words = [word.encode() for word in command.words]
    more = own.choice([[b"--help"], [b"--help"], [b"-h"]] + [[b"--version"]] * (not words))
    if command.tool == "ipc-client" and own.random() < 0.5:
        words = own.choice([[b"board", b"list"], [b"scheme", b"list"], [b"broker", b"status"], [b"broker", b"describe"],
                            [b"get", b"general", b"--list-types"], [b"copy", b"x", b"--json"], [b"doctor", b"--all"]])
        more = own.choice([[], [b"--json"], [b"--color=always"]])
    if command.tool == "ipc-desktop-open":
        words, more = [b"find"], []
    case = toolcases.Case(command, words + more, "text", "pipe", None, seed)
    printed = check(scene, case).out
    for output in ("full", "closed"):
        case = toolcases.Case(command, words + more, "text", output, None, seed)
        if check(scene, case).code == 0 and printed.strip():
            raise Broken(f"{case}: the exit code is 0, but the output {printed[:60]!r} is lost")


def whole_or_nothing(scene, own, seed, kind):
    """A signal at some system call, or a broken output, leaves the whole effect or none."""
    board, name = f"whole-{kind}", {"set": "set", "take": "get", "queue": "send"}[kind]
    command = next(one for one in scene.commands if one.words == (name,))
    old, new = (f"{seed} {word} ".encode() * own.choice([1, 40, 9_000]) for word in ("old", "new"))
    scene.place.run("ipc-client", "set", board, "--timeout", "20", input=old)
    (scene.folder / "scratch.txt").write_bytes(new)
    words = {"set": [b"set", board.encode()], "take": [b"get", board.encode(), b"--take"],
             "queue": [b"send", b"--queue", b"--to", b"campaign.none", b"--pasteboard", board.encode()]}[kind]
    call = own.choice(toolcases.CALLS)
    signal = ("call", own.choice((15, 2, 1)), call, own.randrange(1, 250 if call == "all" else 16))
    output = "pipe"
    if kind == "take" and own.random() < 0.4:
        signal, output = None, own.choice(["full", "closed", "broken", "short"])
    case = toolcases.Case(command, words, "file", output, signal, seed)
    ended = check(scene, case)
    found = scene.content(board)
    scene.shard.add(whole_or_nothing=1)
    if kind != "take":
        if found not in ([old], [new]) or (ended.code == 0 and found != [new]):
            raise Broken(f"{case}: the pasteboard has neither the old nor the new content: {str(found)[:300]}")
    elif ended.out != old and found != [old]:
        raise Broken(f"{case}: the taken content is lost: {len(ended.out)} of {len(old)} bytes were written, exit code "
                     f"{ended.code}, and the pasteboard has {str(found)[:300]}; {ended.err[-300:]!r}")


def terminal(scene, own, seed):
    """A terminal has its settings back after the end, whatever ended the tool."""
    for version in range(2):
        scene.place.run("ipc-client", "set", "general", f"version {version}")
    words = own.choice([
        ["pick"], ["pick"], ["watch"], ["get", "general"], ["listen", "--application", "campaign.listen"],
        ["set", "b0"], ["request", "wait", "x"], ["open", "none.demo:x"]])
    keys, number = own.choice([
        (b"\x03", None), (b"\x1c", None), (b"\x04", 15), (b"1\n", 15), (b"", 15), (b"x\x1b[A", 2)])
    command = [os.fspath(scene.tested / "ipc-client"), *words]
    shown = f"[{seed}] {' '.join(words)} on a terminal (keys {keys}, signal {number})"
    before = time.monotonic()
    environment = scene.tools.environment | dict(TERM="xterm")
    code, text, changed = toolruns.on_terminal(command, scene.folder, environment, keys, number)
    scene.shard.add(terminals=1)
    if code is None:
        raise Broken(f"{shown}: it did not end within {time.monotonic() - before:.0f} s: {text!r}")
    # A hidden cursor and the alternate screen.
    on, off = (b"\x1b[?25l", b"\x1b[?1049h"), (b"\x1b[?25h", b"\x1b[?1049l")
    if changed or any(text.count(begin) != text.count(end) for begin, end in zip(on, off)):
        raise Broken(f"{shown}: the terminal is left in another state: {text[-300:]!r}")
    if code not in CODES["ipc-client"] | {-2, -3, -15, 130, 131, 143}:
        raise Broken(f"{shown}: the exit code {code} is not documented")


# Controls: programs that break one rule each

def broken_tool(shard, text, check, seconds=None):
    """Runs a check with a shell script in place of each tool; `$real` is the real one."""
    programs = shard.folder / "broken"
    programs.mkdir()
    for tool in TOOLS:
        script = f"#!/bin/sh\nreal={shard.programs / tool}\n{text}\n"
        (programs / tool).write_text(script)
        (programs / tool).chmod(0o755)
    with Scene(shard, programs, seconds) as scene:
        for index in range(shard.count):
            check(scene, index)


def plain(*arguments, **options):
    """A check of one command line, the same each time."""
    def body(scene, index):
        command = next(one for one in scene.commands if one.words == ("board", "list"))
        fields = dict(input="null", output="pipe", signal=None) | options
        check(scene, toolcases.Case(command, [*arguments], **fields, seed=f"control {index}"))
    return body


def control_code(shard):
    broken_tool(shard, "echo 'ipc-client: no' >&2; exit 99", plain())


def control_abort(shard):
    broken_tool(shard, "kill -ABRT $$", plain())


def control_other_signal(shard):
    """A tool that ends with another signal than the one that it got."""
    broken_tool(shard, "trap 'kill -KILL $$' TERM; while :; do :; done",
                plain(signal=("call", 15, "write", 1), output="file"), 1)


def control_hang(shard):
    broken_tool(shard, "sleep 60", plain(), 1)


def control_silence(shard):
    broken_tool(shard, "exit 65", plain())


def control_echo(shard):
    broken_tool(shard, "echo \"ipc-client: there is no $1\" >&2; exit 64", plain(b"\x1b[31m"))


def control_two_messages(shard):
    broken_tool(shard, "echo 'ipc-client: no\nipc-client: no' >&2; exit 64", plain())


def control_lost_output(shard):
    broken_tool(shard, "$real \"$@\" >/dev/null; echo 'some output' 2>/dev/null; exit 0",
                lambda scene, index: lost_output(scene, random.Random(str(index)), str(index)))


def control_terminal(shard):
    broken_tool(shard, "stty -echo; echo hello; exit 0",
                lambda scene, index: terminal(scene, random.Random(str(index)), str(index)))


def control_take(shard):
    """A tool that takes the content, and does not put it back when it is stopped."""
    broken_tool(shard, "$real \"$@\" >/dev/null; exit 74",
                lambda scene, index: whole_or_nothing(scene, random.Random(str(index)), str(index), "take"))


def control_torn(shard):
    """A tool that sets half of its input when it is stopped."""
    broken_tool(shard, "head -c 4 | $real \"$@\"; exit 0",
                lambda scene, index: whole_or_nothing(scene, random.Random(str(index)), str(index), "set"))
