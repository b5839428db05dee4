"""Values whose content follows from their name, so that a reader can tell whether it got exactly one written value."""

import fcntl
import os
import tempfile

TYPE = "text/x-campaign"
# A value above this size travels by descriptor and is stored in a file of its own.
INLINE = 65_536
F_ADD_SEALS, ALL_SEALS = 1033, 15


def named(owner, number, size):
    """The name of a value with at least this size."""
    name = f"{owner}.{number}.{size}"
    return name if size > len(name) else f"{owner}.{number}.{len(name) + 12}"


def size(name):
    return int(name.rsplit(".", 1)[1])


def content(name):
    row = f"{name}\n".encode()
    return (row * (size(name) // len(row) + 1))[:size(name)]


def name_of(data):
    """The name of a value that was read; text that says what is wrong if it is not the content of that name."""
    data = data.encode() if isinstance(data, str) else bytes(data)
    name = data[:80].split(b"\n")[0].decode(errors="replace")
    try:
        whole = content(name)
    except (ValueError, IndexError):
        return f"(no value: {len(data)} bytes, {data[:40]!r})"
    return name if whole == data else f"(damaged: {len(data)} bytes that begin like {name})"


class Outgoing:
    """Items for a message, with the descriptors that travel beside them. Each name is one item."""

    def __init__(self, names):
        self.descriptors = []
        self.items = [[(TYPE, self.value(name))] for name in names]

    def value(self, name):
        """Small values are text or bytes, large ones a sealed memory file or a file on disk, by the name."""
        data, kind = content(name), sum(name.encode()) % 2
        if len(data) <= INLINE:
            return ("s", data.decode()) if kind else ("ay", data)
        self.descriptors.append(memory(data) if kind else file(data))
        return ("h", len(self.descriptors) - 1)

    def close(self):
        for descriptor in self.descriptors:
            os.close(descriptor)


def memory(data):
    descriptor = os.memfd_create("value", os.MFD_ALLOW_SEALING)
    write(descriptor, data)
    fcntl.fcntl(descriptor, F_ADD_SEALS, ALL_SEALS)
    return descriptor


def file(data):
    with tempfile.TemporaryFile() as stream:
        descriptor = os.dup(stream.fileno())
    write(descriptor, data)
    return descriptor


def write(descriptor, data):
    while data:
        data = data[os.write(descriptor, data):]


def names_in(message, items):
    """The names of the values in items that were read from a message, whose descriptors are closed."""
    try:
        return tuple(name_of(received(message, value)) for item in items for _, value in item)
    finally:
        release(message)


def received(message, value):
    if not isinstance(value, int):
        return value
    descriptor = message.descriptors[value]
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def release(message):
    for descriptor in message.descriptors:
        os.close(descriptor)
    message.descriptors = []
