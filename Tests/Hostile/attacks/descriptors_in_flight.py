"""600 descriptors of the same user are in flight between two other sockets when a value must be sent as a descriptor.

Linux counts descriptors in flight for each user and refuses more than RLIMIT_NOFILE of the sender, unless it is root.
"""

import array
import os
import socket
import time

import wire

UNPRIVILEGED = True
NOFILE = 256


def fill(count):
    """Sends descriptors to sockets that are never read; they are in flight until the sockets close."""
    ends, null = [], os.open("/dev/null", os.O_RDONLY)
    while count > 0:
        some = min(count, 200)
        pair = socket.socketpair()
        pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * some))])
        ends.append(pair)
        count -= some
    os.close(null)
    return ends


def read(connection):
    """Reads the value as a descriptor, and closes the descriptor: an attack is repeated many times."""
    answer = connection.wait(connection.pasteboard("large", "GetItems", "a{sv}", {"fd": ("b", True)}))
    for descriptor in answer.descriptors:
        os.close(descriptor)
    return answer


def attack(scene):
    if os.geteuid() == 0:
        raise AssertionError("the limit does not hold for root")
    reader = scene.connect()
    direct = reader.direct()
    reader.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "large", {"create": ("b", True)})
    reader.wait(reader.pasteboard("large", "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", bytes(200_000)))]], {}))
    assert read(reader).descriptors and read(direct).descriptors
    ends = fill(600)
    began = time.monotonic()
    refused = [read(connection).text for connection in (reader, direct) for _ in range(scene.full(20, 5))]
    scene.note(slowest_ms=round((time.monotonic() - began) * 1_000 / len(refused)))
    for text in refused:
        if "LimitExceeded" not in text:
            raise AssertionError(f"a value was sent although the limit on descriptors in flight was reached: {text!r}")
    for pair in ends:
        for end in pair:
            end.close()
    for connection in (reader, direct):
        answer = read(connection)
        if answer.kind != wire.RETURN or len(answer.descriptors) != 1:
            raise AssertionError(f"no descriptor came afterwards: {answer.text}")
