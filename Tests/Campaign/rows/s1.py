"""No caller gets a right from a process number, a name that it states, a forged message or its own disappearance.

Sandboxed callers send what they may not do and are gone before the broker has looked at them: their connection, their
process or both, over the bus and over direct connections. Other runs reuse process numbers, forge signals and replies,
exchange files for links, and try everything as another user. Sensitive items are searched in files, logs, signals and
memory dumps.
"""

import contextlib
import os
import pathlib
import resource
import signal
import socket
import subprocess
import time

import wire
from campaign import intruders
from campaign.intruders import Sandbox
from campaign.place import Place
from campaign.rows import VARIANTS
from campaign.shard import Broken

INVARIANTS = (14, 19, 20, 21)
UNIT = "tries"
SIZES = dict(small=100, full=10_000)
SHARD = 2_500
BUSES = True

ITEMS = [[("text/plain", ("s", "of another program"))]]
STOLEN = [[("text/plain", ("s", "stolen"))]]
DENIED = "org.swiftipc.Error.AccessDenied"


class Scene(contextlib.ExitStack):
    """A broker with the pasteboard `other`, a real handler, and an application that must get nothing."""

    def __init__(self, shard, **options):
        super().__init__()
        self.shard = shard
        self.place = self.enter_context(Place(shard, **options))
        self.free = self.place.connect()
        self.server = self.place.start(shard.programs / "ipc-server", "--decline")
        server = self.place.wait_for_name(self.free, "demo.IPCServer")
        self.names = {wire.BROKER: self.place.owner, "demo.IPCServer": server}
        self.spy = self.place.connect()
        self.spy.request(*wire.BUS, "RequestName", "su", "campaign.spy", 4)
        self.names["campaign.spy"] = self.spy.name
        for board in ("other", "org.example.App", "org.example.Application"):
            self.free.ask("Pasteboards1", "GetPasteboard", "sa{sv}", board, {"create": ("b", True)})
            self.free.wait(self.free.pasteboard(board, "SetItems", "aa(sv)a{sv}", ITEMS, {}))
        self.before = self.state()

    def state(self):
        """Everything that a sandboxed caller must not change."""
        read = self.free.wait(self.free.pasteboard("other", "GetItems", "a{sv}", {}))
        names = sorted(row[0] for row in self.free.ask("Pasteboards1", "ListPasteboards", "a{sv}", {}).values[0])
        return dict(
            other=read.values[:2] if read.kind == wire.RETURN else read.text, names=names,
            defaults=self.free.ask("Schemes1", "ListDefaults", "a{sv}", {}).values[0],
            policies=self.free.ask("Schemes1", "ListPolicies", "a{sv}", {}).values[0],
            claims=self.free.ask("Schemes1", "ListHandlers", "sa{sv}", "campaign.demo", {}).values[0])

    def expect_unchanged(self, what):
        intruders.drain(self.spy)
        got = [message.values for message in self.spy.others if message.kind == wire.CALL]
        if got:
            raise Broken(f"{what}: the content of another program was sent to an application: {str(got)[:300]}")
        after = self.state()
        changed = [name for name in after if after[name] != self.before[name]]
        if changed:
            changes = "; ".join(f"{name}: {self.before[name]} → {after[name]}" for name in changed)
            raise Broken(f"{what} changed {changes[:600]}")
        if self.place.broker.poll() is not None:
            raise Broken(f"{what} ended the broker with {self.place.broker.returncode}")


def run(shard):
    scenarios = [
        sandbox_view, reused_numbers, forged_to_broker, forged_to_tools, forged_to_handler, other_user, links, secrets]
    variant = VARIANTS.index(shard.part.variant)
    with Scene(shard) as scene:
        for number, scenario in enumerate(scenarios):
            if shard.size == "full" or number % len(VARIANTS) == variant:
                scenario(scene)
                shard.add(scenarios=1)
        scene.before = scene.state()
        races(scene, intruders.INFO)


# Callers that are gone

