"""Four callers pipeline reads of a value of 1 MiB on disk, and read the answers meanwhile."""

import children
import wire
from attacks import pipelined_writes


def read(path, number, count):
    def work(tell):
        caller, board = wire.Connection(path), f"large{number}"
        caller.pasteboard(board, "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", pipelined_writes.VALUE))]], {
            "create": ("b", True)})
        serials = [caller.pasteboard(board, "GetItems", "a{sv}", {}) for _ in range(count)]
        done = sum(caller.wait(serial, 120).kind == wire.RETURN for serial in serials)
        tell(str(done))
    return work


def attack(scene):
    count = scene.full(128, 16)
    done = children.together(*(read(scene.path, number, count) for number in range(4)))
    scene.note(read=sum(map(int, done)))
    scene.expect(sum(map(int, done)) == 4 * count, f"not all reads succeeded: {done}")
