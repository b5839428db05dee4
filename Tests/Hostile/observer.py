"""Runs honest clients during an attack, and measures the memory of broker and bus: observer.py BUS BROKER_PID BUS_PID

Six connections make calls repeatedly: to the bus itself; over the bus, a ping, a read, a write to the disk, and a URL
that `ipc-server` handles; and a ping over a direct connection. It prints `ready`. Each line of its input ends a phase,
and so does the end of the input: when every call is answered, it prints one line with the waits of each connection in
this phase, the lost connections, and the growth of both processes since the start.
"""

import json
import os
import select
import sys
import time

import wire

PAUSE = 0.005
TEXT = [[("text/plain", ("s", "a" * 1_000))]]


class Client:
    def __init__(self, name, connection, call):
        self.name, self.connection, self.call = name, connection, call
        self.next, self.asked, self.serial = 0, None, None
        self.waits, self.error = [], None

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
        self.waits.append((now - self.asked) * 1_000)
        if answer.kind == wire.ERROR:
            self.error = answer.text
        elif self.name == "open" and answer.values[0]["outcome"] != "handled":
            self.error = f"the outcome is {answer.values[0]['outcome']}"
        self.asked, self.next = None, now + PAUSE

    def figures(self):
        """The waits of a phase in milliseconds, which begin anew."""
        waits, self.waits = sorted(self.waits), []
        places = dict(p50=0.5, p99=0.99, longest=1)
        return dict(count=len(waits)) | {
            name: round(waits[min(int(len(waits) * place), len(waits) - 1)], 1) if waits else 0
            for name, place in places.items()}


def ping(connection):
    return connection.call(wire.BROKER, wire.BROKER_PATH, "org.freedesktop.DBus.Peer", "Ping")


def board(connection, name):
    """A pasteboard with a short text; the connection that writes to it."""
    connection.ask("Pasteboards1", "GetPasteboard", "sa{sv}", name, {"create": ("b", True)})
    connection.wait(connection.pasteboard(name, "SetItems", "aa(sv)a{sv}", TEXT, {}))
    return connection


def clients(path):
    connect = lambda: wire.Connection(path)
    return [
        Client("bus", connect(), lambda c: c.call(*wire.BUS, "GetId")),
        Client("ping", connect(), ping),
        Client("read", board(connect(), "observer"), lambda c: c.pasteboard("observer", "GetItems", "a{sv}", {})),
        Client("write", board(connect(), "written"), lambda c: c.pasteboard(
            "written", "SetItems", "aa(sv)a{sv}", TEXT, {})),
        Client("open", connect(), lambda c: c.broker("URLs1", "OpenURL", "sa{sv}", "ipcserver.demo:x", {})),
        Client("direct", connect().direct(), ping),
    ]


def resident(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon")), 0)
    except OSError:
        return 0


class Observer:
    def __init__(self, path, pids):
        self.clients, self.pids = clients(path), pids
        self.before = {name: resident(pid) for name, pid in pids.items()}
        self.most = dict(self.before)
        self.is_ready = self.has_ended = False

    def phase(self):
        """Lets the clients call until a line or the end of the input comes, and then waits for their answers."""
        is_over = False
        while True:
            now = time.monotonic()
            for client in self.clients if not is_over else []:
                client.turn(now)
            for name, pid in self.pids.items():
                self.most[name] = max(self.most[name], resident(pid))
            waiting = [client for client in self.clients if client.asked is not None]
            if is_over and not waiting:
                return
            if not self.is_ready and all(client.waits or client.error for client in self.clients):
                self.is_ready = True
                print("ready", flush=True)
            watched = [client.connection for client in waiting] + ([] if is_over else [sys.stdin])
            for ready in select.select(watched, [], [], PAUSE)[0]:
                if ready is sys.stdin:
                    is_over = True
                    self.has_ended = not os.read(0, 1)
                else:
                    next(client for client in waiting if client.connection is ready).take()

    def report(self):
        return dict(
            waits={client.name: client.figures() for client in self.clients},
            cut={client.name: client.error for client in self.clients if client.error},
            grown={name: round((self.most[name] - self.before[name]) / 1_048_576) for name in self.pids})


def main():
    observer = Observer(sys.argv[1], dict(broker=int(sys.argv[2]), bus=int(sys.argv[3])))
    while not observer.has_ended:
        observer.phase()
        print(json.dumps(observer.report()), flush=True)


main()
