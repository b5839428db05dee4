"""In any environment, a program works or ends with one clear sentence and a documented exit code.

Every command of the list below runs with every defect of the environment: the bus (none, malformed, silent, wrong), the
runtime directory, HOME, locales, umask, standard streams, the working directory, limits of the process. Nothing crashes
or hangs, files stay private whatever the umask, and no file is created in /tmp in place of a missing directory.
"""

import contextlib
import os
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import threading
import time

import wire
from campaign.bench import Bench
from campaign.shard import Broken

INVARIANTS = (23,)
UNIT = "combinations"
SMALL = 20
BUSES = False
SHARD = 400
DOCUMENTED = {0, 1, 2, 64, 65, 66, 68, 69, 70, 73, 74, 75, 77}
SECONDS = 30


class Launch:
    """How a program is started. A defect changes it."""

    def __init__(self, bench):
        self.environment = {name.encode(): value.encode() for name, value in bench.environment.items()}
        self.before, self.closed, self.files = [], [], {}
        self.directory = bench.folder
        self.bench = bench
        # Things that must end with the run.
        self.stack = contextlib.ExitStack()
        self.traced = False

    def set(self, name, value):
        self.environment.pop(name.encode(), None)
        if value is not None:
            self.environment[name.encode()] = value if isinstance(value, bytes) else value.encode()

    def prepare(self):
        """Runs in the new process."""
        for act in self.before:
            act()
        for number in self.closed:
            os.close(number)

    def start(self, command):
        out, errors = self.bench.folder / "out", self.bench.folder / "errors"
        files = dict(stdin=subprocess.DEVNULL, stdout=open(out, "wb"), stderr=open(errors, "wb"))
        files |= {name: self.opened(path, mode) for name, (path, mode) in self.files.items()}
        self.trace = self.bench.folder / "trace"
        if self.traced:
            command = ["strace", "-f", "-qq", "-o", self.trace, "-e", "trace=open,openat,mkdir,mkdirat,creat,rename",
                       *command]
        process = subprocess.Popen(
            [str(word) for word in command], env=self.environment, cwd=self.directory, preexec_fn=self.prepare,
            start_new_session=True, **files)
        self.bench.processes.append(process)
        return process


    def opened(self, path, mode):
        descriptor = os.open(path, mode)
        self.stack.callback(os.close, descriptor)
        return descriptor


# Defects. Each is a function that changes a launch; its `codes` say what may happen for each kind of program.

class Defect:
    """`codes`: the exit codes that are right, for a client, a server and a broker; 0 means that it works."""

    def __init__(self, what, apply, client={0}, server=None, broker=None):
        self.what, self.apply = what, apply
        self.codes = dict(client=client, server=server or client, broker=broker or client)
        self.codes["none"] = {0} | (self.codes["client"] & {74})


NO_BUS = {69}


def bus(what, address, codes=NO_BUS, runtime=True):
    def apply(launch):
        launch.set("DBUS_SESSION_BUS_ADDRESS", address)
        if not runtime:
            launch.set("XDG_RUNTIME_DIR", None)
            launch.traced = True
    return Defect(f"bus: {what}", apply, codes)


def peer(what, behaviour, codes):
    """A socket with a peer that is no bus."""
    def apply(launch):
        path = launch.bench.folder / "peer"
        path.unlink(missing_ok=True)
        listener = launch.stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(path))
        listener.listen(50)
        threading.Thread(target=behave, args=(listener, behaviour), daemon=True).start()
        launch.stack.callback(lambda: listener.shutdown(socket.SHUT_RDWR))
        launch.set("DBUS_SESSION_BUS_ADDRESS", f"unix:path={path}")
    return Defect(f"bus: {what}", apply, codes)


def behave(listener, behaviour):
    kept = []
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            kept.append(connection)
            threading.Thread(target=answer, args=(connection, behaviour), daemon=True).start()


def answer(connection, behaviour):
    with contextlib.suppress(OSError):
        if behaviour == "close":
            connection.close()
        while behaviour and connection.recv(4_096):
            connection.sendall(behaviour)


def runtime(what, make, codes={0}):
    """A runtime directory that is missing or unsafe, although the address of the bus is known."""
    def apply(launch):
        path = launch.bench.folder / "odd run"
        clear(path)
        launch.set("XDG_RUNTIME_DIR", make(path) or str(path))
        launch.traced = True
    return Defect(f"runtime directory: {what}", apply, codes)


