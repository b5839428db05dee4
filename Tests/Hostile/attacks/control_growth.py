"""A control: pasteboards in memory take 96 MiB, which the limits allow, and the broker grows by as much."""

EXPECTED = "the broker grew"


def attack(scene):
    caller = scene.connect()
    for number in range(8):
        caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", f"large{number}", {
            "create": ("b", True), "persistent": ("b", False)})
        caller.wait(caller.pasteboard(
            f"large{number}", "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", bytes(12 << 20)))]], {}))
