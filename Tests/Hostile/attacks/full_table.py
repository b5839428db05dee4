"""A broker with 64 descriptors keeps 24 in memory and gets 28 more; other callers each send half a message."""

import os

import wire

NOFILE = 64
REFUSED = "org.swiftipc.Error.LimitExceeded"


def files(count, size=100_000):
    """Memory files without seals, which the broker must copy."""
    made = [os.memfd_create("value") for _ in range(count)]
    for file in made:
        os.truncate(file, size)
    return made


def write(connection, board, count, size=100_000):
    """Sends a version whose values are descriptors; returns the serial number."""
    made = files(count, size)
    items = [[("a/b", ("h", number))] for number in range(count)]
    serial = connection.pasteboard(board, "SetItems", "aa(sv)a{sv}", items, {}, descriptors=made)
    for file in made:
        os.close(file)
    return serial


def half_a_message(direct, count):
    start = wire.header(
        wire.CALL, 1, 1 << 20, signature="aa(sv)a{sv}", destination=wire.BROKER, path=wire.BROKER_PATH,
        interface="org.swiftipc.Broker1", member="Describe", unix_fds=count)
    made = files(count)
    direct.send(start[:20], made)
    for file in made:
        os.close(file)


def expect_refusals(answers):
    for answer in answers:
        if answer.kind == wire.ERROR and answer.error != REFUSED:
            raise AssertionError(answer.text)
    return sum(answer.kind == wire.ERROR for answer in answers)


def attack(scene):
    keeper, honest = scene.connect(), scene.connect()
    for number in range(3):
        keeper.ask("Pasteboards1", "GetPasteboard", "sa{sv}", f"kept{number}", {
            "create": ("b", True), "persistent": ("b", False)})
    honest.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "honest", {"create": ("b", True)})
    kept = [keeper.wait(write(keeper, f"kept{number}", 8)) for number in range(3)]
    refused = expect_refusals(kept)
    callers = [scene.connect() for _ in range(4)]
    for round in range(scene.full(50, 10)):
        serials = [(caller, write(caller, "honest", 14, 1_000_000)) for caller in callers]
        own = write(honest, "honest", 1)
        answers = [caller.wait(serial) for caller, serial in serials] + [honest.wait(own)]
        refused += expect_refusals(answers)
    owners = [scene.connect() for _ in range(4)]
    halves = [half_a_message(owner.direct(), 12) for owner in owners]
    answers = [honest.wait(write(honest, "honest", 1)) for _ in range(20)]
    refused += expect_refusals(answers)
    scene.note(refused=refused, kept=3 - expect_refusals(kept))
    for owner in owners:
        owner.close()
    keeper.wait(keeper.pasteboard("kept0", "Clear", "a{sv}", {}))
    deadline = 50
    while (answer := honest.wait(write(honest, "honest", 1))).kind == wire.ERROR:
        expect_refusals([answer])
        deadline -= 1
        if not deadline:
            raise AssertionError(f"there is room, and still: {answer.text}")
    for name in ("kept0", "kept1", "kept2", "honest"):
        keeper.ask("Pasteboards1", "RemovePasteboard", "sa{sv}", name, {})
