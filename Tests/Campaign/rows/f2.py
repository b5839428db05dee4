"""Forged messages for every member of the contract get exactly one documented answer, and harm nobody.

The messages are made from dbus/*.xml: right and wrong types, extreme values, unknown options, descriptors of every
kind, properties, objects and members that do not exist, stray replies, errors and signals, flags, and messages that are
broken or truncated. They go over the bus and over direct connections, up to 64 at a time, while a handler gives wrong
answers.
After each batch, an honest client sets and reads a value, and the broker is still the same process. At the end, its
memory, descriptors and threads are those of the start.
"""

import contextlib
import os
import pathlib
import random
import time

import wire
from campaign import contract, forgery, meddler, pipelines
from campaign.place import Place, thread
from campaign.shard import Broken

INVARIANTS = (16, 17, 18, 19, 23)
UNIT = "messages"
SIZES = dict(small=2_000, full=300_000)
SHARD = 15_000
BUSES = True

BATCH = 250
# The text of an error quotes at most a part of its input.
MOST_TEXT = 2_000
# The growth that is left after all forged content is removed: caches of SQLite and of the allocator.
MOST_GROWTH = 32 << 20


def run(shard):
    with Scene(shard) as scene:
        scene.attack(shard.count)


class Scene:
    """A broker, an honest client, and a handler that answers wrongly. `path` is the socket for the forger, if it is not
    that of the bus."""

    # I17 names 1 s; a machine that runs other shards beside this one takes longer.
    patience = 10

    def __init__(self, shard, path=None):
        # Without desktop entries of this machine, no forged URL can start a program.
        empty = shard.folder / "no-data"
        empty.mkdir()
        self.shard, self.random = shard, shard.random
        self.place = Place(shard, environment=dict(XDG_DATA_DIRS=str(empty)))
        self.forger = forgery.Forger(self.random, forgery.Descriptors(shard.folder))
        self.breaker = forgery.Breaker(self.forger)
        self.open_path = path

    def __enter__(self):
        self.place.__enter__()
        self.pid = int(self.place.broker.pid)
        self.path = self.open_path(self.place.bus.path) if self.open_path else self.place.bus.path
        self.honest = self.place.connect()
        self.handler = Handler(self.place.bus.path, self.random.getrandbits(64))
        self.stack = contextlib.ExitStack()
        self.stack.enter_context(thread(self.handler.serve))
        return self

    def __exit__(self, *exception):
        self.handler.is_ending = True
        self.handler.connection.close()
        with contextlib.suppress(Exception):
            self.stack.close()
        self.place.__exit__(*exception)

    def attack(self, count):
        # The first batch creates what the broker keeps: its threads, its caches and the tables of its store.
        self.batch(min(BATCH, count))
        self.clean()
        before = Use(self.pid)
        done = min(BATCH, count)
        while done < count:
            size = min(BATCH, count - done)
            self.batch(size)
            done += size
        self.clean()
        self.back_to(before)
        self.shard.done(count)

    # One batch

    def batch(self, size):
        broken = round(size * 0.06)
        route = self.random.choice(["bus", "direct"])
        self.forge(size - broken, route)
        for _ in range(broken):
            self.break_one()
        self.verify()

    def forge(self, count, route):
        owner = pipelines.Pipeline(self.path)
        connection = owner.direct() if route == "direct" else owner
        watch = Watch(self.shard, connection, route)
        if connection is not owner:
            # The broker asks for promised values over the bus.
            owner.incoming, connection.beside = watch.called, (owner,)
        sent = "nothing"
        try:
            for _ in range(count):
                forged = self.forger.message()
                sent = forged
                watch.send(forged)
            self.end_calls(connection)
            # What the broker sends twice arrives before the answer to a later call.
            connection.request(wire.BROKER, wire.BROKER_PATH, "org.freedesktop.DBus.Peer", "Ping")
        except wire.Gone:
            raise Broken(f"the connection over {route} was closed; the last message was {sent}; in flight: "
                         + "; ".join(map(str, list(connection.open.values())[:5])))
        except TimeoutError:
            raise Broken(f"I18: {len(connection.open)} calls over {route} got no answer, such as "
                         + "; ".join(map(str, list(connection.open.values())[:3])))
        finally:
            connection.close()
            owner.close()
        self.shard.add(**{f"over_{route}": count})

    def end_calls(self, connection):
        """Waits for all answers. The broker may see a call after the change that would have ended it."""
        end = time.monotonic() + connection.DEADLINE
        while True:
            self.wake()
            try:
                return connection.settle(seconds=0.2)
            except TimeoutError:
                if time.monotonic() > end:
                    raise

    def wake(self):
        """Ends all calls that wait: for a change of a pasteboard, or for the end of a request."""
        for name in forgery.BOARDS:
            self.check(self.set(name, "woken"), f"SetItems of {name}")
        while True:
            rows = self.ask("URLs1", "ListRequests", "a{sv}", {"state": ("s", "queued"), "limit": ("u", 1_000)})
            for row in rows.values[0]:
                self.ask("URLs1", "CancelRequest", "sa{sv}", row["id"], {})
            if len(rows.values[0]) < 1_000:
                break
        self.set(forgery.BOARDS[0], "woken again")

    def break_one(self):
        """Sends broken bytes, and reads to the end of the connection."""
        route = self.random.choice(["bus", "direct"])
        owner = pipelines.Pipeline(self.path)
        connection = owner.direct() if route == "direct" else owner
        answers = {}
        connection.answer = lambda call, message: answers.setdefault(message.reply_serial, []).append(message)
        serial = connection.next_serial()
        forged, data = self.breaker.bytes(serial)
        before = None
        try:
            connection.send(data)
            before = connection.call(wire.BROKER, wire.BROKER_PATH, "org.freedesktop.DBus.Peer", "Ping")
            connection.socket.shutdown(1)
            while True:
                connection._receive(time.monotonic() + connection.DEADLINE)
                connection.sort()
        except (wire.Gone, OSError) as error:
            if isinstance(error, TimeoutError):
                raise Broken(f"I23: a connection over {route} stays open after {data[:600].hex()} ({forged})")
        finally:
            connection.close()
            owner.close()
        for number, messages in answers.items():
            if len(messages) > 1:
                raise Broken(f"I18: {len(messages)} answers to {number} (the Ping is {before}) over {route} after "
                             f"{data[:600].hex()}")
        self.shard.add(broken_messages=1)

    # The honest client

    def ask(self, *arguments):
        try:
            return self.honest.ask(*arguments)
        except wire.Gone:
            raise Broken("the bus has closed the connection of the honest client")
        except TimeoutError:
            raise Broken(f"the honest client got no answer to {arguments[:2]}: {self.place.log_text()[-1_000:]}")

    def check(self, reply, what):
        if reply.kind == wire.ERROR:
            code = self.place.broker.poll()
            raise Broken(f"{what} by an honest client fails with {reply.text}; the broker "
                         + ("runs" if code is None else f"ended with {code}: {self.place.log_text()[-2_000:]}"))
        return reply

    def set(self, name, text):
        serial = self.honest.broker(
            "Simple1", "SetText", "ss", name, text)
        return self.honest.wait(serial)

    def verify(self):
        """The broker is the same process, and a value that is set can be read."""
        text = f"honest {self.random.getrandbits(64):x}"
        self.check(self.set("honest", text), "SetText")
        reply = self.check(self.ask("Simple1", "GetText", "s", "honest"), "GetText")
        self.shard.expect(reply.values == [text], f"the honest client set {text!r} and read {reply.values!r}")
        owner = self.honest.request(*wire.BUS, "GetConnectionUnixProcessID", "s", wire.BROKER).values[0]
        self.shard.expect(owner == self.pid and self.place.broker.poll() is None,
                          f"I23: the broker was {self.pid}, and is {owner} now: {self.place.log_text()[-2_000:]}")
        self.shard.expect(self.handler.error is None, f"the handler's connection ended: {self.handler.error}")

    def clean(self):
        """Removes everything that the forged messages left: requests, pasteboards, claims and policies."""
        self.wake()
        while rows := self.ask("URLs1", "ListRequests", "a{sv}", {"limit": ("u", 1_000)}).values[0]:
            for row in rows:
                self.ask("URLs1", "CancelRequest", "sa{sv}", row["id"], {})
                self.ask("URLs1", "DropRequest", "sa{sv}", row["id"], {})
        while True:
            rows = self.ask("Pasteboards1", "ListPasteboards", "a{sv}", {}).values[0]
            names = [row[0] for row in rows if row[0] not in ("general", "honest")]
            if not names:
                break
            for name in names:
                self.ask("Pasteboards1", "RemovePasteboard", "sa{sv}", name, {})
        self.honest.wait(self.honest.pasteboard("general", "Clear", "a{sv}", {}))
        for row in self.ask("Schemes1", "ListPolicies", "a{sv}", {}).values[0]:
            self.ask("Schemes1", "SetPolicy", "sa{sv}a{sv}", row[0], {}, {})
        for row in self.ask("Schemes1", "ListHandlers", "sa{sv}", "", {}).values[0]:
            if row[1]["application"] != Handler.APPLICATION:
                self.ask("Schemes1", "Unregister", "sasa{sv}", row[1]["application"], [], {})

    def back_to(self, before):
        """Waits for the counts to return; nothing announces it."""
        begin = time.monotonic()
        while True:
            now = Use(self.pid)
            if now.descriptors <= before.descriptors and len(set(now.threads)) == len(now.threads):
                break
            if time.monotonic() > begin + self.patience:
                raise Broken(f"I17: the broker does not return to its baseline: {before} and {now}")
            time.sleep(0.02)
        self.shard.worst(return_ms=round((time.monotonic() - begin) * 1_000), kib=now.memory >> 10)
        self.shard.expect(now.memory <= before.memory + MOST_GROWTH, f"I16: the broker grew from {before} to {now}")


