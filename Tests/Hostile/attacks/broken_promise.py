"""Callers read a promised value, each three times at once, and its writer never gives the value: no other reader may wait."""

import wire

SIZE = 5 << 20
LIMITS = {"promise-milliseconds": 2_000}


def attack(scene):
    writer, readers = scene.connect(), [scene.connect() for _ in range(5)]
    writer.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "promised", {"create": ("b", True)})
    for _ in range(scene.full(3, 1)):
        writer.wait(writer.pasteboard(
            "promised", "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", bytes(SIZE)))]], {"promises": ("aas", [["a/c"]])}))
        # Two answers of this size are more than one caller may have under way, and seven more than all callers together.
        serials = [(reader, reader.pasteboard("promised", "GetItems", "a{sv}", {})) for reader in readers * 3]
        answers = [reader.wait(serial, 60) for reader, serial in serials]
        broken = sum(answer.error == "org.swiftipc.Error.NoSuchItem" for answer in answers)
        scene.expect(broken > 0, f"no promise was broken: {answers[0].text}")