MODES = ("close", "at once", "exit", "direct", "left")


def races(scene, info):
    """Calls whose caller is gone when the broker looks at it."""
    for number, mode in enumerate(MODES):
        sandbox = Sandbox(scene.place, info, mounts=number % 2 == 1)
        left = scene.shard.count // len(MODES) + (number < scene.shard.count % len(MODES))
        while left:
            count = min(left, 100)
            seed = scene.shard.random.getrandbits(32)
            leaks = sandbox.run(tries, mode, count, seed)
            what = f"{count} callers in a sandbox, mode “{mode}”, seed {seed}"
            if leaks:
                raise Broken(f"{what}: one of them was answered {leaks[0]}")
            scene.expect_unchanged(what)
            left -= count
            scene.shard.done(count)
    # A skipped change count would show only at the next change.
    reply = scene.free.wait(scene.free.pasteboard("other", "SetItems", "aa(sv)a{sv}", ITEMS, {}))
    if reply.values[0] > 1 << 39:
        raise Broken("callers in a sandbox skipped change counts")


def tries(mode, count, seed):
    """In the sandbox: callers that send what they may not do, and are gone. Returns answers that they must not get."""
    import random
    own, leaks = random.Random(seed), []
    for _ in range(count):
        batch = intruders.Batch()
        batch.serial = 100
        for _ in range(own.randrange(1, 5)):
            forbidden(batch, own)
        if mode == "left":
            leaks += left_answers(batch)
            continue
        if mode == "exit" and (pid := os.fork()):
            os.waitpid(pid, 0)
            continue
        attempt(mode, bytes(batch.data))
        if mode == "exit":
            os._exit(0)
    return leaks


def attempt(mode, data):
    """One caller: it sends the calls, and closes its connection."""
    if mode == "at once":
        with socket.socket(socket.AF_UNIX) as raw:
            raw.connect("bus")
            raw.sendall(intruders.greeting() + data)
        return
    connection = wire.Connection("bus")
    if mode == "direct" and (peer := intruders.direct(connection)):
        peer.send(data)
        connection.close()
        peer.close()
    else:
        connection.send(data)
        connection.close()


def left_answers(batch):
    """A process connects, sends its calls and ends; another one in the sandbox reads the answers."""
    with socket.socket(socket.AF_UNIX) as raw:
        pid = os.fork()
        if pid == 0:
            raw.connect("bus")
            raw.sendall(intruders.greeting() + batch.data)
            os._exit(0)
        os.waitpid(pid, 0)
        last = batch.call(*wire.BUS, "GetId")
        connection = intruders.from_descriptor(os.dup(raw.fileno()), last)
        # The bus's part of the authentication comes first.
        while b"AGREE_UNIX_FD\r\n" not in connection.buffer:
            connection.receive()
        del connection.buffer[:connection.buffer.index(b"AGREE_UNIX_FD\r\n") + 15]
        ping = connection.broker("Pasteboards1", "ListPasteboards", "a{sv}", {})
        listed = connection.wait(ping)
        connection.close()
    answers = [str(reply.values) for reply in [*connection.replies.values(), listed] if reply.kind == wire.RETURN]
    return [text[:200] for text in answers if "of another program" in text or "'other'" in text]


