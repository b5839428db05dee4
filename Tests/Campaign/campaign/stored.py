"""Content of every kind in a store, and a check of what a broker returns of it. It shares no code with the broker."""

import ctypes
import os
import time
import uuid

import wire
from campaign.shard import Broken

TEXT, BYTES = "text/plain;charset=utf-8", "application/octet-stream"
HANDLER = "demo.Campaign"
# The source that the handler's policy rejects.
REFUSED = "demo.Refused"
# The errors that report a damaged or lost value. Any other error is no answer to a read.
LOST = {"NoSuchPasteboard", "NoSuchItem", "NoSuchRequest", "InputOutput"}
ENDED = ("org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown",
         "org.freedesktop.DBus.Error.NameHasNoOwner", "org.swiftipc.Error.StoreUnavailable")


class Ended(Exception):
    """The broker ended, or its store did, while it was asked."""


class XXHash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


_library = ctypes.CDLL("libxxhash.so.0")
_library.XXH3_128bits.restype = XXHash
_library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
_library.XXH3_64bits_withSeed.restype = ctypes.c_uint64
_library.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]


def hash128(data):
    """The digest of a value: its 16 bytes, the highest first."""
    found = _library.XXH3_128bits(bytes(data), len(data))
    return found.high.to_bytes(8, "big") + found.low.to_bytes(8, "big")


def digest(data):
    return "xxh128:" + hash128(data).hex()


def hash64(data, seed):
    return _library.XXH3_64bits_withSeed(data, len(data), seed)


def raw(value):
    return value.encode() if isinstance(value, str) else bytes(value)