class Watch:
    """Sends forged messages on a connection, and checks each answer."""

    def __init__(self, shard, connection, route):
        self.shard, self.connection, self.route = shard, connection, route
        self.silent, self.was_alone = {}, False
        self.names = contract.error_names() | contract.standard_errors()
        connection.answer = self.answered
        connection.incoming = self.called

    def send(self, forged):
        # dbus-daemon with small limits sometimes closes a connection on which descriptors follow a large message.
        is_alone = len(forged.body) > 1_000_000
        self.connection.settle(0 if is_alone or self.was_alone else pipelines.MOST_OPEN - 1)
        self.was_alone = is_alone
        serial = self.connection.serial + 1
        (self.connection.open if forged.answers else self.silent)[serial] = forged
        self.connection.message(
            forged.kind, forged.signature, forged.body, forged.flags, forged.descriptors, path=forged.path,
            interface=forged.interface, member=forged.member, destination=wire.BROKER, **forged.fields)

    def answered(self, forged, message):
        for descriptor in message.descriptors:
            os.close(descriptor)
        # The bus itself may refuse to pass a message on. It counts as the answer, whatever it is.
        from_bus = message.sender == "org.freedesktop.DBus"
        if forged is None:
            silent = self.silent.pop(message.reply_serial, None)
            if from_bus and silent:
                return
            raise Broken(f"I18: {message.text or 'a return'} over {self.route} is the second answer to a call, or one "
                         f"that was not asked for: {silent or message.reply_serial}")
        self.shard.add(answers=1)
        if message.kind == wire.RETURN:
            self.shard.expect(
                not forged.fails, f"I23: over {self.route}, the broker accepts {forged}: {message.values}")
            return
        if from_bus:
            self.shard.add(of_bus=1)
            return
        self.shard.add(errors=1)
        self.shard.expect(message.error in self.names,
                          f"the error {message.text[:300]} is not in the documents; it answers {forged}")
        self.shard.worst(text=len(message.text))
        self.shard.expect(len(message.text) <= MOST_TEXT,
                          f"the error for {forged} has {len(message.text)} characters: {message.text[:300]}…")

    def called(self, message):
        """The broker asks for a promised value, and gets an answer of any kind."""
        answer_wrongly(getattr(self.connection, "owner", self.connection), message, random.Random(message.serial))