def forbidden(batch, own):
    """A call that a caller in the sandbox of org.example.App may not make."""
    flags = own.choice([0, wire.NO_REPLY])
    boards = [("SetItems", "aa(sv)a{sv}", STOLEN, {}), ("AddItems", "aa(sv)a{sv}", STOLEN, {}), ("Clear", "a{sv}", {}),
              ("GetItems", "a{sv}", {"take": ("b", True)}), ("GetItems", "a{sv}", {})]
    calls = [("Pasteboards1", "RemovePasteboard", "sa{sv}", "other", {}),
             ("Pasteboards1", "GetPasteboard", "sa{sv}", "campaign.new", {"create": ("b", True)}),
             ("Pasteboards1", "SkipChangeCounts", "ta{sv}", 1 << 40, {}),
             ("Simple1", "SetText", "ss", "other", "stolen"),
             ("Schemes1", "SetDefault", "ssa{sv}", "campaign.demo", "org.example.App", {}),
             ("Schemes1", "SetPolicy", "sa{sv}a{sv}", "demo.IPCServer", {"default": ("s", "deny")}, {}),
             ("Schemes1", "Register", "sasa{sv}", "campaign.spy", ["campaign.demo"], {}),
             ("URLs1", "OpenURL", "sa{sv}", "campaign:x", {
                 "pasteboard": ("s", "other"), "application": ("s", "campaign.spy")}),
             ("URLs1", "OpenURL", "sa{sv}", "campaign:x", {
                 "pasteboard": ("s", "other"), "items": ("aa(sv)", STOLEN), "application": ("s", "campaign.spy"),
                 "queue": ("b", True), "source-application": ("s", "campaign.spy")})]
    call = own.choice(boards + calls)
    if call in boards:
        batch.pasteboard("other", *call, flags=flags)
    else:
        batch.broker(*call, flags=flags)


# Scenarios

def sandbox_view(scene, info=intruders.INFO):
    """A sandboxed caller sees only its pasteboards, over the bus and over a direct connection."""
    for mounts in (False, True):
        for route in ("bus", "direct"):
            seen = Sandbox(scene.place, info, mounts).run(view, route)
            who = f"a sandboxed caller ({route}, mounts {mounts})"
            if seen["listed"] != ["org.example.App"] or seen["watched"] != ["org.example.App"]:
                raise Broken(f"{who} lists {seen['listed']}, watches {seen['watched']}")
            if set(seen["others"]) != {DENIED} or "other" in seen["managed"] + seen["introspected"]:
                raise Broken(f"{who} uses another pasteboard: {seen}")
    scene.expect_unchanged("a sandboxed caller")


def view(route):
    """In the sandbox: what this caller sees."""
    connection = wire.Connection("bus")
    if route == "direct":
        connection = intruders.direct(connection)
    others = []
    for name in ("other", "general", "org.example.Application", "none"):
        others += [connection.wait(connection.pasteboard(name, *call)) for call in (
            ("GetItems", "a{sv}", {}), ("GetItems", "a{sv}", {"take": ("b", True)}), ("Clear", "a{sv}", {}),
            ("SetItems", "aa(sv)a{sv}", STOLEN, {}), ("ListVersions", "a{sv}", {}),
            ("GetData", "usa{sv}", 0, "text/plain", {}))]
        others += [connection.ask("Pasteboards1", "RemovePasteboard", "sa{sv}", name, {}),
                   connection.ask("Simple1", "GetText", "s", name),
                   connection.ask("Pasteboards1", "WaitForChange", "asta{sv}", [name], 0, {"timeout": ("u", 0)})]
    path = wire.BROKER_PATH + "/pasteboards"
    standard = "org.freedesktop.DBus."
    managed = connection.request(wire.BROKER, path, standard + "ObjectManager", "GetManagedObjects").values[0]
    introspected = connection.request(wire.BROKER, path, standard + "Introspectable", "Introspect").values[0]
    return dict(
        others=[reply.error or "answered" for reply in others],
        listed=[row[0] for row in connection.ask("Pasteboards1", "ListPasteboards", "a{sv}", {}).values[0]],
        watched=[row[0] for row in connection.ask(
            "Pasteboards1", "WaitForChange", "asta{sv}", [], 0, {"timeout": ("u", 0)}).values[1]],
        managed=[place.rsplit("/", 1)[1] for place in managed],
        introspected=introspected.split('"'))


