"""A defective peer: it passes bytes between programs and a bus, and changes what the bus sends."""

import array
import os
import select
import socket
import struct
import threading

import wire


def every(count, change):
    """Changes each message whose number is a multiple of `count`."""
    seen = [0]

    def meddle(message):
        seen[0] += 1
        return change(message) if seen[0] % count == 0 else message
    return meddle


class Meddler:
    """Listens on `path`, and connects each program to `bus`. `meddle` gets each complete message for a program from the
    broker that answers a call (with its bytes), and returns the bytes to send in its place."""

    def __init__(self, bus, path, meddle):
        self.bus, self.path, self.meddle = bus, path, meddle
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            program, _ = self.listener.accept()
            threading.Thread(target=self.connect, args=(program,), daemon=True).start()

    def connect(self, program):
        bus = socket.socket(socket.AF_UNIX)
        bus.connect(self.bus)
        ways = {program: Way(bus, lambda message: message), bus: Way(program, self.meddle)}
        try:
            while True:
                for source in select.select(list(ways), [], [])[0]:
                    if not ways[source].pass_on(source):
                        return
        except OSError:
            pass
        finally:
            program.close()
            bus.close()


class Way:
    """One direction. Messages begin after the lines of the authentication, each with its own descriptors."""

    def __init__(self, target, meddle):
        self.target, self.meddle = target, meddle
        self.buffer, self.descriptors, self.has_begun = bytearray(), [], False

    def pass_on(self, source):
        data, rights, _, _ = source.recvmsg(1 << 20, socket.CMSG_SPACE(4 * 253))
        for _, _, numbers in rights:
            self.descriptors += array.array("i", numbers)
        self.buffer += data
        while not self.has_begun and b"\r\n" in self.buffer:
            line = self.cut(self.buffer.index(b"\r\n") + 2)
            self.target.sendall(line)
            self.has_begun = line.startswith((b"AGREE_UNIX_FD", b"BEGIN"))
        while self.has_begun and (length := self.length()):
            self.send(self.cut(length))
        if not data:
            self.target.sendall(self.buffer)
        return bool(data)

    def cut(self, length):
        data = bytes(self.buffer[:length])
        del self.buffer[:length]
        return data

    def length(self):
        """The length of the first message, if it is complete. What is no message is passed on as it is."""
        if len(self.buffer) < 16:
            return 0
        body, _, fields = struct.unpack_from("<III", self.buffer, 4)
        length = 16 + fields + -fields % 8 + body
        if self.buffer[0] != ord("l") or length > 1 << 27:
            return len(self.buffer)
        return length if len(self.buffer) >= length else 0

    def send(self, message):
        try:
            fields = dict(wire.take(message, 12, "a(yv)")[0])
        except (struct.error, IndexError, KeyError, TypeError, ValueError):
            return self.target.sendall(message)
        count = fields.get(9, 0)
        own, self.descriptors = self.descriptors[:count], self.descriptors[count:]
        # Answers of the bus stay as they are, and a message with descriptors cannot be sent twice.
        if message[1] in (wire.RETURN, wire.ERROR) and fields.get(7) != "org.freedesktop.DBus" and not own:
            message = self.meddle(message)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", own))] if own else []
        sent = self.target.sendmsg([message], rights) if message else 0
        self.target.sendall(message[sent:])
        for one in own:
            os.close(one)
