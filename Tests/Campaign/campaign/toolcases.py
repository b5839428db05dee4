"""Command lines for the tools, generated from their help texts, with the inputs, outputs and signals of each run."""

import dataclasses
import os
import pathlib
import re
import subprocess

SIGNALS = (15, 2, 1, 13, 3)
EDGES = (0, 1, 2, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30)
NUMBERS = [str(number) for number in EDGES] + ["-1", "+1", " 1", "1 ", "", "0x10", "1e3", "1.5", "NaN", "٣", "1_000"]
TIMES = ["0", "1ms", "300ms", "1", "2s", "30d", "4w", "5w", "9999999999999999999w", "18446744073709551616ms", "-1s",
         "1.5s", "∞", "", "ms", "1 s", "00001s"]
IDS = ["demo.IPCClient", "demo.IPCServer", "org.example.A-b", "a.b", "a", "", ".", "a..b", "-a.b", "9a.b", ":1.5",
       "org.swiftipc.Broker1", "org.freedesktop.DBus", "a." + "b" * 253, "a." + "b" * 254, "a/b.c"]
REQUESTS = ["4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11", "0", "", "-", "x" * 64, "x" * 300, "a b"]
SCHEMES = ["IPCServer.demo", "demo", "http", "HTTP", "a+b", "1a", "", ":", "a:", "é", "s" * 300]
URLS = ["IPCServer.demo:x", "ipcserver.DEMO://a?b", "none.demo:x", "http://example.org/", "file:///nowhere",
        "mailto:a@b", "IPCServer.demo://x-callback-url/a?x-success=IPCClient.demo:y&x-error=%zz", "x", ":", "", "-x:y",
        "a:" + "%" * 70_000]
BOARDS = ["general", "b0", "b1", "b2", "", ".", "..", "a/b", "unique-1", "-", "--", "b" * 255, "b" * 5_000, "B é"]
TYPES = ["text/plain", "public.utf8-plain-text", "image/png", "text/plain;charset=utf-8=scratch.txt", "a/b=missing",
         "x-kde-passwordManagerHint=scratch.txt", "text/", "/", "", "none", "auto", "a/" + "b" * 300, "text/plain=-"]
PATHS = ["scratch.txt", "missing.txt", "folder", "folder/new", "missing/new", "binary", "/dev/null", "/dev/full", "-",
         "", ".", "p" * 300, "fifo", "settings.json", "broken.json"]
# The commands run as the user of the test, so they are not random.
COMMANDS = ["cat", "true", "false", "exit 3", "kill -SEGV $$", "printf '\\033[31m\\377'", "head -c 1", "#", ""]
WORDS = ["hello", "a b", "", "-", "--", "é", "\u2028", "\x1b[31mred", "a\nb\tc", "\x7f\x80", "'\"$(:)`"]
ODD_OPTIONS = ["--", "-", "-h", "--help", "help", "--version", "-x", "-hx", "--no", "--foo", "--foo=", "---completion",
               "--generate-completion-script", "--generate-completion-script=bash", "--experimental-dump-help",
               "--json", "--json=pretty", "--json=", "--json=x", "--color=always", "--color=", "--=", "=", "-=x"]
VALUES = {
    "n": NUMBERS, "time": TIMES, "id": IDS, "application": IDS, "request-id": REQUESTS, "scheme": SCHEMES,
    "callback-scheme": SCHEMES, "url": URLS, "board": BOARDS, "type": TYPES, "path": PATHS, "file": PATHS,
    "folder": PATHS, "store": ["store", "folder", "scratch.txt", "missing/deep/store", "/dev/null", "", "s" * 300],
    "command": COMMANDS, "cmd": COMMANDS, "when": ["auto", "always", "never", "Auto", ""], "text": WORDS,
    "state": ["waiting", "ended", "queued", "timed-out", "none", ""], "name": [":1", ":99", "x", "", "tcp/nowhere:0"],
    "log-level": ["trace", "error", "none", ""], "log-format": ["text", "json", "xml"],
    "name=value": ["watchers=1", "watchers=0", "pasteboards=18446744073709551616", "attempts=-1", "none=1", "=", "a",
                   "a=b=c"]}
INPUTS = ("null", "closed", "empty", "text", "binary", "huge", "file", "directory", "fifo", "open")
OUTPUTS = ("pipe", "file", "null", "closed", "full", "broken", "short")
# Commands that may wait for as long as nothing happens.
WAITING = {"listen", "watch", "wait", "send", "open", "call", "can-open", "ipc-server", "ipc-bridge", "ipc-broker"}
CALLS = ("sendmsg", "recvmsg", "epoll_wait", "write", "sendfile", "futex", "read", "close", "mmap", "fcntl", "all",
         "all")


@dataclasses.dataclass(frozen=True)
class Command:
    """A command, as its help text describes it: `options` has the value of each option (`None` for a flag)."""
    tool: str
    words: tuple
    options: tuple
    arguments: tuple