def reused_numbers(scene, is_alive=False):
    """A connection whose process has ended gets no right from the process that has its number now.

    - is_alive: for the control: the process is in no sandbox, and still runs.
    """
    if not os.access("/proc/sys/kernel/ns_last_pid", os.W_OK):
        return scene.shard.add(skipped_reused_numbers=1)
    foreign = intruders.INFO.replace("org.example.App\n", "org.example.Application\n")
    other = Sandbox(scene.place, foreign, name="foreign")
    for number in range(scene.shard.pick(2, 25)):
        if is_alive:
            connection, holder = scene.place.connect(), contextlib.nullcontext()
        else:
            pid, connection = intruders.leave_connection(Sandbox(scene.place, mounts=number % 2 == 1))
            # The broker has learned of the connection by now, and the kernel counts the start of the next process in a
            # later tick of 10 ms. Nobody can make a number come around within one.
            scene.free.ask("Pasteboards1", "ListPasteboards", "a{sv}", {})
            intruders.wait_for_tick()
            # The number goes to a process in no sandbox, or in the sandbox of another application.
            holder = intruders.reused_number(pid) if number % 3 < 2 else reused_by(other, pid)
        with holder:
            for board in ("other", "org.example.Application"):
                reply = connection.wait(connection.pasteboard(board, "GetItems", "a{sv}", {}))
                if reply.error != DENIED:
                    raise Broken(f"a caller whose process number was reused (try {number}) reads {board}: "
                                 f"{reply.text or reply.values}")
            reply = connection.ask("Schemes1", "SetDefault", "ssa{sv}", "campaign.demo", "org.example.App", {})
            if reply.error != DENIED:
                raise Broken(f"a caller whose process number was reused sets a default: {reply.text or reply.values}")
        connection.close()
        scene.shard.add(reused_numbers=1)
    scene.expect_unchanged("a caller whose process number was reused")


@contextlib.contextmanager
def reused_by(sandbox, number):
    """Like `intruders.reused_number`, with a process in a sandbox."""
    lives, stays = os.pipe()

    def live():
        os.close(stays)
        if os.getpid() == number:
            os.read(lives, 1)
        return True
    while True:
        pathlib.Path("/proc/sys/kernel/ns_last_pid").write_text(str(number - 1))
        pid, file = sandbox.start(live)
        if pid == number:
            break
        file.close()
        os.waitpid(pid, 0)
    try:
        # The process is in its sandbox when it has the root directory of it.
        while os.path.realpath(f"/proc/{pid}/root") == "/":
            time.sleep(0.001)
        yield
    finally:
        os.close(stays)
        os.close(lives)
        file.close()
        os.waitpid(pid, 0)


def held_request(scene, connection):
    """A request that its handler has and does not answer yet; returns its serial number and the handler's call."""
    serial = connection.broker("URLs1", "OpenURL", "sa{sv}", "campaign:held", {
        "application": ("s", "campaign.spy"), "timeout": ("u", 60_000)})
    return serial, scene.spy.wait_call("OpenURL")


def forged_to_broker(scene, forge=None):
    """Signals and replies from another connection have no effect on the broker, over the bus or directly."""
    evil, sender = scene.place.connect(), scene.place.connect()
    serial, call = held_request(scene, sender)
    for destination in (scene.place.owner, None):
        intruders.signals_forged(evil, destination, scene.names, scene.shard.pick(20, 200))
    serials = range(max(1, call.serial - 200), call.serial + scene.shard.pick(200, 2_000))
    peer = evil.direct()
    for connection, destination in ((evil, scene.place.owner), (peer, wire.BROKER), (peer, None)):
        intruders.replies_forged(connection, destination, serials)
        intruders.drain(connection)
    for connection in (peer,):
        intruders.signals_forged(connection, None, scene.names, 20)
    if forge:
        forge(call)
    with contextlib.suppress(wire.Gone):
        peer.broker("Pasteboards1", "ListPasteboards", "a{sv}", {})
    evil.ask("Pasteboards1", "ListPasteboards", "a{sv}", {})
    sender.sort()
    if serial in sender.replies:
        raise Broken(f"a forged message ended a request of another: {sender.replies[serial].values}")
    scene.spy.reply(call, "sa{sv}", "declined", {})
    result = sender.wait(serial)
    if result.kind == wire.ERROR or result.values[0]["outcome"] != "declined":
        raise Broken(f"after forged messages, the outcome is {result.text or result.values}, not “declined”")
    reply = evil.ask("URLs1", "OpenURL", "sa{sv}", "IPCServer.demo:x", {})
    if reply.kind == wire.ERROR or reply.values[0]["outcome"] != "declined":
        raise Broken(f"after forged messages, the real handler was not asked: {reply.text or reply.values}")
    if [message for message in evil.others if message.kind == wire.CALL]:
        raise Broken("a connection that forged an owner got a request")
    evil.close()
    scene.spy.others.clear()
    scene.expect_unchanged("forged messages")


