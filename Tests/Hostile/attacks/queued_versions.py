"""Four callers queue requests for a version of a pasteboard in memory, of 1 MiB, which the broker copies to disk for each
request. They read no answer before the last is sent, and drop the requests then."""

import children
import wire
from attacks import pipelined_requests, pipelined_writes


def queue(path, number, count):
    def work(tell):
        caller, board = wire.Connection(path), f"volatile{number}"
        caller.pasteboard(board, "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", pipelined_writes.VALUE))]], {
            "create": ("b", True), "persistent": ("b", False)})
        serials = [caller.broker("URLs1", "OpenURL", "sa{sv}", "campaign-absent:x", {
            "application": ("s", pipelined_requests.APPLICATION), "queue": ("b", True), "pasteboard": ("s", board)})
            for _ in range(count)]
        answers = [caller.wait(serial, 120) for serial in serials]
        done = [answer for answer in answers if answer.kind == wire.RETURN]
        pipelined_requests.drop(caller, done)
        tell(f"{len(done)} {[answer.text for answer in answers if answer not in done][:1]}")
    return work


def attack(scene):
    count = scene.full(64, 16)
    texts = children.together(*(queue(scene.path, number, count) for number in range(4)))
    scene.note(queued=sum(int(text.split()[0]) for text in texts))
    scene.expect(all(text.startswith(f"{count} ") for text in texts), f"not all requests were queued: {texts}")
