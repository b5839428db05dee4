"""Forged messages for the live API: right and wrong values for every member of the contract.

A `Forged` message says how many answers it must get, and whether the answer must be an error. All random choices come
from the generator that `Forger` gets, so that the number of a message is enough to make it again.
"""

import dataclasses
import fcntl
import os
import socket

import wire
from campaign import contract

BOARDS = ["forged.a", "forged.b", "forged.c", "general", "forged.ü"]
SCHEMES = ["forged-one", "forged-two", "Forged-Three"]
APPLICATIONS = ["campaign.Forged", "campaign.Absent", "campaign.Other"]
IDS = [f"0123456789abcdef-{number:04}" for number in range(40)]
TEXTS = ["", "a", "\x01", "a\nb", "\x7f", "ü", "\U0010ffff", "\u202e", "a" * 300, "a" * 70_000, "../..", "%s%n", ":1.1",
         "org.freedesktop.DBus", "/", "unique-1", "-", "a b", "'; --", "0", "\ufffe"]
LARGE = "x" * 1_100_000
EDGES = dict(y=8, n=16, q=16, i=32, u=32, x=64, t=64, b=1, h=32)
BASIC = "ybnqiuxtdsog"


@dataclasses.dataclass
class Forged:
    """A message before it is sent. `answers` is the number of answers that it must get on each route."""
    what: str
    kind: int = wire.CALL
    path: str = wire.BROKER_PATH
    interface: str | None = None
    member: str | None = None
    signature: str = ""
    body: bytes = b""
    flags: int = 0
    descriptors: tuple = ()
    fields: dict = dataclasses.field(default_factory=dict)
    fails: bool = False

    @property
    def answers(self):
        return int(self.kind == wire.CALL and not self.flags & wire.NO_REPLY)

    def __str__(self):
        return (f"{self.what}: {self.interface}.{self.member} on {str(self.path)[:200]} with “{self.signature[:100]}” "
                f"{bytes(self.body[:300]).hex()}{'…' if len(self.body) > 300 else ''} flags {self.flags} "
                f"descriptors {len(self.descriptors)} {str(self.fields)[:200]}")