def forged_to_tools(scene, real=False):
    """`ipc-client send` and `watch` take signals and replies only from the broker.

    - real: for the control: the handler itself answers with “handled”.
    """
    evil = scene.place.connect()
    before = set(evil.request(*wire.BUS, "ListNames").values[0])
    tool = scene.place.start(scene.place.programs / "ipc-client", "open", "campaign:tool", "--to", "campaign.spy")
    call = scene.spy.wait_call("OpenURL")
    names = {name for name in set(evil.request(*wire.BUS, "ListNames").values[0]) - before if name.startswith(":")}
    for name in names:
        intruders.signals_forged(evil, name, scene.names, 3)
        evil.message(wire.SIGNAL, "ss", wire.body("ss", call.values[0], "handled"), destination=name,
                     path=wire.BROKER_PATH, interface="org.swiftipc.URLs1", member="RequestCompleted")
        result = {"id": ("s", call.values[0]), "outcome": ("s", "handled"), "application": ("s", "campaign.spy"),
                  "attempts": ("u", 1)}
        intruders.replies_forged(evil, name, range(1, scene.shard.pick(50, 500)), "a{sv}", result)
        intruders.drain(evil)
    evil.request(*wire.BUS, "GetId")
    scene.spy.reply(call, "sa{sv}", "handled" if real else "declined", {})
    out = tool.communicate(timeout=30)[0]
    if tool.returncode != 1:
        raise Broken(f"ipc-client open ended with {tool.returncode} although its handler declined: {out!r}")
    watch(scene, evil)
    scene.spy.others.clear()


def watch(scene, evil):
    before = set(evil.request(*wire.BUS, "ListNames").values[0])
    tool = scene.place.start(scene.place.programs / "ipc-client", "watch", "--count", "1", stderr=subprocess.PIPE)
    tool.stderr.readline()
    for name in {name for name in set(evil.request(*wire.BUS, "ListNames").values[0]) - before if name.startswith(":")}:
        intruders.signals_forged(evil, name, scene.names, 3)
        intruders.replies_forged(evil, name, range(1, 50), "ta(st)a{sv}", 99_999, [("forged", 99_999)], {})
        evil.message(wire.SIGNAL, "s", wire.body("s", "forged"), destination=name, path=wire.BROKER_PATH,
                     interface="org.swiftipc.Pasteboards1", member="PasteboardAdded")
        intruders.drain(evil)
    evil.request(*wire.BUS, "GetId")
    scene.free.wait(scene.free.pasteboard("general", "SetItems", "aa(sv)a{sv}", ITEMS, {"create": ("b", True)}))
    out = tool.communicate(timeout=30)[0]
    if tool.returncode or out.count(b"\n") != 1 or b"\tgeneral\t" not in out:
        raise Broken(f"ipc-client watch reported {out!r} (exit code {tool.returncode}) after forged messages")
    scene.before = scene.state()