class Handler:
    """A handler whose answers are often wrong: of wrong types, errors, twice, or to calls that nobody made."""

    APPLICATION = "campaign.Forged"

    def __init__(self, path, seed):
        self.connection, self.random = wire.Connection(path), random.Random(seed)
        self.is_ending, self.error = False, None
        self.connection.request(*wire.BUS, "RequestName", "su", self.APPLICATION, 4)
        self.connection.ask("Schemes1", "Register", "sasa{sv}", self.APPLICATION, forgery.SCHEMES,
                            {"window": ("u", 16), "fd": ("b", True)})

    def serve(self):
        try:
            while not self.is_ending:
                self.connection.sort()
                for message in self.connection.others:
                    for descriptor in message.descriptors:
                        os.close(descriptor)
                    if message.kind == wire.CALL and message.member == "OpenURL":
                        answer_wrongly(self.connection, message, self.random)
                self.connection.others.clear()
                self.connection.replies.clear()
                with contextlib.suppress(TimeoutError):
                    self.connection._receive(time.monotonic() + 0.5)
        except Exception as error:
            self.error = None if self.is_ending else repr(error)


def answer_wrongly(connection, call, chance):
    fields = dict(destination=call.sender, reply_serial=call.serial)
    for _ in range(chance.choice([1, 1, 1, 1, 2])):
        match chance.randrange(6):
            case 0 | 1:
                connection.message(wire.RETURN, "sa{sv}", wire.body("sa{sv}", "handled", {}), **fields)
            case 2:
                connection.message(wire.RETURN, "v", wire.body("v", ("s", "promised")), **fields)
            case 3:
                connection.message(wire.ERROR, "s", wire.body("s", "no"), error=chance.choice(
                    ["org.swiftipc.Error.NoSuchItem", "a.b", "org.freedesktop.DBus.Error.NoReply"]), **fields)
            case 4:
                connection.message(wire.RETURN, "", b"", **fields)
            case _:
                connection.message(wire.RETURN, "sa{sv}", wire.body("sa{sv}", "x" * 500, {
                    "items": ("u", 1), "error-code": ("s", "x" * 5_000)}), **fields)
    connection.message(wire.RETURN, "", b"", destination=wire.BROKER, reply_serial=chance.randrange(1, 1 << 20))


