"""Five callers each read a promised value three times at once, but its writer never delivers it: other readers must not
wait. Then one caller reads it 2,000 times at once."""

import wire

SIZE = 5 << 20
# The second is the bus's own, whose small limits allow 128 unanswered calls.
REFUSALS = ("org.swiftipc.Error.LimitExceeded", "org.freedesktop.DBus.Error.LimitsExceeded")
LIMITS = {"promise-milliseconds": 2_000}


def attack(scene):
    writer, readers = scene.connect(), [scene.connect() for _ in range(5)]
    writer.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "promised", {"create": ("b", True)})
    for _ in range(scene.full(3, 1)):
        writer.wait(writer.pasteboard(
            "promised", "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", bytes(SIZE)))]], {"promises": ("aas", [["a/c"]])}))
        # Two answers of this size exceed what may be in flight to one caller; seven exceed the limit for all callers.
        serials = [(reader, reader.pasteboard("promised", "GetItems", "a{sv}", {})) for reader in readers * 3]
        answers = [reader.wait(serial, 60) for reader, serial in serials]
        scene.expect(all(map(is_broken, answers)), f"a promise was not broken: {answers[0].text}")
    flood = scene.connect()
    count = 2_000
    serials = [flood.pasteboard("promised", "GetData", "usa{sv}", 0, "a/c", {}) for _ in range(count)]
    answers = [flood.wait(serial, 60) for serial in serials]
    refused = sum(answer.error in REFUSALS for answer in answers)
    scene.note(refused=refused)
    # One caller may use a quarter of the limit promised-reads, and another quarter if the promise breaks in the meantime.
    scene.expect(refused >= count - 512, "too many reads waited for the promise")
    scene.expect(
        refused + sum(map(is_broken, answers)) == count, "an answer reports neither a reached limit nor a broken promise")


def is_broken(answer):
    return answer.error == "org.swiftipc.Error.NoSuchItem"