def forged_to_handler(scene, name="demo.IPCServer", accepted=lambda: None):
    """A handler takes URLs only from the broker, also after a forged change of the broker's owner."""
    evil = scene.place.connect()
    path = "/" + name.replace(".", "/")
    for _ in range(scene.shard.pick(2, 50)):
        serial = evil.call(
            name, path, "org.swiftipc.URLHandler1", "OpenURL", "ssa{sv}", "x", "IPCServer.demo:forged", {})
        accepted()
        reply = evil.wait(serial)
        if reply.error != "org.freedesktop.DBus.Error.AccessDenied":
            raise Broken(f"{name} took a URL that is not from the broker: {reply.text or reply.values}")
        intruders.signals_forged(evil, evil.request(*wire.BUS, "GetNameOwner", "s", name).values[0], scene.names, 2)
        if evil.request(*wire.BUS, "RequestName", "su", wire.BROKER, 4).values[0] == 1:
            raise Broken("another connection owns the broker's name")
    evil.close()


def other_user(scene, user=intruders.NOBODY):
    """Another user reaches neither the bus, the store, the broker's memory nor a direct connection."""
    place, broker = scene.place, scene.place.broker.pid
    for folder in [place.folder, *place.folder.parents][:4]:
        os.chmod(folder, 0o755) if os.stat(folder).st_mode & 0o5 != 0o5 else None
    files = [str(path) for path in place.store.rglob("*") if path.is_file()]
    attempts = {
        "the bus": lambda: wire.Connection(place.bus.path).name,
        "the bus, as its user": lambda: claimed_user(place.bus.path),
        "the store's folder": lambda: os.listdir(place.store),
        "the store's files": lambda: [len(open(file, "rb").read(1)) for file in files],
        "the memory": lambda: len(open(f"/proc/{broker}/mem", "rb").read(0)) + 1,
        "the environment": lambda: len(open(f"/proc/{broker}/environ", "rb").read()),
        "the descriptors": lambda: os.listdir(f"/proc/{broker}/fd"),
        "the root directory": lambda: os.listdir(f"/proc/{broker}/root"),
        "tracing": lambda: traced(broker),
        "signals": lambda: os.kill(broker, 0) or "allowed"}
    for name, attempt_to in attempts.items():
        result = intruders.as_user(user, lambda: guarded(attempt_to))
        if not str(result).startswith("error"):
            raise Broken(f"user {user} reaches {name}: {str(result)[:200]}")
    modes = {str(path): oct(path.stat().st_mode & 0o777) for path in [place.store, *place.store.rglob("*")]}
    if wrong := {path: mode for path, mode in modes.items() if mode not in ("0o700", "0o600")}:
        raise Broken(f"the store has the modes {wrong}")
    scene.shard.add(attempts_of_another_user=len(attempts))


def guarded(attempt_to):
    try:
        return attempt_to()
    except (OSError, wire.Gone, TimeoutError) as error:
        return f"error {error!r}"


def claimed_user(path):
    """Authenticates as root, whoever this process is."""
    with socket.socket(socket.AF_UNIX) as raw:
        raw.settimeout(5)
        raw.connect(path)
        raw.sendall(b"\0AUTH EXTERNAL 30\r\n")
        answer = raw.recv(100)
        return "error rejected" if not answer.startswith(b"OK") else answer.decode()


def traced(pid):
    if intruders.LIBC.ptrace(intruders.PTRACE_ATTACH, pid, 0, 0):
        raise OSError(intruders.ctypes.get_errno(), "ptrace")
    os.waitpid(pid, 0)
    intruders.LIBC.ptrace(17, pid, 0, 0)
    return "traced"