class Descriptors:
    """Descriptors of every kind; only the last two are acceptable values."""

    def __init__(self, folder):
        self.pipe = os.pipe()
        self.sockets = socket.socketpair()
        unsealed, sealed = os.memfd_create("unsealed"), os.memfd_create("sealed", os.MFD_ALLOW_SEALING)
        for one in (unsealed, sealed):
            os.write(one, b"forged")
        fcntl.fcntl(sealed, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
        file = os.path.join(folder, "forged-file")
        with open(file, "wb") as data:
            data.write(b"forged")
        flags = [os.O_PATH, os.O_WRONLY, os.O_RDONLY]
        self.all = [
            *self.pipe, self.sockets[0].fileno(), os.open(folder, os.O_RDONLY), os.open("/dev/null", os.O_RDWR),
            os.open("/dev/zero", os.O_RDONLY), os.open("/proc/self/stat", os.O_RDONLY), os.eventfd(0),
            os.open("/", os.O_PATH), unsealed, *[os.open(file, one) for one in flags], sealed]


class Forger:
    def __init__(self, random, descriptors):
        self.random, self.kinds = random, descriptors
        everything = contract.interfaces()
        self.methods = [
            method for name in contract.OF_BROKER + contract.OF_PASTEBOARDS for method in everything[name].methods]
        self.interfaces = [everything[name] for name in contract.OF_BROKER + contract.OF_PASTEBOARDS]

    # Values

    def number(self, kind):
        bits = EDGES[kind]
        top = 1 << bits
        values = [0, 1, 2, top - 1, top - 2, top >> 1, (top >> 1) - 1, self.random.randrange(top)]
        value = self.random.choice(values) % top
        return value - top if kind in "nix" and value >= top >> 1 else value

    def value(self, kind, depth=0):
        """A value of any type, often an extreme one."""
        code, choose = kind[0], self.random.choice
        if code == "h":
            return choose([0, 0, 1, 15, 16, 2 ** 32 - 1])
        if code in EDGES:
            return self.number(code)
        if code == "d":
            return choose([0.0, -0.0, 1e308, float("nan"), float("inf"), self.random.random()])
        if code == "s":
            return choose(TEXTS + BOARDS + IDS[:5])
        if code == "o":
            return choose(["/", "/a", wire.BROKER_PATH, "/" + "a" * 3_000])
        if code == "g":
            return choose(["", "s", "a{sv}", "a" * 32 + "y", "(" * 32 + "y" + ")" * 32])
        if code == "v":
            inside = self.type(depth + 1)
            return inside, self.value(inside, depth + 1)
        if code in "({":
            return tuple(self.value(one, depth + 1) for one in wire.split_types(kind[1:-1]))
        return [self.value(kind[1:], depth + 1) for _ in range(choose([0, 1, 1, 2, 3]))]

    def type(self, depth=0):
        if depth > 3 or self.random.random() < 0.6:
            return self.random.choice(BASIC)
        return self.random.choice([
            "v", "a" + self.type(depth + 1), "(" + self.type(depth + 1) + self.type(depth + 1) + ")", "a{sv}", "aa(sv)",
            "as", "ay", "aas", "a{" + self.random.choice(BASIC) + self.type(depth + 1) + "}", "a" * 20 + "y"])

    def items(self):
        if self.random.random() < 0.7:
            return [[("text/plain", ("s", "text"))]] * self.random.choice([1, 1, 2])
        kinds = ["text/plain", "text/plain;charset=utf-8", "image/png", "public.url", "", "x", "a/b" * 100, "ü/ü"]
        values = [("s", self.random.choice(TEXTS)), ("ay", b"bytes"), ("s", "text"), ("h", self.value("h")), ("u", 1)]
        return [[(self.random.choice(kinds[:4] if self.random.random() < 0.8 else kinds), self.random.choice(values))
                 for _ in range(self.random.choice([1, 1, 1, 2, 0]))] for _ in range(self.random.choice([0, 1, 1, 2]))]

    def plausible(self, name, kind):
        """A value that an argument or an option of this name may have."""
        choose = self.random.choice
        words = {"name": BOARDS, "pasteboard": BOARDS, "url": [f"{scheme}:x" for scheme in SCHEMES] + ["nobody:x"],
                 "scheme": SCHEMES, "application": APPLICATIONS, "id": IDS, "parent": IDS, "text": ["text"],
                 "type": ["text/plain;charset=utf-8", "text/plain"], "item": [0, 0, 1],
                 "after": ["", "forged.a"], "prefix": ["", "forged."],
                 "state": ["queued", "ended", "handled"], "default": ["allow", "deny"],
                 "source-application": APPLICATIONS}
        lists = dict(names=BOARDS, schemes=SCHEMES, allow=APPLICATIONS, deny=APPLICATIONS, types=["text/plain", "a/b"])
        if name in words:
            return choose(words[name])
        if name in lists:
            return self.random.sample(lists[name], choose([1, 2]))
        if name == "promises":
            return [["image/png"]]
        if name == "digests":
            return []
        if kind == "aa(sv)":
            return self.items()
        if name in ("timeout", "time-left"):
            return choose([0, 1, 5, 20])
        if kind in ("u", "t"):
            return choose([0, 1, 2, 100, 1_000])
        if name == "set":
            key = choose(["create", "persistent", "once", "sensitive"])
            return [(key, ("b", choose([True, False])))]
        return self.value(kind)

    # Options that go together.
    RECIPES = dict(
        OpenURL=[["queue", "id"], ["queue", "id", "items"], ["queue", "id", "application"], ["items", "pasteboard"],
                 ["timeout", "items"], ["queue", "id", "time-to-live", "annotation"]],
        Register=[["persistent"], ["persistent", "window"]], SetItems=[["create"], ["create", "promises"]],
        AddItems=[["create"], ["create", "id"]], GetPasteboard=[["create"], ["create", "persistent"]],
        GetItems=[["take"], ["take", "id"], ["types"]], SetPolicy=[["default", "allow"], ["deny"]])

    def rows(self, method, argument):
        """Known keys with values that they may have."""
        known = method.keys[argument]
        recipes = self.RECIPES.get(method.name)
        if recipes and self.random.random() < 0.6:
            keys = [key for key in self.random.choice(recipes) if key in known]
        else:
            keys = self.random.sample(sorted(known), min(len(known), self.random.choice([0, 0, 1, 1, 2])))
        if method.name == "WaitForChange" and "timeout" not in keys:
            keys = keys + ["timeout"]
        always = ("queue", "create", "persistent")
        return [(key, (known[key], True if key in always and self.random.random() < 0.8
                       else self.plausible(key, known[key]))) for key in keys]

    def options(self, method, argument, wrong):
        """A dictionary of a call; with `wrong`, one key is unknown, has a wrong type or an extreme value, or comes
        twice. Returns it, and whether the call must fail."""
        known, rows = method.keys[argument], self.rows(method, argument)
        if not wrong:
            return rows, False
        kind = self.random.choice(["unknown", "type", "extreme", "twice", "deep"] if known else ["unknown", "deep"])
        if kind == "unknown":
            return rows + [(self.random.choice(["unknown", "", "ID", "a" * 5_000, "ü"]), ("s", "x"))], True
        if kind == "deep":
            return rows + [("deep", self.nested(self.random.choice([2, 20, 60])))], True
        key = self.random.choice(sorted(known))
        rows = [row for row in rows if row[0] != key]
        if kind == "type":
            # Any integer type is right for an integer, and `annotation` takes a value of any type.
            types = [one for one in ["s", "b", "d", "ay", "as", "a{sv}", "v", "(s)", "g", "o"] if one != known[key]]
            wrong = self.random.choice(types)
            return rows + [(key, (wrong, self.value(wrong)))], known[key] != "v"
        pair = (key, (known[key], self.plausible(key, known[key])))
        return rows + ([pair, pair] if kind == "twice" else [(key, (known[key], self.value(known[key])))]), False

    def nested(self, depth):
        value = ("s", "deep")
        for _ in range(depth):
            value = ("v", value)
        return value

    # Messages

    def message(self):
        """The next forged message that both routes must let pass."""
        make = self.random.choices(
            [self.call, self.wrong_type, self.property, self.standard, self.stray, self.path_without_object,
             self.member_without_name, self.large],
            weights=[50, 12, 10, 6, 8, 10, 4, 0.2])[0]
        forged = make()
        if forged.kind == wire.CALL and self.random.random() < 0.05:
            forged.flags |= self.random.choice([wire.NO_REPLY, wire.NO_START, 4, 0x80, 0xff])
        return forged

    def path(self, method):
        if not method.interface.endswith(contract.OF_PASTEBOARDS):
            return wire.BROKER_PATH
        name = self.random.choice(BOARDS)
        return wire.BROKER_PATH + "/pasteboards/" + "".join(
            c if c.isascii() and c.isalnum() else "".join(f"_{byte:02x}" for byte in c.encode()) for c in name)

    def call(self):
        """A call with the right types, and plausible or extreme values."""
        method = self.random.choice(self.methods)
        extreme, fails, values = self.random.random() < 0.3, False, []
        for name, kind in method.arguments:
            if kind == "a{sv}":
                rows, wrong = self.options(method, name, self.random.random() < 0.3)
                fails = fails or wrong
                values.append(rows)
            elif extreme and not (method.name == "WaitForChange" and name == "names"):
                values.append(self.value(kind))
            else:
                values.append(self.plausible(name, kind))
        return self.with_descriptors(Forged(
            "call", interface=method.interface, member=method.name, path=self.path(method), signature=method.signature,
            body=wire.body(method.signature, *values), fails=fails))

    def with_descriptors(self, forged):
        """The bus drops the sender of a message with an index beyond its descriptors, as a broken message. The index
        is looked up only by the receiver, so it may be wrong."""
        count = self.random.choices([0, 1, 2, 16], weights=[6, 3, 1, 0.5])[0]
        forged.descriptors = tuple(self.random.choice(self.kinds.all) for _ in range(count))
        return forged

    def wrong_type(self):
        """A call whose arguments have other types than the contract says."""
        method = self.random.choice(self.methods)
        types = [kind for _, kind in method.arguments]
        while "".join(types) == method.signature:
            match self.random.randrange(4):
                case 0:
                    types = types[:self.random.randrange(len(types) + 1)]
                case 1:
                    types = types + [self.type()]
                case 2:
                    types[self.random.randrange(len(types))] = self.type()
                case _:
                    types = [self.type() for _ in range(self.random.choice([0, 1, 2, 5]))]
        values = [self.value(kind) for kind in types]
        signature = "".join(types)
        return Forged("wrong type", interface=method.interface, member=method.name, path=self.path(method),
                      signature=signature, body=wire.body(signature, *values), fails=True)

    def property(self):
        one = self.random.choice(self.interfaces)
        names = [one.name, "", "org.swiftipc.None", "org.freedesktop.DBus.Properties", "a.b" * 60]
        interface = names[0] if self.random.random() < 0.7 else self.random.choice(names)
        name = self.random.choice([*one.properties, "Persistent", "HistoryLimit", "", "None", "a" * 3_000, "ü"])
        kind = one.properties.get(name, ("s",))[0] if self.random.random() < 0.5 else self.type()
        member, signature, values = self.random.choice([
            ("Get", "ss", (interface, name)), ("GetAll", "s", (interface,)),
            ("Set", "ssv", (interface, name, (kind, self.value(kind))))])
        return Forged("property", interface="org.freedesktop.DBus.Properties", member=member,
                      path=self.path(one.methods[0]), signature=signature, body=wire.body(signature, *values))

    def standard(self):
        interface, member, signature, values = self.random.choice([
            ("Peer", "Ping", "", ()), ("Peer", "GetMachineId", "", ()), ("Introspectable", "Introspect", "", ()),
            ("ObjectManager", "GetManagedObjects", "", ()), ("Peer", "Ping", "s", ("x",)), ("Peer", "None", "", ())])
        path = self.random.choice([wire.BROKER_PATH, wire.BROKER_PATH + "/pasteboards", "/", "/org"])
        return Forged("standard", interface=f"org.freedesktop.DBus.{interface}", member=member, path=path,
                      signature=signature, body=wire.body(signature, *values))

    def stray(self):
        """A reply, an error, a signal or a message of an unknown kind, which nothing has asked for."""
        kind = self.random.choice([wire.RETURN, wire.ERROR, wire.SIGNAL, 5, 200])
        fields = {}
        if kind in (wire.RETURN, wire.ERROR, 5, 200):
            fields["reply_serial"] = self.random.choice([1, 2, self.random.randrange(1, 2_000), 2 ** 32 - 1])
        if kind == wire.ERROR:
            fields["error"] = self.random.choice(["a.b", "org.swiftipc.Error.NoSpace", "a." + "b" * 200])
        signature = self.random.choice(["", "s", "sa{sv}", "t", self.type()])
        values = [self.value(one) for one in wire.split_types(signature)]
        one = self.random.choice(self.interfaces)
        names = [*one.signals, "NameOwnerChanged", "NameLost", "PropertiesChanged"]
        return Forged("stray", kind=kind, interface=one.name if kind == wire.SIGNAL else None,
                      member=self.random.choice(names) if kind == wire.SIGNAL else None,
                      path=wire.BROKER_PATH if kind == wire.SIGNAL else None, signature=signature,
                      body=wire.body(signature, *values), fields=fields)

    def path_without_object(self):
        """A path that has no object; there are far more than ten thousand of them."""
        method = self.random.choice(self.methods)
        number = self.random.randrange(100_000)
        path = self.random.choice([
            f"/campaign/path{number}", f"{wire.BROKER_PATH}/{number}", f"/{'a/' * 200}{number}", f"/{'a' * 5_000}{number}",
            f"{wire.BROKER_PATH}/pasteboards/x_{number:02x}z", f"{wire.BROKER_PATH}/pasteboards/a/{number}"])
        return Forged("path", interface=method.interface, member=method.name, path=path, signature="", fails=True)

    def member_without_name(self):
        one = self.random.choice(self.interfaces)
        member = self.random.choice(["None", "a" * 255, "_", "openURL", "Hello"])
        interface = self.random.choice(
            [one.name, None, "org.swiftipc.None1", "a.b", "org.freedesktop.DBus.Debug.Stats"])
        return Forged("member", interface=interface, member=member, path=self.path(one.methods[0]))

    def large(self):
        kind, values = self.random.choice([
            ("sa{sv}", ("forged-one:" + LARGE, {})), ("s", (LARGE,)), ("as", (["x"] * 100_000,)),
            ("sasa{sv}", ("a.b", [LARGE, LARGE], {})), ("asta{sv}", ([f"n{n}" for n in range(3_000)], 0, {}))])
        method = self.random.choice([one for one in self.methods if one.signature == kind] or self.methods)
        return Forged("large", interface=method.interface, member=method.name, path=self.path(method), signature=kind,
                      body=wire.body(kind, *values))


class Breaker:
    """Bytes that are no valid message, or that end too early. The receiver may close the connection."""

    def __init__(self, forger):
        self.forger, self.random = forger, forger.random

    def bytes(self, serial):
        forged = self.random.choice([self.forger.call, self.forger.property, self.forger.wrong_type])()
        data = bytearray(self.encoded(forged, serial))
        match self.random.randrange(8):
            case 0:
                del data[self.random.randrange(1, len(data)):]
            case 1 | 2:
                for _ in range(self.random.choice([1, 1, 2, 8])):
                    data[self.random.randrange(len(data))] = self.random.choice([0, 1, 255, self.random.randrange(256)])
            case 3:
                data[4:8] = self.random.choice([0, 1, 2 ** 27, 2 ** 31, 2 ** 32 - 1]).to_bytes(4, "little")
            case 4:
                data[12:16] = self.random.choice([0, 1, 2 ** 26, 2 ** 27, 2 ** 32 - 1]).to_bytes(4, "little")
            case 5:
                data[self.random.randrange(4)] = self.random.choice([0, 2, 6, ord("B"), 255])
            case 6:
                data = self.malformed(serial)
            case _:
                data[8:12] = bytes(4)
        return forged, bytes(data)

    def encoded(self, forged, serial, **fields):
        fields = dict(path=forged.path, interface=forged.interface, member=forged.member,
                      destination=wire.BROKER, signature=forged.signature or None) | fields
        return wire.header(forged.kind, serial, len(forged.body), forged.flags, **fields) + forged.body

    def malformed(self, serial):
        """Fields that are missing or break a grammar, and values that break the limits of D-Bus."""
        wrong = self.random.choice([
            dict(path=None), dict(member=None), dict(path="no-slash"), dict(path="/a//b"), dict(path="/a/"),
            dict(member="a.b"), dict(member=""), dict(interface="one"), dict(interface="a..b"), dict(destination="a b"),
            dict(destination=""), dict(signature="a" * 33 + "y"), dict(signature="("), dict(signature="a{vs}"),
            dict(signature="z"), dict(signature="()"), dict(unix_fds=3), dict(unix_fds=2 ** 32 - 1),
            dict(reply_serial=0), dict(member="a" * 256), dict(error="x.y"), dict(sender="org.freedesktop.DBus")])
        bodies = [b"", wire.body("s", b"\xff\xfe"), wire.body("s", "a\0b"), wire.body("v", self.forger.nested(70)),
                  b"\x05\0\0\0a", wire.body("b", wire.Raw(b"\x02\0\0\0")), b"\0" * 3]
        forged = Forged("malformed", interface="org.swiftipc.Simple1", member="GetText", signature="s",
                        body=self.random.choice(bodies))
        return bytearray(self.encoded(forged, serial, **wrong))