class Use:
    """What a process uses."""

    def __init__(self, pid):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines())
        self.memory = int(fields["RssAnon"].split()[0]) * 1024
        # Each thread has a name of its own, and some start when they are needed.
        self.threads = sorted(path.read_text().strip() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/comm"))
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))

    def __str__(self):
        return f"{self.memory >> 10} KiB, {self.descriptors} descriptors, the threads {self.threads}"


# Controls

def meddled(shard, meddle):
    """The same attack, on a broker whose answers pass through a defective peer."""
    with Scene(shard, lambda path: meddler.Meddler(path, str(shard.folder / "meddled"), meddle).path) as scene:
        scene.attack(shard.count)


def control_answers_twice(shard):
    meddled(shard, meddler.every(40, lambda message: message * 2))


def control_does_not_answer(shard):
    pipelines.Pipeline.DEADLINE = 3
    meddled(shard, meddler.every(40, lambda message: b""))


def control_unknown_error(shard):
    meddled(shard, lambda message: message.replace(b"org.swiftipc.Error.Inv", b"org.swiftipc.Error.Unv"))


def control_crash(shard):
    """A broker that a certain message would kill: here, its process ends after the second batch."""
    with Scene(shard) as scene:
        scene.batch(BATCH)
        scene.place.kill_broker(11)
        scene.batch(BATCH)


def control_keeps_descriptors(shard):
    """A connection that stays open costs the broker a descriptor."""
    with Scene(shard) as scene:
        scene.patience, before = 1, Use(scene.pid)
        kept = [pipelines.Pipeline(scene.path) for _ in range(3)]
        scene.kept = kept + [one.direct() for one in kept]
        scene.batch(BATCH)
        scene.clean()
        scene.back_to(before)
