"""A control: after the attack the broker still holds descriptors, one for each large value of a pasteboard in memory."""

from attacks import full_table

EXPECTED = "descriptors are left"


def attack(scene):
    caller = scene.connect()
    caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "kept", {"create": ("b", True), "persistent": ("b", False)})
    caller.wait(full_table.write(caller, "kept", 8))