def home(what, make, broker={0}):
    """HOME alone decides where the broker's store is."""
    def apply(launch):
        path = launch.bench.folder / "odd home"
        clear(path)
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "SWIFT_IPC_STORE"):
            launch.set(name, None)
        launch.set("HOME", make(path))
        launch.traced = True
    return Defect(f"home: {what}", apply, broker=broker)


def variable(name, value):
    return Defect(f"{name}={value!r:.40}", lambda launch: launch.set(name, value))


def limit(what, which, value, **codes):
    return Defect(f"limit: {what}", lambda launch: launch.before.append(
        lambda: resource.setrlimit(which, (value, value))), **codes)


def umask(bits):
    return Defect(f"umask {bits:04o}", lambda launch: launch.before.append(lambda: os.umask(bits)))


def streams(what, closed=(), **files):
    def apply(launch):
        launch.closed += closed
        launch.files |= files
    is_limited = {1, 2} & set(closed) or {"stdout", "stderr"} & set(files)
    # What a program cannot write, it must not report as success (74); some write nothing there.
    return Defect(f"streams: {what}", apply, client={0, 74} if is_limited else {0}, broker={0})


def directory(path):
    path.mkdir()


def link(path, target):
    os.symlink(target, path)


def owned_by_another(path):
    path.mkdir(mode=0o700)
    os.chown(path, 65_534, 65_534)


def made(path, mode):
    path.mkdir()
    os.chmod(path, mode)


def gone(launch):
    path = launch.bench.folder / "gone"
    path.mkdir()
    launch.directory = path
    launch.before.append(lambda: os.rmdir(path))


