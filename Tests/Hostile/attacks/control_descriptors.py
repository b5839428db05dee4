"""A control: the broker still holds descriptors after the attack, those of values in memory."""

from attacks import full_table

EXPECTED = "descriptors are left"


def attack(scene):
    caller = scene.connect()
    caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "kept", {"create": ("b", True), "persistent": ("b", False)})
    caller.wait(full_table.write(caller, "kept", 8))
