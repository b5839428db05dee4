"""Pasteboards with long histories move between memory and disk, get a lower history limit, and are removed."""

import children
import wire

CALLERS, LENGTH = 2, 1 << 20
# The content of pasteboards in memory comes on top of the broker's bound (I16): 24 MiB for each caller.
BOUNDS = dict(broker=64 + CALLERS * 24)


def move(scene, number):
    def work(tell):
        caller, name = wire.Connection(scene.path), f"moved{number}"
        versions, done = scene.full(24, 8), 0

        def ask(*arguments):
            answer = caller.wait(caller.call(wire.BROKER, wire.pasteboard_path(name), *arguments))
            return answer.kind == wire.RETURN

        for _ in range(scene.full(4, 1)):
            caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", name, {
                "create": ("b", True), "persistent": ("b", True)})
            done += ask("org.freedesktop.DBus.Properties", "Set", "ssv", "org.swiftipc.Pasteboard1", "HistoryLimit",
                        ("u", 100))
            for _ in range(versions):
                caller.wait(caller.pasteboard(name, "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", bytes(LENGTH)))]], {}))
            for persistent in (False, True, False, True):
                done += ask("org.freedesktop.DBus.Properties", "Set", "ssv", "org.swiftipc.Pasteboard1", "Persistent",
                            ("b", persistent))
            done += ask("org.freedesktop.DBus.Properties", "Set", "ssv", "org.swiftipc.Pasteboard1", "HistoryLimit",
                        ("u", versions // 2))
            done += caller.ask("Pasteboards1", "RemovePasteboard", "sa{sv}", name, {}).kind == wire.RETURN
        tell(str(done))
    return work


def attack(scene):
    done = sum(map(int, children.together(*(move(scene, number) for number in range(CALLERS)))))
    scene.note(done=done)
    scene.expect(done == CALLERS * scene.full(4, 1) * 7, "a call failed")