class Content:
    """What was written to a store, and acknowledged.

    - versions: for each pasteboard and change count, its items: lists of (type, bytes).
    - requests: for each id, the URL and the items of a queued request.
    - claims, defaults, policies: of schemes and applications.
    - newest: the highest change count.
    - forged: the keys of what someone has changed together with its checksum. It may have any value, or none.
    """

    def __init__(self):
        self.forged = set()
        self.versions, self.requests, self.claims, self.defaults, self.policies = {}, {}, {}, {}, {}
        self.newest = 0

    # Writing

    def set(self, connection, board, items, **options):
        """Sets items on a persistent pasteboard; values above 64 KiB go by descriptor."""
        descriptors, sent = [], []
        for item in items:
            sent.append([(kind, self.value(value, descriptors)) for kind, value in item])
        reply = connection.wait(connection.pasteboard(
            board, "SetItems", "aa(sv)a{sv}", sent, {"create": ("b", True)} | options, descriptors=descriptors))
        for descriptor in descriptors:
            os.close(descriptor)
        count = answered(reply)[0]
        self.versions[board, count] = [[(kind, raw(value)) for kind, value in item] for item in items]
        self.newest = max(self.newest, count)
        return count

    @staticmethod
    def value(value, descriptors):
        if len(raw(value)) <= 1 << 16:
            return ("s", value) if isinstance(value, str) else ("ay", value)
        descriptor = os.memfd_create("value", os.MFD_ALLOW_SEALING)
        with open(descriptor, "wb", closefd=False) as file:
            file.write(raw(value))
        descriptors.append(descriptor)
        return ("h", len(descriptors) - 1)

    def queue(self, connection, url, items):
        """Queues a request for a handler that is absent."""
        name = str(uuid.UUID(int=len(self.requests) + 1, version=4))
        answered(connection.ask("URLs1", "OpenURL", "sa{sv}", url, {
            "id": ("s", name), "queue": ("b", True), "application": ("s", HANDLER),
            "items": ("aa(sv)", [[(TEXT, ("s", text))] for text in items])}))
        self.requests[name] = (url, [[(TEXT, raw(text))] for text in items])
        return name

    def claim(self, connection, scheme, application, default=False):
        answered(connection.ask(
            "Schemes1", "Register", "sasa{sv}", application, [scheme], {"persistent": ("b", True)}))
        self.claims[scheme] = application
        if default:
            answered(connection.ask("Schemes1", "SetDefault", "ssa{sv}", scheme, application, {}))
            self.defaults[scheme] = application

    # Checking

    @property
    def boards(self):
        """The pasteboards, each with the change counts of its versions, the current one last."""
        boards = {}
        for board, count in sorted(self.versions, key=lambda key: key[1]):
            boards.setdefault(board, []).append(count)
        return boards

    def lost(self, connection):
        """Reads everything; returns the keys of what is damaged or lost. Raises `Broken` if anything comes back as good
        that was not written so, and `Ended` if the broker ended meanwhile."""
        lost = {(board, count) for board, count in self.versions if not self.is_there(connection, board, count)}
        for board, counts in self.boards.items():
            self.check_current(connection, board, counts)
        for name, (url, _) in self.requests.items():
            found = known(connection.ask("URLs1", "GetRequest", "sa{sv}", name, {}))
            if found is None:
                lost.add(name)
            elif name in self.forged:
                continue
            elif found[0]["url"] != url or found[0]["id"] != name or found[0]["application"] != HANDLER:
                raise Broken(f"wrong data returned as good: the request {name} is now {found[0]}")
        return lost | self.lost_registrations(connection)

    def is_there(self, connection, board, count):
        reply = connection.wait(connection.pasteboard(
            board, "GetItems", "a{sv}", {"fd": ("b", True), "change-count": ("t", count)}))
        return self.judge(reply, board, count)

    def check_current(self, connection, board, counts):
        """The current version is the last one, or a damaged log has lost it with all that came later."""
        reply = connection.wait(connection.pasteboard(board, "GetItems", "a{sv}", {"fd": ("b", True)}))
        found = known(reply)
        if found is None or (board, counts[-1]) in self.forged:
            return
        if found[0] not in counts:
            raise Broken(
                f"wrong data returned as good: the change count of {board!r} is {found[0]}, not one of {counts}")
        self.judge(reply, board, found[0])

    def judge(self, reply, board, count):
        """Whether a read returned the version as it was written; false if it is reported as damaged or lost."""
        found = known(reply)
        if found is None:
            return False
        got, items, facts = found
        contents = [[(kind, received(value, reply.descriptors)) for kind, value in item] for item in items]
        for descriptor in reply.descriptors:
            os.close(descriptor)
        wanted = self.versions[board, count]
        if (board, count) in self.forged:
            return contents == wanted
        stated = facts.get("digests")
        if contents == wanted and got == count:
            return stated == [[digest(value) for _, value in item] for item in wanted]
        # The broker leaves the check of a value above 1 MiB to its reader, who compares it with the stated digest.
        if got == count and stated and [[kind for kind, _ in item] for item in contents] == [
                [kind for kind, _ in item] for item in wanted]:
            wrong = [(value, told) for item, row, tells in zip(contents, wanted, stated)
                     for (_, value), (_, good), told in zip(item, row, tells) if value != good]
            if all(len(value) > 1 << 20 and digest(value) != told for value, told in wrong):
                return False
        raise Broken(
            f"wrong data returned as good: version {count} of {board!r} is {shown(contents)}, written was "
            f"{shown(wanted)}; facts {facts}")

    def lost_registrations(self, connection):
        lost = set()
        handlers = answered(connection.ask("Schemes1", "ListHandlers", "sa{sv}", "", {}))[0]
        found = {scheme: facts["application"] for scheme, facts in handlers if facts["stored"]}
        defaults = answered(connection.ask("Schemes1", "ListDefaults", "a{sv}", {}))[0]
        chosen = {scheme: facts["application"] for scheme, facts in defaults}
        for what, right, now in (("claim", self.claims, found), ("default", self.defaults, chosen)):
            for scheme, application in now.items():
                if right.get(scheme) != application and f"{what} {scheme}" not in self.forged:
                    raise Broken(f"wrong data returned as good: the {what} of {scheme!r} is now {application!r}")
            lost |= {f"{what} {scheme}" for scheme in right if scheme not in now}
        policy = answered(connection.ask("Schemes1", "GetPolicy", "sa{sv}", HANDLER, {}))[0]
        isforged = "policy" in self.forged
        if policy["default"] == "allow" and policy["deny"] not in ([REFUSED], []) and not isforged:
            raise Broken(f"wrong data returned as good: the policy is now {policy}")
        return lost | ({"policy"} if policy["deny"] != [REFUSED] else set())

    def deliver(self, place):
        """Takes all requests as their handler; returns those whose payload is reported as damaged or lost."""
        connection = place.connect()
        answered(connection.request(*wire.BUS, "RequestName", "su", HANDLER, 4))
        waits = {connection.broker("URLs1", "WaitRequest", "sa{sv}", name, {
            "timeout": ("u", 1_000 if name in self.forged else 20_000)}): name for name in self.requests}
        answered(connection.ask("Schemes1", "Register", "sasa{sv}", HANDLER, ["campaign.live"], {"window": ("u", 64)}))
        lost, done, deadline = set(), {}, time.monotonic() + 25
        while len(done) < len(waits):
            connection.sort()
            for call in [message for message in connection.others if message.member == "OpenURL"]:
                self.check_delivery(*call.values)
                connection.reply(call, "sa{sv}", "handled", {})
            connection.others.clear()
            done |= {serial: connection.replies.pop(serial) for serial in waits if serial in connection.replies}
            if len(done) < len(waits):
                connection._receive(deadline)
        for serial, reply in done.items():
            found = known(reply)
            if found is None or found[0]["outcome"] != "handled":
                lost.add(waits[serial])
                if waits[serial] in self.forged:
                    continue
                if found and found[0].get("error-code") == "not-recorded":
                    raise Ended(found[0]["error-message"])
                if found and found[0].get("error-code") != "damaged":
                    raise Broken(f"the request {waits[serial]} ended as {found[0]}")
        connection.close()
        return lost

    def check_delivery(self, name, url, context):
        items = [[(kind, received(value, [])) for kind, value in item] for item in context.get("items", [])]
        wanted = self.requests.get(name)
        if name in self.forged:
            return
        if not wanted or (url, items) != wanted:
            raise Broken(f"wrong data returned as good: the request {name} was delivered as {url!r} {shown(items)}")


