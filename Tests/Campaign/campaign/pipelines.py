"""Connections on which many calls are in flight at once, and which count the answers to each."""

import array
import os
import select
import socket
import time

import wire
from campaign.shard import Broken

# The bus counts the open calls of a connection (max_replies_per_connection, 128 on a stock system bus).
MOST_OPEN = 64


class Pipeline(wire.Connection):
    """A connection that reads while it sends, so that neither side waits for the other.

    `open` has the serial numbers of the calls without an answer. `answer` is called with each reply or error; it gets
    None in place of the call if no call is open under that number. `incoming` is called with each method call.
    """

    def __init__(self, *arguments, **options):
        self.open = {}
        self.answer = lambda call, message: None
        self.incoming = lambda message: None
        super().__init__(*arguments, **options)

    def over(self, path, owner):
        """Another connection to `path`, which stays usable as long as its owner does."""
        made = type(self)(path)
        made.owner = owner
        return made

    def direct(self):
        reply = self.request(wire.BROKER, wire.BROKER_PATH, wire.BROKER, "Connect", "a{sv}", {})
        if reply.kind == wire.ERROR:
            raise Broken(f"Connect fails with {reply.text}")
        try:
            return self.over(f"/proc/self/fd/{reply.descriptors[0]}", self)
        finally:
            os.close(reply.descriptors[0])

    def send(self, data, descriptors=()):
        rest = memoryview(data)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        while rest:
            readable, writable, _ = select.select([self.socket], [self.socket], [], self.DEADLINE)
            if readable:
                self.receive()
                self.sort()
            if writable:
                try:
                    sent = self.socket.sendmsg([rest], rights, socket.MSG_DONTWAIT)
                except BlockingIOError:
                    continue
                except ConnectionError:
                    raise wire.Gone()
                rest, rights = rest[sent:], []
            if not readable and not writable:
                raise TimeoutError("the peer does not read")

    def sort(self):
        for message in self.messages():
            if message.kind in (wire.RETURN, wire.ERROR):
                if message.reply_serial in self.open:
                    self.answer(self.open.pop(message.reply_serial), message)
                elif message.reply_serial in self.awaited:
                    self.replies[message.reply_serial] = message
                else:
                    self.answer(None, message)
            elif message.kind == wire.CALL and message.member == "Ping":
                self.message(wire.RETURN, "", b"", destination=message.sender, reply_serial=message.serial)
            elif message.kind == wire.CALL:
                self.incoming(message)

    # Connections that must be read while this one waits, because the broker calls their programs.
    beside = ()

    def _receive(self, deadline):
        ready = select.select([self, *self.beside], [], [], max(0, deadline - time.monotonic()))[0]
        if not ready:
            raise TimeoutError("no answer")
        for one in ready:
            one.receive()
            if one is not self:
                one.sort()

    # The numbers of the calls for which `wait` waits.
    awaited = frozenset()

    def wait(self, serial, seconds=wire.Connection.DEADLINE):
        self.awaited = self.awaited | {serial}
        try:
            return super().wait(serial, seconds)
        finally:
            self.awaited = self.awaited - {serial}

    def request(self, *arguments, **options):
        self.awaited = self.awaited | {self.serial + 1}
        return self.wait(self.call(*arguments, **options))

    def ask(self, *arguments, **options):
        self.awaited = self.awaited | {self.serial + 1}
        return self.wait(self.broker(*arguments, **options))

    def settle(self, most=0, seconds=None):
        """Reads until at most `most` calls are open."""
        deadline = time.monotonic() + (self.DEADLINE if seconds is None else seconds)
        self.sort()
        while len(self.open) > most:
            self._receive(deadline)
            self.sort()
