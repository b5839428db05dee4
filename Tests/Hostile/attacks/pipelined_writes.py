"""Four callers pipeline 512 MiB of values in their messages and read no answer before the last is sent.

dbus-broker disconnects a program whose messages wait in its queue. There, another connection of each caller waits after
each message until the broker has read it.
"""

import os
import signal

import wire

VALUE = bytes(1 << 20)


def write(caller, number):
    return caller.pasteboard(f"flood{number}", "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", VALUE))]], {
        "create": ("b", True)})


def keep(caller, answers):
    """A pasteboard keeps only its last value."""


def flood(scene, number, count, is_direct, write, undo):
    """Returns how many writes of one caller were done, and how many were rejected."""
    caller = scene.connect()
    if is_direct:
        caller = caller.direct()
    meter = None if is_direct or scene.bus.kind == "daemon" else scene.connect()
    serials = []
    for _ in range(count):
        serials.append(write(caller, number))
        if meter:
            meter.request(wire.BROKER, wire.BROKER_PATH, "org.freedesktop.DBus.Peer", "Ping")
    answers = [caller.wait(serial, 120) for serial in serials]
    done = [answer for answer in answers if answer.kind == wire.RETURN]
    refused = [answer for answer in answers if answer.error == "org.swiftipc.Error.LimitExceeded"]
    if len(done) + len(refused) != count or not done:
        raise AssertionError(f"{len(done)} of {count} done, {len(refused)} refused, the others are neither: "
                             f"{[answer.text for answer in answers if answer not in done + refused][:1]}")
    undo(caller, done)
    return f"{len(done)} {len(refused)}\n"


def attack(scene, is_direct=False, write=write, undo=keep):
    children, results = [], []
    for number in range(4):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(180)
            try:
                os.write(writer, flood(scene, number, scene.full(128, 32), is_direct, write, undo).encode())
                os._exit(0)
            except BaseException as error:
                os.write(writer, repr(error).encode())
                os._exit(1)
        os.close(writer)
        children.append(child)
        results.append(os.fdopen(reader))
    texts = [result.read() for result in results]
    for child, text in zip(children, texts):
        if os.waitpid(child, 0)[1]:
            raise AssertionError(text)
    counts = [[int(word) for word in text.split()] for text in texts]
    scene.note(done=sum(done for done, _ in counts), refused=sum(refused for _, refused in counts))
