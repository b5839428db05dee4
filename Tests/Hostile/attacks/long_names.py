"""Rejected calls with names of 4 MiB: the answer must not repeat them."""

LONG = "a" * (4 << 20)


def attack(scene):
    caller = scene.connect()
    longest = 0
    for number in range(scene.full(40, 10)):
        answers = [
            caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", LONG, {}),
            caller.ask("URLs1", "OpenURL", "sa{sv}", "notes:x", {LONG: ("b", True)}),
            caller.ask("Schemes1", "CanOpenURL", "sa{sv}", LONG, {}),
        ]
        longest = max([longest] + [len(answer.data) for answer in answers])
    scene.note(longest_answer=longest)
    scene.expect(longest <= 2_048, f"an answer has {longest} bytes")