def links(scene):
    """A link in place of a file of the store, or of an export, does not lead the broker or the tools out of it."""
    shard, place = scene.shard, scene.place
    for number, (name, kind) in enumerate([("blobs", "folder"), ("lock", "file"), ("", "folder")]):
        outside = shard.folder / f"outside{number}"
        outside.mkdir(mode=0o755)
        (outside / "victim").write_text("unchanged")
        with Scene(shard, name=f"linked{number}") as inner:
            inner.place.kill_broker(signal.SIGTERM)
            store = inner.place.store
            names = sorted(path.name for path in store.iterdir())
            targets = [name for name in names if (store / name).is_dir() == (kind == "folder")] if name else [""]
            for target in targets:
                replace_by_link(store, target, outside if kind == "folder" else outside / "victim")
            with contextlib.suppress(Broken):
                inner.place.start_broker(seconds=5)
                connection = inner.place.connect()
                connection.wait(connection.pasteboard("other", "SetItems", "aa(sv)a{sv}", [[
                    ("a/b", ("ay", bytes(100_000)))]], {}))
                connection.close()
            left = {path.name: path.read_text(errors="replace") for path in outside.iterdir() if path.is_file()}
            if kind == "file" and left != {"victim": "unchanged"}:
                raise Broken(f"through links in place of {targets}, the broker wrote to {left}")
            if target_changed := [path.name for path in outside.iterdir() if path.name != "victim"]:
                if name:
                    raise Broken(f"through a link in place of {targets}, the broker made {target_changed}")
            if (outside / "victim").read_text() != "unchanged":
                raise Broken("a file that a link named was changed")
    exports(scene)


def replace_by_link(store, name, target):
    path = store / name if name else store
    path.rename(path.with_name(f"{path.name}-moved"))
    path.symlink_to(target)


def exports(scene):
    """An export into a folder that all users can write to: another user puts links in its way."""
    shared, outside = scene.shard.folder / "shared", scene.shard.folder / "target"
    os.chmod(scene.shard.folder, 0o755)
    for folder in (shared, outside):
        folder.mkdir()
        os.chmod(folder, 0o1777 if folder == shared else 0o777)
    for number in range(scene.shard.pick(3, 40)):
        folder = shared / f"export{number}"
        (stop, stops), (ready, readies) = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            os.setgroups([])
            os.setresuid(intruders.NOBODY, intruders.NOBODY, intruders.NOBODY)
            os.close(stops)
            os.set_blocking(stop, False)
            put_links(folder, outside, stop, readies, way=number % 3)
        os.close(readies)
        os.read(ready, 1)
        code, _, errors = scene.place.run("ipc-client", "board", "export", str(folder))
        for descriptor in (stop, stops, ready):
            os.close(descriptor)
        os.waitpid(pid, 0)
        # The other user may put own links there.
        if left := [path for path in outside.iterdir() if path.lstat().st_uid != intruders.NOBODY]:
            raise Broken(f"an export (exit code {code}, {errors!r}) went through the link of another user: {left}")
        if code == 0:
            for path in [folder, *folder.rglob("*")]:
                if path.lstat().st_mode & 0o077:
                    raise Broken(f"others may use {path} of an export: {oct(path.lstat().st_mode)}")


def put_links(folder, outside, stop, ready, way):
    """In another user's process: a link to `outside` at the path of an export, until told to stop. The link stays (0),
    or it comes and goes (1), with others below it (2)."""
    while True:
        for path in (folder, folder / "blobs", folder / "store.jsonl")[:3 if way == 2 else 1]:
            with contextlib.suppress(OSError):
                path.symlink_to(outside)
        with contextlib.suppress(OSError):
            os.write(ready, b"x")
            os.close(ready)
        if way:
            with contextlib.suppress(OSError):
                folder.unlink()
        with contextlib.suppress(BlockingIOError):
            if os.read(stop, 1) == b"":
                os._exit(0)


