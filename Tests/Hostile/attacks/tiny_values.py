"""Writes of tens of thousands of values of one byte: few bytes, and much work for the store, about 3 us for each value."""

import wire


def attack(scene):
    caller = scene.connect()
    caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "tiny", {"create": ("b", True), "persistent": ("b", False)})
    values = [(f"a/b{number}", ("ay", b"x")) for number in range(scene.full(60_000, 30_000))]
    additions = [[("a/c", ("ay", b"x"))]]
    done = 0
    for _ in range(scene.full(20, 4)):
        # One after the other, so that each finds the broker idle.
        answers = [
            caller.wait(caller.pasteboard("tiny", "SetItems", "aa(sv)a{sv}", [values], {"sensitive": ("b", True)}), 60),
            caller.wait(caller.pasteboard("tiny", "AddItems", "aa(sv)a{sv}", additions, {}), 60),
            caller.wait(caller.pasteboard("tiny", "SetItems", "aa(sv)a{sv}", [values], {}), 60),
        ]
        done += sum(answer.kind == wire.RETURN for answer in answers)
    scene.note(done=done)
    scene.expect(done == 3 * scene.full(20, 4), f"a write was refused: {answers[-1].text}")
