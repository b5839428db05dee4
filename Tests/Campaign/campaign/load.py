"""Mixed load on a broker that is killed again and again, and the comparison after each restart."""

import contextlib
import select
import sqlite3
import time

from campaign import ledger, sends
from campaign.calls import Client
from campaign.shard import Broken


def sizes(random):
    """The size of a value: most are small, some travel by descriptor and are stored in files of their own."""
    # Three requests of one caller, with the largest values, are within its share of `waiting-bytes`.
    low, high = random.choices(((20, 200), (1_000, 60_000), (66_000, 300_000), (1 << 20, 5 << 19)), (60, 25, 13, 2))[0]
    return random.randint(low, high)


class Books:
    """The ledgers of everything that the clients of a load do. They can be copied with the files of a store."""

    def __init__(self, sizes):
        self.counts = ledger.Counts()
        self.requests = sends.Requests(sizes)
        self.shared = [ledger.Shared(name, self.counts, sizes) for name in ("first", "second", "third")]
        self.sent = sends.Sent("sent", self.counts, sizes, self.requests)
        self.fleeting = [ledger.Fleeting(f"fleeting-{number}", self.counts, sizes) for number in range(2)]
        self.claims = [ledger.Claims(f"org.example.Claims{number}") for number in range(2)]

    @property
    def lasting(self):
        return [*self.shared, self.sent]

    @property
    def single(self):
        return [*self.fleeting, *self.claims]

    def all(self):
        return [*self.lasting, *self.single, self.requests]


class Load:
    """Clients of the broker in a place, and a handler."""

    def __init__(self, place, random, clients=5, sizes=sizes):
        self.place, self.random, self.books = place, random, Books(sizes)
        self.beside = []
        self.clients = [Client(place, random, self.beside) for _ in range(clients)]
        # What one client changes at a time has its own client; all clients use the rest.
        self.choices = {
            client: self.books.lasting + [self.books.requests] * 2 + self.books.single[place::clients] * 2
            for place, client in enumerate(self.clients)}
        self.acknowledged = self.unanswered = self.idle = 0

    @property
    def checker(self):
        return self.clients[0]

    def begin(self):
        self.handler_comes()
        for one in self.books.lasting:
            one.create(self.checker)

    # The handler

    def handler_waits(self):
        """Lets the handler own its name, before or after the broker starts."""
        if not self.beside:
            self.beside.append(sends.Handler(self))

    def handler_comes(self):
        self.handler_waits()
        self.beside[0].register()

    def handler_leaves(self):
        for handler in self.beside:
            handler.close()
        self.beside.clear()

    # Load

    def refill(self, client):
        for _ in range(8):
            if len(client.open) >= 3:
                return
            call = self.random.choice(self.choices[client]).next(client)
            if call:
                client.begin(call)

    def note(self, ended):
        for call in ended:
            call.ledger.done(call)
            self.acknowledged += call.state == "done"
            self.unanswered += call.state == "unknown"

    def burst(self, acknowledged, pause):
        """Makes calls until this many more are acknowledged, and then for `pause` seconds. Kills the broker."""
        wanted, end = self.acknowledged + acknowledged, None
        while not end or time.monotonic() < end:
            for client in self.clients:
                self.refill(client)
            self.turn(0.001 if end else 0.02)
            if not end and self.acknowledged >= wanted or not any(client.open for client in self.clients):
                end = end or time.monotonic() + pause
        self.place.broker.kill()
        self.place.end_of_broker()
        for client in self.clients:
            self.note(client.drain())

    def turn(self, seconds):
        """Handles everything that has arrived. The handler answers what it holds if nothing else happens."""
        found = select.select([*(client.connection for client in self.clients), *self.beside], [], [], seconds)[0]
        self.idle = 0 if found else self.idle + seconds
        if self.idle > 20:
            raise Broken("no call was answered for 20 s: " + ", ".join(
                str(call) for client in self.clients for call in client.open.values()))
        for one in found or self.beside:
            if one not in self.beside:
                one.receive()
            elif found:
                one.serve()
            else:
                one.answer_all()
        for client in self.clients:
            self.note(client.sorted())

    # Checks

    def check(self):
        """Compares everything after a restart."""
        self.handler_comes()
        for one in self.books.all():
            one.check(self.checker)

    def finish(self):
        """Lets every request end, stops the broker, and compares the files of large values with the database."""
        self.handler_comes()
        self.books.requests.finish(self.checker, self.beside[0])
        code = self.place.kill_broker(15)
        if code != 0:
            raise Broken(f"the broker stopped with {code}: {self.place.log_text()[-1_000:]}")
        check_files(self.place.store)

    def close(self):
        self.handler_leaves()
        for client in self.clients:
            client.close()


def check_files(store):
    """After a clean stop, there is one file for each large value in the database, and no other one (I2)."""
    names = {path.name for path in store.iterdir()}
    if names - {"store.sqlite", "store.sqlite-wal", "blobs", "lock"}:
        raise Broken(f"I2: the store has other files: {sorted(names)}")
    with contextlib.closing(sqlite3.connect(f"file:{store}/store.sqlite?mode=ro", uri=True)) as database:
        found = database.execute("PRAGMA integrity_check").fetchall()
        rows = database.execute("SELECT id FROM representation WHERE kind = 2").fetchall()
    if found != [("ok",)]:
        raise Broken(f"I2: the database is damaged: {found}")
    wanted = {f"{key:016x}" for key, in rows}
    files = {path.name for path in (store / "blobs").iterdir()}
    if files != wanted:
        raise Broken(f"I2: {len(files - wanted)} files have no row, such as {sorted(files - wanted)[:2]}, and "
                     f"{len(wanted - files)} rows no file")