def secrets(scene, sensitive=True):
    """A sensitive item is in no file, log, signal or memory dump.

    - sensitive: for the control: whether the items are marked at all.
    """
    shard = scene.shard
    secret = f"campaign-secret-{shard.random.getrandbits(120):030x}"
    folder = shard.folder / "dumped"
    folder.mkdir()
    with Scene(shard, name="secrets" if sensitive else "open") as inner:
        place = inner.place
        place.kill_broker(signal.SIGTERM)
        limit = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (limit[1], limit[1]))
        place.arguments = ("--log-level", "trace")
        place.broker_environment = dict(SWIFT_BACKTRACE="enable=no")
        before = os.getcwd()
        os.chdir(folder)
        place.start_broker()
        os.chdir(before)
        monitor = place.connect()
        monitor.request(
            *wire.BUS[:2], "org.freedesktop.DBus.Monitoring", "BecomeMonitor", "asu", ["type='signal'"], 0)
        use_secret(inner, secret, sensitive)
        intruders.drain(monitor)
        seen = b"".join(message.data for message in monitor.others)
        place.kill_broker(signal.SIGSEGV)
        found = intruders.places_of(secret, place.folder) + intruders.places_of(secret, folder)
        found += ["a signal"] if any(text in seen for text in intruders.spellings(secret)) else []
        place.start_broker()
        found += intruders.places_of(secret, place.folder)
        if found:
            raise Broken(f"a {'sensitive' if sensitive else 'plain'} item is in {sorted(set(found))}")
        resource.setrlimit(resource.RLIMIT_CORE, limit)


def use_secret(inner, secret, sensitive):
    """Sets, reads, takes and sends a secret in all ways."""
    place, connection = inner.place, inner.free
    options = {"sensitive": ("b", True)} if sensitive else {}
    for size in (1, 3, 2_000):
        text = [[("text/plain", ("s", secret * size)), ("application/octet-stream", ("ay", secret.encode() * size))]]
        for board in ("other", "secret"):
            create = dict(create=("b", True)) if board == "secret" else {}
            reply = connection.wait(connection.pasteboard(board, "SetItems", "aa(sv)a{sv}", text, options | create))
            if reply.kind == wire.ERROR:
                raise Broken(f"a sensitive item is rejected: {reply.text}")
    connection.wait(connection.pasteboard("other", "GetItems", "a{sv}", {}))
    connection.ask("URLs1", "OpenURL", "sa{sv}", "IPCServer.demo:x", {
        "items": ("aa(sv)", [[("text/plain", ("s", secret))]]), "pasteboard": ("s", "sent"),
        "set": ("a{sv}", options)})
    flags = ["--sensitive"] if sensitive else []
    place.run("ipc-client", "set", "tool", *flags, input=secret.encode() * 10_000)
    place.run("ipc-client", "get", "tool")
    place.run("ipc-client", "set", "tool", *flags, input=secret.encode())
    place.run("ipc-client", "board", "export", str(place.folder / f"export-{len(flags)}"))
    place.broker.send_signal(signal.SIGUSR1)
    connection.ask("Pasteboards1", "ListPasteboards", "a{sv}", {})


# Controls: the same checks without the guard

def control_not_sandboxed(shard):
    """A caller with another root directory that is in no sandbox changes what it asks for."""
    with Scene(shard) as scene:
        races(scene, None)


def control_whole_view(shard):
    with Scene(shard) as scene:
        sandbox_view(scene, None)


def control_living_process(shard):
    """A connection whose process is in no sandbox and lives gets its rights."""
    with Scene(shard) as scene:
        reused_numbers(scene, is_alive=True)


def control_real_answer(shard):
    """The answer of the handler itself ends the request."""
    with Scene(shard) as scene:
        def forge(call):
            scene.spy.reply(call, "sa{sv}", "handled", {})
        forged_to_broker(scene, forge)


def control_handled(shard):
    with Scene(shard) as scene:
        forged_to_tools(scene, real=True)


def control_trusting_handler(shard):
    """A handler that does not compare the caller with the owner of the broker's name."""
    with Scene(shard) as scene:
        trusting = scene.place.connect()
        trusting.request(*wire.BUS, "RequestName", "su", "campaign.trusting", 4)
        forged_to_handler(
            scene, "campaign.trusting", lambda: trusting.reply(trusting.wait_call("OpenURL"), "sa{sv}", "handled", {}))


def control_same_user(shard):
    """The user of the broker reaches all that another user must not reach."""
    with Scene(shard) as scene:
        other_user(scene, user=0)


def control_not_sensitive(shard):
    """The same search finds an item that is not sensitive."""
    with Scene(shard) as scene:
        secrets(scene, sensitive=False)
