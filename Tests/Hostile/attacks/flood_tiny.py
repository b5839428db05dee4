"""Four callers send the shortest messages, which nobody answers: pings without a reply, unknown signals and stray
answers. Two of them use the bus, and two direct connections."""

import children
import wire


def messages(connection):
    ping = wire.message(
        1, wire.CALL, "", b"", wire.NO_REPLY, destination=wire.BROKER, path="/", interface="org.freedesktop.DBus.Peer",
        member="Ping")
    signal = wire.message(
        1, wire.SIGNAL, "", b"", wire.NO_REPLY, destination=wire.BROKER, path="/", interface="a.b", member="C")
    answer = wire.message(1, wire.RETURN, "", b"", wire.NO_REPLY, destination=wire.BROKER, reply_serial=1)
    # The bus rejects answers to calls that it has not seen, and answers each of them with an error.
    return [ping, signal] if connection.name else [ping, signal, answer]


def flood(path, seconds, is_direct):
    def work(tell):
        sent = 0
        for number in range(3):
            caller = wire.Connection(path)
            caller = caller.direct() if is_direct else caller
            kinds = messages(caller)
            sent += children.pour(caller, kinds[number % len(kinds)], seconds / 3, None if is_direct else path)
        tell(sent)
    return work


def attack(scene):
    seconds = scene.full(10, 1)
    sent = children.together(*(flood(scene.path, seconds, direct) for direct in (False, True) * 2))
    scene.note(sent=sum(int(count) for count in sent))