def answered(reply):
    """The values of a reply. Raises `Ended` if the broker has ended, and `Broken` for any other error."""
    if reply.kind == wire.ERROR:
        if reply.error in ENDED:
            raise Ended(reply.text)
        raise Broken(f"a call failed: {reply.text}")
    return reply.values


def known(reply):
    """The values of a reply to a read; `None` if it reports that the value is damaged or lost."""
    if reply.kind == wire.ERROR and reply.error.removeprefix("org.swiftipc.Error.") in LOST:
        return None
    return answered(reply)


def received(value, descriptors):
    if isinstance(value, int):
        size = os.fstat(descriptors[value]).st_size
        return os.pread(descriptors[value], size, 0) if size else b""
    return raw(value)


def shown(items):
    return [[(kind, len(value), value[:40]) for kind, value in item] for item in items]


def fill(connection, random, prefix=""):
    """Writes content of every kind; the broker must have an empty store."""
    content = Content()
    for number in range(16):
        board = f"{prefix}board {number}"
        size = random.choice([3, 40, 900, 5_000, 30_000])
        for version in range(1 + number % 3):
            text = f"{board} version {version} " + "".join(random.choices("abcdefghijklmnop ", k=size))
            items = [[(TEXT, text), (BYTES, random.randbytes(size // 2 + 1))]]
            if number % 4 == 0:
                items.append([("text/html", f"<b>{number}</b>")])
            options = {"source-application": ("s", f"demo.Source{number % 4}")}
            if number % 5 == 0:
                options["time-to-live"] = ("t", 86_400_000)
            content.set(connection, board, items, **options)
            if number % 3 and version == 0:
                answered(connection.request(
                    wire.BROKER, wire.BROKER_PATH + "/pasteboards/" + escaped(board),
                    "org.freedesktop.DBus.Properties", "Set", "ssv", "org.swiftipc.Pasteboard1", "HistoryLimit",
                    ("u", 8)))
    for number, size in enumerate([70_000, 200_000, 1_500_000]):
        content.set(connection, f"{prefix}large {number}", [[(BYTES, random.randbytes(size))], [(TEXT, "beside")]])
    for number in range(6):
        url = f"campaign:{prefix}{number}?" + "q" * number * 300
        content.queue(connection, url, [f"payload {number} " + "p" * 700])
    for number in range(5):
        content.claim(connection, f"{prefix}campaign{number}", f"demo.Claims{number}", default=number < 2)
    answered(connection.ask("Schemes1", "SetPolicy", "sa{sv}a{sv}", HANDLER, {"deny": ("as", [REFUSED])}, {}))
    return content


def escaped(name):
    return "".join(c if c.isalnum() else f"_{ord(c):02x}" for c in name)