def commands(programs, tool, words=()):
    """The commands of a tool, found by following the lists of subcommands in its help texts."""
    text = subprocess.run([programs / tool, *words, "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z][a-z-]*) ", "\n".join(re.findall(
        r"SUBCOMMANDS:\n(.*?)(?:\n\n|\Z)", text, re.DOTALL)), re.MULTILINE)
    if names:
        return [command for name in names for command in commands(programs, tool, (*words, name))]
    options = [(name, value or None) for names, value in re.findall(
        r"^  (-(?:[^\s<,]|, |/--)*)(?: <([^>]+)>)?", text, re.MULTILINE) for name in re.split(r", |/", names)]
    part = re.search(r"^ARGUMENTS:\n(.*?)\n\n", text, re.DOTALL | re.MULTILINE)
    arguments = re.findall(r"^  <([^>]+)>", part[1], re.MULTILINE) if part else []
    return [Command(tool, words, tuple(options), tuple(arguments))]


@dataclasses.dataclass
class Case:
    """One run of a tool. `signal` is `None`, or when which signal arrives: (`call`, number, system call, count) or
    (`output`, number, bytes)."""
    command: Command
    arguments: list
    input: str
    output: str
    signal: tuple | None
    seed: str

    def __str__(self):
        shown = [word if len(word) < 200 else word[:100] + f"…{len(word)} bytes".encode() for word in self.arguments]
        return (f"[{self.seed}] {self.command.tool} {' '.join(map(repr, shown[:40]))}"
                f" (input {self.input}, output {self.output}, signal {self.signal})")

    @property
    def may_wait(self):
        words = {self.command.tool, *self.command.words}
        return bool(words & WAITING) or self.input == "open" or any(b"fifo" in word for word in self.arguments)


def garbage(random):
    """Bytes that can be an argument, without a slash, so that they name nothing outside of the current folder."""
    kind = random.randrange(5)
    if kind == 0:
        return random.randbytes(random.randrange(1, 40)).replace(b"\0", b"\1").replace(b"/", b"|").replace(b"..", b",,")
    if kind == 1:
        return bytes(random.choice(b"-=,:;%\\\"'` \t\n\r\x1b[m\x7fAa0") for _ in range(random.randrange(1, 30)))
    if kind == 2:
        return random.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\xe2\x80", b"\xc2\x9b31m"])
    if kind == 3:
        text = random.choice(["\u202e", "\u2028", "\ufeff", "e\u0301", "𝕊", "\U0010ffff"])
        return text.encode() * random.randrange(1, 9)
    return random.choice([b"A", b"-", b"\xc3\xa9", b"\x1b"]) * random.choice([255, 4_096, 60_000])


def value(random, name, tame=False):
    """A value of an option or an argument. The first values of each kind are valid, which `tame` prefers."""
    if tame:
        return random.choice(VALUES.get(name, WORDS)[:3]).encode()
    if name in ("command", "cmd"):
        return random.choice(COMMANDS).encode()
    if random.random() < 0.2:
        return garbage(random)
    return random.choice(VALUES.get(name, WORDS)).encode()


def arguments(random, command, tame):
    """A command line that often is valid, and often is not, unless it is tame."""
    words = []
    most = random.choice([0, 0, 1, 1, 2] if tame else [0, 0, 1, 1, 2, 3, 9])
    for option, kind in random.sample(command.options, min(len(command.options), most)):
        if option in ("-h", "--help", "--version") and random.random() < 0.8:
            continue
        text = option.encode()
        if kind is None:
            words.append([text])
        else:
            given = value(random, kind, tame)
            words.append([text + b"=" + given] if random.random() < 0.3 else [text, given])
        if random.random() < 0.03:
            words.append(words[-1])
    for kind in command.arguments if tame or random.random() < 0.9 else ():
        words.insert(random.randrange(len(words) + 1), [value(random, kind, tame)])
    if not tame and random.random() < 0.12:
        words.insert(random.randrange(len(words) + 1), [random.choice(ODD_OPTIONS).encode()])
    if not tame and random.random() < 0.08:
        words.append([garbage(random)])
    if random.random() < 0.01:
        words.append([value(random, "text") for _ in range(2_000)])
    before = [word.encode() for word in command.words]
    if before and random.random() < 0.03:
        before[-1] = random.choice([garbage(random), before[-1][:-1], before[-1].upper(), b""])
    return fitting(before + [word for group in words for word in group])


def fitting(words):
    """As many of the words as Linux passes to a program: 128 KiB each, and here 1 MiB in all."""
    total, kept = 0, []
    for word in words:
        word = word[:131_000]
        total += len(word) + 9
        if total > 1 << 20:
            break
        kept.append(word)
    return kept


def case(random, command, seed):
    # A signal is of interest while a command works, so most command lines with signals are valid.
    is_signalled = random.random() < 0.3
    # The program that the broker runs reads a token and a URL, and has no options.
    if command.tool == "ipc-desktop-open":
        words = random.choice([[b"find"], [b"launch", b"campaign.desktop"], [b"launch", garbage(random)], [b"launch"],
                               [], [garbage(random)], [b"find", b"x"]])
    else:
        words = arguments(random, command, is_signalled and random.random() < 0.8)
    signal = None
    if is_signalled:
        number = random.choice(SIGNALS)
        call = random.choice(CALLS)
        signal = ("call", number, call, random.randrange(1, 300 if call == "all" else 16))
        if random.random() < 0.2:
            signal = ("output", number, random.randrange(1, 4_000))
    output = "pipe" if signal and signal[0] == "output" else random.choice(OUTPUTS)
    return Case(command, words, random.choice(INPUTS), output, signal, seed)


def prepare(folder):
    """The files that the command lines name, in the folder in which the tools run."""
    folder = pathlib.Path(folder)
    (folder / "folder").mkdir(parents=True)
    (folder / "scratch.txt").write_text("scratch\n")
    (folder / "binary").write_bytes(bytes(range(256)) * 64)
    (folder / "huge").write_bytes(bytes(range(256)) * (1 << 15))
    (folder / "settings.json").write_text(
        '{"format": 1, "claims": [{"scheme": "campaign.demo", "application": "a.b"}]}')
    (folder / "broken.json").write_text('{"format": 1, "claims": [{"scheme": "\\ud800", "application": 3}]')
    os.mkfifo(folder / "fifo")
