"""Four callers pipeline 512 MiB of values in their messages and read no answer before the last is sent."""

import os
import signal

import wire

SIZE = 1 << 20


def flood(scene, number, count, is_direct):
    """Returns how many writes of one caller were done, and how many were rejected."""
    caller = scene.connect()
    board = f"flood{number}"
    caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", board, {"create": ("b", True)})
    if is_direct:
        caller = caller.direct()
    value = bytes(SIZE)
    serials = [
        caller.pasteboard(board, "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", value))]], {}) for _ in range(count)]
    done = refused = 0
    for serial in serials:
        answer = caller.wait(serial, 120)
        done += answer.kind == wire.RETURN
        refused += answer.error == "org.swiftipc.Error.LimitExceeded"
    if done + refused != count or not done:
        raise AssertionError(f"{done} of {count} done, {refused} refused, the others are neither: {answer.text}")
    return f"{done} {refused}\n"


def attack(scene, is_direct=False):
    children, results = [], []
    for number in range(4):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(180)
            try:
                os.write(writer, flood(scene, number, scene.full(128, 32), is_direct).encode())
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
