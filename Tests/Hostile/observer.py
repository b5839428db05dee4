"""Runs honest clients during an attack, and measures the memory of broker and bus: observer.py BUS BROKER_PID BUS_PID

Four connections make calls repeatedly: to the bus itself, to the broker with a ping and with a read over the bus, and to
the broker with a ping over a direct connection. It prints `ready`. When its input is closed and every call is answered,
it prints the longest wait of each connection, the lost connections, and the growth of both processes.
"""

import json
import os
import select
import sys
import time

import wire

PAUSE = 0.005


class Client:
    def __init__(self, name, connection, call):
        self.name, self.connection, self.call = name, connection, call
        self.next, self.asked, self.serial = 0, None, None
        self.worst, self.count, self.error = 0, 0, None

    def turn(self, now):
        if self.asked is None and now >= self.next and self.error is None:
            self.asked = time.monotonic()
            try:
                self.serial = self.call(self.connection)
            except OSError as error:
                self.error, self.asked = repr(error), None

    def take(self):
        try:
            self.connection.receive()
        except wire.Gone:
            self.error = "cut off"
            self.asked = None
            return
        self.connection.sort()
        answer = self.connection.replies.pop(self.serial, None)
        if answer is None:
            return
        now = time.monotonic()
        self.worst, self.count = max(self.worst, now - self.asked), self.count + 1
        if answer.kind == wire.ERROR:
            self.error = answer.text
        self.asked, self.next = None, now + PAUSE


def ping(connection):
    return connection.call(wire.BROKER, wire.BROKER_PATH, "org.freedesktop.DBus.Peer", "Ping")


def resident(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon")), 0)
    except OSError:
        return 0


def main():
    path, pids = sys.argv[1], dict(broker=int(sys.argv[2]), bus=int(sys.argv[3]))
    reader = wire.Connection(path)
    reader.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "observer", {"create": ("b", True)})
    reader.wait(reader.pasteboard(
        "observer", "SetItems", "aa(sv)a{sv}", [[("text/plain", ("s", "a" * 1_000))]], {}))
    owner = wire.Connection(path)
    clients = [
        Client("bus", wire.Connection(path), lambda c: c.call(*wire.BUS, "GetId")),
        Client("ping", wire.Connection(path), ping),
        Client("read", reader, lambda c: c.pasteboard("observer", "GetItems", "a{sv}", {})),
        Client("direct", owner.direct(), ping),
    ]
    before = {name: resident(pid) for name, pid in pids.items()}
    most = dict(before)
    is_ending = is_ready = False
    while True:
        now = time.monotonic()
        for client in clients:
            if not is_ending:
                client.turn(now)
        for name, pid in pids.items():
            most[name] = max(most[name], resident(pid))
        waiting = [client for client in clients if client.asked is not None]
        if is_ending and not waiting:
            break
        if not is_ready and all(client.count for client in clients):
            is_ready = True
            print("ready", flush=True)
        watched = [client.connection for client in waiting] + ([] if is_ending else [sys.stdin])
        for ready in select.select(watched, [], [], PAUSE)[0]:
            if ready is sys.stdin:
                is_ending = not os.read(0, 100)
            else:
                next(client for client in waiting if client.connection is ready).take()
    print(json.dumps(dict(
        waits={client.name: round(client.worst * 1_000) for client in clients},
        cut={client.name: client.error for client in clients if client.error},
        grown={name: round((most[name] - before[name]) / 1_048_576) for name in pids})), flush=True)


main()
