"""Writes the maximum number of one-byte values in a version, and more: few bytes, but much work for the store."""

import wire


def attack(scene):
    caller = scene.connect()
    caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "tiny", {"create": ("b", True), "persistent": ("b", False)})
    # Together with `additions`, these are as many values as `representations-per-version` allows.
    values = [(f"a/b{number}", ("ay", b"x")) for number in range(16_383)]
    additions = [[("a/c", ("ay", b"x"))]]
    too_many = [(f"a/b{number}", ("ay", b"x")) for number in range(30_000)]
    rounds = scene.full(20, 4)
    done = refused = 0
    for _ in range(rounds):
        # The calls are made one at a time, so that each call finds the broker idle.
        answers = [
            caller.wait(caller.pasteboard("tiny", "SetItems", "aa(sv)a{sv}", [values], {"sensitive": ("b", True)}), 60),
            caller.wait(caller.pasteboard("tiny", "AddItems", "aa(sv)a{sv}", additions, {}), 60),
            caller.wait(caller.pasteboard("tiny", "SetItems", "aa(sv)a{sv}", [values], {}), 60),
        ]
        done += sum(answer.kind == wire.RETURN for answer in answers)
        refusal = caller.wait(caller.pasteboard("tiny", "SetItems", "aa(sv)a{sv}", [too_many], {}), 60)
        refused += refusal.error == "org.swiftipc.Error.LimitExceeded"
    scene.note(done=done)
    scene.expect(done == 3 * rounds, f"a write was refused: {answers[-1].text}")
    scene.expect(refused == rounds, "too many values were not refused")
