"""Calls to the broker whose effect is checked later, and their answers."""

import select

import wire
from campaign import values
from campaign.shard import Broken

# The broker is gone, and the bus cannot know whether it has carried out the call.
UNKNOWN = {"org.freedesktop.DBus.Error.NoReply"}
# The bus had no broker to which it could pass the call.
NEVER = {"org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner"}


class Call:
    """One call of a client. Its state is `open`, then one of these:

    - `done`: the broker answered;
    - `refused`: the broker or the bus answered with an error, so the call has no effect;
    - `unknown`: the broker ended before it answered, so the call has its whole effect or none.

    - arguments: the interface, the member, the signature and the values; a list of names stands for items.
    - path: the object.
    - refusals: the errors of the broker that are correct; any other one is a broken promise.
    """

    def __init__(self, *arguments, path=wire.BROKER_PATH, refusals=(), **facts):
        self.arguments, self.path, self.refusals = arguments, path, refusals
        self.state, self.reply, self.error = "open", None, ""
        self.__dict__.update(facts)

    def send(self, connection, **more):
        """Sends the call, with more options if it is a repetition; returns its serial number."""
        interface, member, signature, *arguments = self.arguments
        outgoing = []
        if more:
            arguments[-1] = arguments[-1] | more
        arguments = [materialized(argument, outgoing) for argument in arguments]
        descriptors = [descriptor for one in outgoing for descriptor in one.descriptors]
        serial = connection.broker(
            interface, member, signature, *arguments, path=self.path, flags=wire.NO_START, descriptors=descriptors)
        for one in outgoing:
            one.close()
        return serial

    def answered(self, message):
        """Sorts an answer. Only an error that is expected refuses the call."""
        self.reply, self.error = message, message.text
        if message.kind == wire.RETURN:
            self.state = "done"
        elif message.error in UNKNOWN:
            self.state = "unknown"
        elif message.error in NEVER or message.error.removeprefix("org.swiftipc.Error.") in self.refusals:
            self.state = "refused"
        else:
            raise Broken(f"{self} was answered with {message.text}")

    def __getstate__(self):
        # A copy does not need the message.
        return self.__dict__ | {"reply": None}

    def __str__(self):
        facts = {name: fact for name, fact in self.__dict__.items()
                 if name not in ("arguments", "path", "refusals", "reply", "ledger")}
        return f"{self.arguments[1]} {facts}"


class Items(list):
    """The names of values, which stand for items in the arguments of a call."""


def materialized(argument, outgoing):
    """Replaces the names of values by the values. Only one argument of a call may have descriptors."""
    if isinstance(argument, Items):
        outgoing.append(values.Outgoing(argument))
        return outgoing[-1].items
    if isinstance(argument, dict):
        return {name: (kind, materialized(value, outgoing)) for name, (kind, value) in argument.items()}
    return argument


class Client:
    """A connection with calls in progress. `beside` are other connections to serve while this one waits."""

    def __init__(self, place, random, beside=()):
        self.connection, self.random, self.beside = place.connect(), random, beside
        self.open = {}

    def begin(self, call):
        self.open[call.send(self.connection)] = call

    def sorted(self):
        """The calls that are answered by what has arrived."""
        self.connection.sort()
        ended = []
        for serial in [serial for serial in self.open if serial in self.connection.replies]:
            call = self.open.pop(serial)
            call.answered(self.connection.replies.pop(serial))
            ended.append(call)
        return ended

    def collect(self, seconds=30):
        """Waits for anything to arrive here or beside; returns the calls that are answered."""
        for one in self.beside:
            one.answer_all()
        found = select.select([self.connection, *self.beside], [], [], seconds)[0]
        if not found:
            raise Broken(f"no answer within {seconds} s: " + ", ".join(map(str, self.open.values())))
        for one in self.beside:
            if one in found:
                one.serve()
        if self.connection in found:
            self.connection.receive()
        return self.sorted()

    def drain(self):
        """Waits for the answers to all calls: those of the broker, or those of the bus after the broker's end."""
        ended = self.sorted()
        while self.open:
            ended += self.collect()
        return ended

    def perform(self, call, **more):
        """Carries out one call while the broker runs."""
        self.open[call.send(self.connection, **more)] = call
        self.drain()
        if call.state == "unknown" or call.error.startswith("org.freedesktop"):
            raise Broken(f"{call} got no answer while the broker ran: {call.error}")
        return call

    def ask(self, *arguments, **options):
        """The answer to a call that only reads."""
        return self.perform(Call(*arguments, **options)).reply

    def close(self):
        self.connection.close()


def path_of(pasteboard):
    return wire.BROKER_PATH + "/pasteboards/" + "".join(
        c if c.isalnum() and c.isascii() else f"_{ord(c):02x}" for c in pasteboard)


def identifier(random):
    return f"{random.getrandbits(128):032x}"
