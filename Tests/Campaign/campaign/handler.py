"""A handler of URLs on raw connections, which the bus starts. It records each delivery before it answers.

    handler.py BUS APPLICATION WINDOW LOG ROUTE

A line of the log is `P pid`, `D time pid broker id attempt source url` or `A time id answer`. The URL says how to
answer.
"""

import os
import pathlib
import random
import select
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "Hostile")]

import wire  # noqa: E402


class Handler:
    def __init__(self, path, application, window, log, route):
        self.application, self.window, self.is_direct = application, int(window), route == "direct"
        self.log = os.open(log, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        self.random = random.Random(os.getpid())
        self.note("P", os.getpid())
        self.direct, self.owner = None, ""
        self.bus = wire.Connection(path)
        rule = f"type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{wire.BROKER}'"
        self.bus.request(*wire.BUS, "AddMatch", "s", rule)
        self.bus.request(*wire.BUS, "RequestName", "su", application, 4)
        self.register()

    def note(self, *words):
        os.write(self.log, (" ".join(str(word) for word in words) + "\n").encode())

    def register(self):
        """Claims the scheme at the broker that there is now, and opens a direct connection to it. Calls its unique name,
        so that none of them reaches the next broker, whose signal is still to come."""
        self.drain()
        reply = self.bus.request(*wire.BUS, "GetNameOwner", "s", wire.BROKER)
        if reply.kind == wire.ERROR:
            return
        self.owner = reply.values[0]
        reply = self.ask("Schemes1", "Register", "sasa{sv}", self.application, [self.application.lower()],
                         {"window": ("u", self.window)})
        if self.is_direct and reply.kind == wire.RETURN:
            reply = self.ask("Broker1", "Connect", "a{sv}", {"deliveries": ("b", 1)})
            if reply.descriptors:
                try:
                    self.direct = wire.Connection(f"/proc/self/fd/{reply.descriptors[0]}")
                except (OSError, wire.Gone):
                    self.direct = None
                os.close(reply.descriptors[0])

    def ask(self, interface, *arguments):
        return self.bus.request(self.owner, wire.BROKER_PATH, f"org.swiftipc.{interface}", *arguments)

    def drain(self):
        """Takes what an earlier broker sent over its direct connection, which has ended."""
        while self.direct:
            self.take_in(self.direct)

    def serve(self):
        while True:
            # Signals and calls may have arrived while an answer was awaited.
            while any(message.member == "NameOwnerChanged" for message in self.bus.others):
                owners = [each.values[2] for each in self.bus.others if each.member == "NameOwnerChanged"]
                self.bus.others = [each for each in self.bus.others if each.member != "NameOwnerChanged"]
                # The signal may be about the broker that has answered already. Its direct connection does not end, so
                # `drain` would wait for as long as it runs.
                if owners[-1] not in ("", self.owner):
                    self.register()
            self.carry_out()
            open_now = [each for each in (self.direct, self.bus) if each]
            for connection in select.select(open_now, [], [])[0]:
                if connection in (self.direct, self.bus):
                    self.take_in(connection)

    def take_in(self, connection):
        try:
            connection.receive()
        except wire.Gone:
            if connection is self.bus:
                sys.exit(0)
            self.carry_out()
            self.direct = None
            return
        connection.sort()

    def carry_out(self):
        """Records all deliveries that have arrived, then answers them, in any order."""
        calls = []
        for connection in (self.direct, self.bus):
            if connection:
                calls += [(connection, call) for call in connection.others if call.member == "OpenURL"]
                connection.others = [call for call in connection.others if call.member != "OpenURL"]
        for connection, call in calls:
            identifier, url, context = call.values
            self.note("D", time.monotonic_ns(), os.getpid(), call.sender or self.owner, identifier,
                      context.get("attempt"), context.get("source-application"), url)
            if "crash" in url:
                os._exit(1)
        self.random.shuffle(calls)
        for connection, call in calls:
            self.answer(connection, call)

    def answer(self, connection, call):
        answer = call.values[1].rpartition("=")[2]
        # A recorded answer may have reached the broker or not; one that is not recorded certainly has not.
        self.note("A", time.monotonic_ns(), call.values[0], answer)
        try:
            if answer == "error":
                connection.message(wire.ERROR, "s", wire.body("s", "no"), destination=call.sender,
                                   reply_serial=call.serial, error="demo.Error")
            else:
                connection.reply(call, "sa{sv}", answer, {})
        except OSError:
            pass


if __name__ == "__main__":
    try:
        Handler(*sys.argv[1:]).serve()
    except wire.Gone:
        pass
