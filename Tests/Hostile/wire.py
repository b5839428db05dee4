"""D-Bus messages built by hand, so that a program can send anything (specification: "Message Protocol", "Marshaling")."""

import array
import os
import select
import socket
import struct
import time

BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
BROKER = "org.swiftipc.Broker1"
BROKER_PATH = "/org/swiftipc/Broker1"
ALIGNMENT = dict(y=1, g=1, v=1, n=2, q=2, b=4, i=4, u=4, s=4, o=4, a=4, h=4, x=8, t=8, d=8) | {"(": 8, "{": 8}
NUMBERS = dict(y="B", n="h", q="H", b="I", i="i", u="I", h="I", x="q", t="Q", d="d")
CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
NO_REPLY, NO_START = 1, 2
FIELDS = dict(path=1, interface=2, member=3, error=4, reply_serial=5, destination=6, sender=7, signature=8, unix_fds=9)
FIELD_TYPES = {1: "o", 2: "s", 3: "s", 4: "s", 5: "u", 6: "s", 7: "s", 8: "g", 9: "u"}


class Raw(bytes):
    """Raw bytes in place of a value, or of all elements of an array."""


def split_types(signature):
    """Splits a signature into complete types."""
    types, depth, start = [], 0, 0
    for place, code in enumerate(signature):
        depth += (code in "({") - (code in ")}")
        if depth == 0 and code != "a":
            types.append(signature[start:place + 1])
            start = place + 1
    return types


def put(data, kind, value):
    """Appends a value. A variant is a pair of its type and its value; a dictionary is a dict or a list of pairs."""
    code = kind[0]
    data += bytes(-len(data) % ALIGNMENT[code])
    if isinstance(value, Raw) and code != "a":
        data += value
    elif code in NUMBERS:
        data += struct.pack("<" + NUMBERS[code], value)
    elif code in "so":
        text = value if isinstance(value, bytes) else value.encode()
        data += struct.pack("<I", len(text)) + text + b"\0"
    elif code == "g":
        data += bytes([len(value)]) + value.encode() + b"\0"
    elif code == "v":
        put(data, "g", value[0])
        put(data, value[0], value[1])
    elif code in "({":
        for inside, field in zip(split_types(kind[1:-1]), value):
            put(data, inside, field)
    else:
        put_array(data, kind[1:], value)


def put_array(data, element, value):
    place = len(data)
    data += bytes(4)
    data += bytes(-len(data) % ALIGNMENT[element[0]])
    start = len(data)
    if isinstance(value, (bytes, bytearray)):
        data += value
    else:
        for item in value.items() if isinstance(value, dict) else value:
            put(data, element, item)
    struct.pack_into("<I", data, place, len(data) - start)


def body(signature, *values):
    data = bytearray()
    for kind, value in zip(split_types(signature), values):
        put(data, kind, value)
    return data


def take(data, place, kind):
    """Reads a value of a little-endian message; returns the value and the position after it."""
    code = kind[0]
    place += -place % ALIGNMENT[code]
    if code in NUMBERS:
        return struct.unpack_from("<" + NUMBERS[code], data, place)[0], place + struct.calcsize(NUMBERS[code])
    if code in "sog":
        size = 1 if code == "g" else 4
        length = int.from_bytes(data[place:place + size], "little")
        start = place + size
        return bytes(data[start:start + length]).decode(errors="replace"), start + length + 1
    if code == "v":
        inside, place = take(data, place, "g")
        return take(data, place, inside)
    if code in "({":
        fields = []
        for inside in split_types(kind[1:-1]):
            field, place = take(data, place, inside)
            fields.append(field)
        return tuple(fields), place
    length, place = take(data, place, "u")
    element = kind[1:]
    place += -place % ALIGNMENT[element[0]]
    end = place + length
    if element == "y":
        return bytes(data[place:end]), end
    items = []
    while place < end:
        item, place = take(data, place, element)
        items.append(item)
    return (dict(items) if element[0] == "{" else items), end


def header(kind, serial, length, flags=0, **fields):
    """The header of a message whose arguments take `length` bytes."""
    data = bytearray(struct.pack("<BBBBII", ord("l"), kind, flags, 1, length, serial))
    rows = [(FIELDS[name], (FIELD_TYPES[FIELDS[name]], value)) for name, value in fields.items() if value is not None]
    put(data, "a(yv)", rows)
    data += bytes(-len(data) % 8)
    return data


def message(serial, kind, signature, data, flags=0, **fields):
    """A message with these bytes as its arguments."""
    return header(kind, serial, len(data), flags, **fields, signature=signature or None) + data


def pasteboard_path(name):
    return BROKER_PATH + "/pasteboards/" + "".join(c if c.isalnum() else f"_{ord(c):02x}" for c in name)


def call(path, interface, member, signature="", *values, flags=0, serial=1):
    """A call to the broker."""
    return message(
        serial, CALL, signature, body(signature, *values), flags, destination=BROKER, path=path, interface=interface,
        member=member)


class Message:
    def __init__(self, kind, serial, fields, data, descriptors):
        self.kind, self.serial, self.data, self.descriptors = kind, serial, data, descriptors
        self.fields = {name: fields[code] for name, code in FIELDS.items() if code in fields}

    def __getattr__(self, name):
        return self.fields.get(name)

    @property
    def values(self):
        values, place = [], 0
        for kind in split_types(self.signature or ""):
            value, place = take(self.data, place, kind)
            values.append(value)
        return values

    @property
    def text(self):
        """The name and the message of an error."""
        return f"{self.error}: {self.values[0] if self.data else ''}" if self.kind == ERROR else ""


