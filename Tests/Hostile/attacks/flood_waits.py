"""Callers wait for changes of pasteboards as often as they may, and more, while another caller changes pasteboards."""

import children
import wire

# The bus keeps the refusals that a flood does not read, as it does for any service.
BOUNDS = dict(bus=float("inf"))


def wait_for(names, seen):
    """A call that waits for the next change."""
    return wire.call(wire.BROKER_PATH, "org.swiftipc.Pasteboards1", "WaitForChange", "asta{sv}", names, seen, {
        "timeout": ("u", 60_000)})


def write(scene, count):
    def work(tell):
        caller = wire.Connection(scene.path)
        for name in ("watched0", "watched1"):
            caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", name, {
                "create": ("b", True), "persistent": ("b", False)})
        serials = []
        for number in range(count):
            serials.append(caller.pasteboard(f"watched{number % 2}", "SetItems", "aa(sv)a{sv}", [[
                ("a/b", ("ay", b"x"))]], {}))
            if len(serials) == 20:
                for serial in serials:
                    caller.wait(serial)
                serials = []
        tell(count)
    return work


def attack(scene):
    latest = scene.witness.ask("Pasteboards1", "WaitForChange", "asta{sv}", [], (1 << 42) - 1, {
        "timeout": ("u", 0)}).values[0]

    def flood(names, is_direct):
        def work(tell):
            caller = wire.Connection(scene.path)
            message, seconds = wait_for(names, latest), scene.full(10, 0.7)
            if is_direct:
                tell(children.pour(caller.direct(), message, seconds))
            else:
                tell(children.pour(caller, message, seconds, scene.path, scene.most_unread))
        return work

    some = [f"watched{number}" for number in range(100)]
    waited = children.together(
        flood([], False), flood(some, True), flood(["watched0"], True), write(scene, scene.full(20_000, 1_000)))
    scene.note(waited=[int(count) for count in waited[:3]])