def clear(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def sub_home(name):
    def make(path):
        full = os.fsencode(path) + name
        os.makedirs(full)
        return full
    return make


DEFECTS = [
    Defect("nothing is wrong", lambda launch: None),
    bus("none, and no runtime directory", None, runtime=False), bus("none in the runtime directory", None),
    bus("empty, and no runtime directory", "", runtime=False), bus("a word", "garbage"), bus("no value", "unix:"),
    bus("no path", "unix:path"), bus("an empty path", "unix:path="), bus("a relative path", "unix:path=bus", {0, 69}),
    bus("separators", ";;;"), bus("an unknown transport", "pigeon:coop=1"),
    bus("a missing socket", "unix:path=/nothing"),
    bus("a directory", "unix:path=/"), bus("a file", "unix:path=/etc/passwd"), bus("a device", "unix:path=/dev/null"),
    bus("an abstract socket that is missing", "unix:abstract=nothing"), bus("bad escapes", "unix:path=%zz%"),
    bus("bytes that are no text", b"unix:path=/\xff\xfe"), bus("a very long path", "unix:path=/" + "x" * 60_000),
    bus("very many entries", "unix:path=/nothing;" * 2_000),
    bus("a port without a server", "tcp:host=127.0.0.1,port=1"),
    bus("no host", "tcp:host=,port=0"), bus("a missing program", "unixexec:path=/nothing"),
    bus("a program that is no bus", "unixexec:path=/bin/true"), bus("a wrong guid", None, NO_BUS),
    peer("a silent peer", None, {69, 75}), peer("a peer that closes", "close", NO_BUS),
    peer("a peer that rejects", b"REJECTED\r\n", NO_BUS),
    peer("a peer that answers rubbish", b"\0\xff" * 500, {69, 75}),
    peer("a peer that answers without end", b"DATA " + b"a" * 4_000, {69, 75}),
    peer("a peer that accepts anything", b"OK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n", {69, 75}),
    runtime("missing", lambda path: None), runtime("a file", lambda path: path.write_text("x") and None),
    runtime("open to others", lambda path: made(path, 0o777)), runtime("closed", lambda path: made(path, 0)),
    runtime("of another user", owned_by_another), runtime("a link", lambda path: link(path, "/")),
    runtime("a link to nothing", lambda path: link(path, "/nothing")), runtime("relative", lambda path: "run"),
    runtime("with odd bytes", lambda path: b"/\xff\xfe\n'\""), runtime("very long", lambda path: "/" + "r" * 5_000),
    home("not set", lambda path: None, {69}), home("empty", lambda path: "", {69}),
    home("missing", lambda path: str(path / "a/b"), {0}), home("a file", lambda path: "/etc/passwd", {69}),
    home("that cannot be written", lambda path: "/proc/self", {69}), home("relative", lambda path: "home", {69, 0}),
    home("with odd bytes", sub_home(b"/\xff\xfe\n'\"$(x)")),
    home("with text of many scripts", sub_home("/ホーム ü".encode())),
    home("with a very long path", sub_home(b"/" + b"/".join([b"d" * 200] * 8)), {0, 69}),
    home("that is a device", lambda path: "/dev/null", {69}), home("the root", lambda path: "/proc", {69}),
    *[variable(name, value) for name in ("LC_ALL", "LANG") for value in (
        "ja_JP.eucJP", "tr_TR.UTF-8", "C", "POSIX", "de_DE@euro", "invalid", b"\xff\xfe", "x" * 10_000, "")],
    variable("TZ", ":/nothing"), variable("TZ", "x" * 5_000), variable("TERM", b"\xff"), variable("COLUMNS", "-1"),
    variable("PATH", ""), variable("PATH", None), variable("XDG_CONFIG_HOME", "relative"), variable("NO_COLOR", "1"),
    variable("XDG_DATA_DIRS", ":::/nothing:" * 500), variable("DBUS_STARTER_ADDRESS", "garbage"),
    variable("NOTIFY_SOCKET", "/nothing"), variable("JOURNAL_STREAM", "garbage"), variable("DISPLAY", ":77"),
    umask(0), umask(0o777), umask(0o077), umask(0o700),
    streams("no stdin", [0]), streams("no stdout", [1]), streams("no stderr", [2]), streams("none", [0, 1, 2]),
    streams("no stdin and stdout", [0, 1]), streams("full stdout", stdout=("/dev/full", os.O_WRONLY)),
    streams("full stderr", stderr=("/dev/full", os.O_WRONLY)),
    streams("stdin is a directory", stdin=("/", os.O_RDONLY)),
    Defect("a working directory that is gone", gone), Defect("a working directory in /proc", lambda launch: setattr(
        launch, "directory", "/proc")),
    Defect("a huge environment", lambda launch: launch.environment.update(
        {f"V{number}".encode(): b"x" * 100_000 for number in range(12)})),
    Defect("odd variables", lambda launch: launch.environment.update({b"": b"x", b"\xff": b"\xff", b"A B": b"\n"})),
    Defect("an empty environment", lambda launch: launch.environment.clear(), NO_BUS),
    limit("16 files", resource.RLIMIT_NOFILE, 16, client={0, 69, 75}, broker={0, 69, 74}),
    limit("8 files", resource.RLIMIT_NOFILE, 8, client={0, 69, 74, 75}, broker={69, 74, 0}),
    # The row's own files for output and errors take 100 bytes at most then.
    limit("100 bytes in a file", resource.RLIMIT_FSIZE, 100, client={0, 74}, broker={69, 74}),
    limit("4,096 bytes in a file", resource.RLIMIT_FSIZE, 4_096, client={0, 74}, broker={69, 74}),
    limit("60,000 bytes in a file", resource.RLIMIT_FSIZE, 60_000, broker={0, 69, 74}),
    limit("no core file", resource.RLIMIT_CORE, 0), limit("a small stack", resource.RLIMIT_STACK, 128 << 10),
    Defect("signals are ignored and blocked", lambda launch: launch.before.append(lambda: (
        signal.signal(signal.SIGPIPE, signal.SIG_IGN), signal.pthread_sigmask(
            signal.SIG_BLOCK, [signal.SIGPIPE, signal.SIGCHLD, signal.SIGALRM])))),
]


# Commands. `check` looks at the effect if the command ends with 0.

class Command:
    def __init__(self, words, check=lambda bench, out: True, kind="client", ready=None):
        self.words, self.check, self.kind, self.ready = words, check, kind, ready

    @property
    def name(self):
        return " ".join(self.words[:3])


def written(bench, _):
    reply = bench.witness.wait(bench.witness.pasteboard("written", "GetItems", "a{sv}", {}))
    return reply.kind == wire.RETURN and reply.values[1][0][0][1] == "new"


WAIT = ["--timeout", "2"]
COMMANDS = [
    Command(["ipc-client", "get", "readable", *WAIT], lambda _, out: out == b"the value"),
    Command(["ipc-client", "set", "written", *WAIT, "new"], written),
    Command(["ipc-client", "send", "hello", *WAIT]),
    Command(["ipc-client", "board", "list", *WAIT], lambda _, out: b"readable" in out),
    Command(["ipc-client", "broker", "describe", *WAIT], lambda _, out: b"features" in out),
    Command(["ipc-client", "request", "list", "--json", *WAIT]),
    Command(["ipc-client", "scheme", "resolve", "IPCServer.demo:x", *WAIT], lambda _, out: b"demo.IPCServer" in out),
    Command(["ipc-client", "watch", "readable", "--since", "0", "--count", "1"], lambda _, out: b"readable" in out),
    Command(["ipc-client", "--version"], lambda _, out: bool(out), kind="none"),
    Command(["ipc-server", "--application", "demo.Second", "--scheme", "campaign.second"], kind="server",
            ready="demo.Second"),
    Command(["ipc-broker"], kind="broker", ready=wire.BROKER),
]
SIZES = dict(small=SMALL, full=len(COMMANDS) * len(DEFECTS))


class Scene(contextlib.ExitStack):
    """A bus with a broker and a handler for the clients, and another bus without a broker."""

    def __init__(self, shard, programs=None):
        super().__init__()
        self.programs = programs or shard.programs
        self.served = self.enter_context(Bench(shard, name="served"))
        self.empty = self.enter_context(Bench(shard, name="empty"))
        self.served.begin(self.served.folder / "store", programs=shard.programs)
        self.served.witness.wait(self.served.witness.pasteboard(
            "readable", "SetItems", "aa(sv)a{sv}", [[("text/plain;charset=utf-8", ("s", "the value"))]],
            {"create": ("b", True)}))
        self.served.start(shard.programs / "ipc-server", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.served.wait_for_name(self.served.witness, "demo.IPCServer")
        self.lasting = [list(bench.processes) for bench in (self.served, self.empty)]

    def attempt(self, command, defect):
        """Runs a command with a defect; raises `Broken` if it does not do as it should."""
        bench = self.empty if command.kind == "broker" else self.served
        launch = Launch(bench)
        with launch.stack:
            defect.apply(launch)
            if "wrong guid" in defect.what:
                launch.set("DBUS_SESSION_BUS_ADDRESS", f"unix:path={bench.bus.path},guid={'0' * 32}")
            try:
                code = self.run(bench, launch, command)
                self.judge(bench, launch, command, defect, code)
            except Broken as error:
                raise Broken(f"“{' '.join(command.words)}”, {defect.what}: {error}") from None
            finally:
                self.clear(bench)

    def run(self, bench, launch, command):
        """Runs a command to its end. A program that serves is stopped as soon as it is ready."""
        bench.witness.wait(bench.witness.pasteboard("written", "Clear", "a{sv}", {}))
        process = launch.start([self.programs / command.words[0], *command.words[1:]])
        deadline = time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            if command.ready and self.is_ready(bench, process, command.ready):
                os.killpg(process.pid, signal.SIGTERM)
                command = Command(command.words)
            time.sleep(0.004)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise Broken(f"it neither works nor ends within {SECONDS} s: {self.text(bench)[-500:]}")
        return process.returncode

    @staticmethod
    def is_ready(bench, process, name):
        owner = bench.witness.request(*wire.BUS, "GetConnectionUnixProcessID", "s", name)
        return owner.kind == wire.RETURN

    @staticmethod
    def text(bench):
        return (bench.folder / "errors").read_text(errors="replace")

    def judge(self, bench, launch, command, defect, code):
        errors, out = self.text(bench), (bench.folder / "out").read_bytes()
        if code < 0 or re.search(r"Fatal error|Backtrace|\*\*\* |core dumped", errors):
            raise Broken(f"it crashed with {code}: {errors[-500:]}")
        if code not in DOCUMENTED:
            raise Broken(f"it ended with {code}, which is no documented exit code: {errors[-500:]}")
        if code not in defect.codes[command.kind]:
            raise Broken(f"it ended with {code}, not with {sorted(defect.codes[command.kind])}: {errors[-500:]}")
        can_print = 1 not in launch.closed and "stdout" not in launch.files
        if code == 0 and can_print and not command.check(bench, out):
            raise Broken(f"it ended with 0, but has not done what it should: {out[-300:]!r} {errors[-300:]}")
        if code == 0 and not can_print and "get" in command.words:
            raise Broken("it ended with 0, but could not print the value")
        if code and 2 not in launch.closed and "stderr" not in launch.files:
            self.judge_sentence(errors)
        self.judge_files(bench, launch)

    @staticmethod
    def judge_sentence(errors):
        lines = [line for line in errors.splitlines() if line.strip()]
        if not lines or not 15 < len(lines[-1]) < 2_500:
            raise Broken(f"it gives no clear reason: {errors[-500:]!r}")
        complaints = [line for line in lines if re.match(r"ipc-\w+: |\S+ error: ", line)]
        if len(complaints) > 1 or len(lines) > 4:
            raise Broken(f"it gives more than one reason: {errors[-900:]!r}")

    def judge_files(self, bench, launch):
        """Files are private, and none is in a directory for temporary files."""
        for folder in ("data", "run", "odd run", "odd home", "home", "store", "config"):
            if (bench.folder / folder).is_symlink():
                continue
            for path in (bench.folder / folder).rglob("*"):
                mode = path.lstat().st_mode
                wanted = 0o700 if stat.S_ISDIR(mode) else 0o600
                if stat.S_ISLNK(mode) or stat.S_ISSOCK(mode) or "swift-ipc" not in str(path):
                    continue
                if stat.S_IMODE(mode) not in (wanted, 0o400):
                    raise Broken(f"{path.relative_to(bench.folder)} has the mode {stat.S_IMODE(mode):04o}")
        if launch.traced:
            for line in launch.trace.read_text(errors="replace").splitlines():
                self.judge_call(bench, line)

    @staticmethod
    def judge_call(bench, line):
        found = re.search(r'"((?:/var)?/tmp/[^"]*)"', line)
        if found and ("O_CREAT" in line or "mkdir" in line) and not found[1].startswith(str(bench.folder)):
            raise Broken(f"it falls back to a directory for temporary files: {line}")

    def clear(self, bench):
        """Ends what the command has left, and removes its files."""
        lasting = self.lasting[bench is self.empty]
        for process in [process for process in bench.processes if process not in lasting]:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            bench.processes.remove(process)
        for name in ("data", "odd run", "odd home"):
            clear(bench.folder / name)
        (bench.folder / "data").mkdir(mode=0o700)


def combinations(shard):
    """All combinations, in an order that the seed determines; each shard takes its share."""
    found = [(command, defect) for command in COMMANDS for defect in DEFECTS
             if shard.size == "full" or 75 not in defect.codes["client"]]
    shard.random.__class__(f"{shard.seed} b3").shuffle(found)
    shards = -(-SIZES[shard.size] // SHARD)
    return found[:SIZES[shard.size]][shard.number::shards]


def run(shard):
    with Scene(shard) as scene:
        for command, defect in combinations(shard)[:shard.count]:
            begin = time.monotonic()
            scene.attempt(command, defect)
            shard.worst(seconds=round(time.monotonic() - begin, 1))
            shard.done()


# Controls: programs that break a rule

BAD = dict(
    crash="kill -SEGV $$", wrong_code="echo 'ipc-client: a sentence that is clear enough' >&2; exit 42",
    silent="exit 69", false_success="exit 0", hang="exec sleep 100",
    talkative="for n in 1 2 3; do echo \"ipc-client: reason number $n of the failure\" >&2; done; exit 69",
    open_file="mkdir -p \"$XDG_DATA_HOME/swift-ipc\"; chmod 0755 \"$XDG_DATA_HOME/swift-ipc\"; printf 'the value'",
    falls_back="mkdir /tmp/swift-ipc-fall-back; rmdir /tmp/swift-ipc-fall-back; printf 'the value'")


def fake(shard, name, defect=0):
    """A program that breaks one rule, in place of ipc-client."""
    global SECONDS
    programs = shard.folder / "programs"
    programs.mkdir()
    (programs / "ipc-client").write_text("#!/bin/sh\n" + BAD[name] + "\n")
    (programs / "ipc-client").chmod(0o755)
    SECONDS = 2
    with Scene(shard, programs) as scene:
        scene.attempt(COMMANDS[0], DEFECTS[defect])


def control_crash(shard):
    """A tool that crashes."""
    fake(shard, "crash")


def control_wrong_code(shard):
    """A tool with an exit code that is not documented."""
    fake(shard, "wrong_code")


def control_silent(shard):
    """A tool that fails without a reason."""
    fake(shard, "silent", 1)


def control_talkative(shard):
    """A tool that gives three reasons."""
    fake(shard, "talkative", 1)


def control_false_success(shard):
    """A tool that reports success without doing anything."""
    fake(shard, "false_success")


def control_hang(shard):
    """A tool that does not end."""
    fake(shard, "hang")


def control_open_file(shard):
    """A tool that creates a directory that others can read."""
    fake(shard, "open_file")


def control_falls_back(shard):
    """A tool that uses /tmp if there is no runtime directory."""
    missing = [place for place, defect in enumerate(DEFECTS) if "directory: missing" in defect.what]
    fake(shard, "falls_back", missing[0])