class Gone(Exception):
    """The other side has closed the connection."""


class Connection:
    """A connection to a bus or, with `direct`, to the broker itself."""

    DEADLINE = 60

    def __init__(self, path, hello=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.serial, self.buffer, self.descriptors = 0, bytearray(), []
        self.replies, self.others, self.name = {}, [], None
        for line in [b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode(), b"NEGOTIATE_UNIX_FD"]:
            self.socket.sendall(line + b"\r\n")
            while not self.buffer.endswith(b"\r\n"):
                self._receive(time.monotonic() + self.DEADLINE)
            self.buffer.clear()
        self.socket.sendall(b"BEGIN\r\n")
        if hello:
            self.name = self.request(*BUS, "Hello").values[0]

    def direct(self):
        """Opens a direct connection to the broker on behalf of this connection."""
        reply = self.request(BROKER, BROKER_PATH, BROKER, "Connect", "a{sv}", {})
        descriptor = reply.descriptors[0]
        made = Connection(f"/proc/self/fd/{descriptor}")
        os.close(descriptor)
        # The broker closes the direct connection with its owner, so keep the owner alive.
        made.owner = self
        return made

    def fileno(self):
        return self.socket.fileno()

    # Sending

    def next_serial(self):
        self.serial += 1
        return self.serial

    def send(self, data, descriptors=()):
        sent = 0
        if descriptors:
            rights = array.array("i", descriptors)
            sent = self.socket.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        self.socket.sendall(memoryview(data)[sent:])

    def message(self, kind, signature, data, flags=0, descriptors=(), **fields):
        """Sends a message with these bytes as its arguments; returns its serial number."""
        serial = self.next_serial()
        made = message(serial, kind, signature, data, flags, **fields, unix_fds=len(descriptors) or None)
        self.send(made, descriptors)
        return serial

    def call(self, destination, path, interface, member, signature="", *values, flags=0, descriptors=()):
        return self.message(
            CALL, signature, body(signature, *values), flags, descriptors, destination=destination, path=path,
            interface=interface, member=member)

    def request(self, *arguments, **options):
        return self.wait(self.call(*arguments, **options))

    def broker(self, interface, member, signature="", *values, path=BROKER_PATH, **options):
        """Calls the broker; returns the serial number."""
        return self.call(BROKER, path, f"org.swiftipc.{interface}", member, signature, *values, **options)

    def ask(self, *arguments, **options):
        """Calls the broker and waits for its answer."""
        return self.wait(self.broker(*arguments, **options))

    def pasteboard(self, name, member, signature, *values, **options):
        return self.broker("Pasteboard1", member, signature, *values, path=pasteboard_path(name), **options)

    # Receiving

    def _receive(self, deadline):
        if not select.select([self.socket], [], [], max(0, deadline - time.monotonic()))[0]:
            raise TimeoutError("no answer")
        self.receive()

    def receive(self):
        """Reads the available bytes once."""
        try:
            data, rights, _, _ = self.socket.recvmsg(1 << 20, socket.CMSG_SPACE(4 * 253))
        except ConnectionError:
            data, rights = b"", []
        for _, _, numbers in rights:
            self.descriptors += array.array("i", numbers)
        if not data:
            raise Gone()
        self.buffer += data

    def messages(self):
        """Yields the messages that have arrived completely."""
        while len(self.buffer) >= 16:
            length, serial, fields_length = struct.unpack_from("<III", self.buffer, 4)
            start = 16 + fields_length + (-fields_length % 8)
            if len(self.buffer) < start + length:
                return
            fields = dict(take(self.buffer, 12, "a(yv)")[0])
            count = fields.get(9, 0)
            own, self.descriptors = self.descriptors[:count], self.descriptors[count:]
            data = bytes(self.buffer[start:start + length])
            kind = self.buffer[1]
            del self.buffer[:start + length]
            yield Message(kind, serial, fields, data, own)

    def sort(self):
        """Stores replies by the serial number of their call, answers pings, and stores other messages in `others`."""
        for message in self.messages():
            if message.kind in (RETURN, ERROR):
                self.replies[message.reply_serial] = message
            elif message.kind == CALL and message.member == "Ping":
                self.message(RETURN, "", b"", destination=message.sender, reply_serial=message.serial)
            else:
                self.others.append(message)

    def wait(self, serial, seconds=DEADLINE):
        deadline = time.monotonic() + seconds
        while True:
            self.sort()
            if serial in self.replies:
                return self.replies.pop(serial)
            self._receive(deadline)

    def wait_call(self, member, seconds=DEADLINE):
        """Waits for the next call of a member, on a handler's connection."""
        deadline = time.monotonic() + seconds
        while True:
            self.sort()
            for place, message in enumerate(self.others):
                if message.kind == CALL and message.member == member:
                    return self.others.pop(place)
            self._receive(deadline)

    def reply(self, call, signature="", *values):
        self.message(RETURN, signature, body(signature, *values), destination=call.sender, reply_serial=call.serial)

    def close(self):
        self.socket.close()
