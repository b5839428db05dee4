"""Four callers pipeline writes and reads of versions with as many values as a version may have."""

import children
import wire

VALUES, WINDOW = 16_384, 4


def work(scene, number, seconds):
    import time

    def work(tell):
        caller = wire.Connection(scene.path)
        name = f"values{number}"
        caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", name, {"create": ("b", True)})
        items = [[("a/b", ("s", str(place)))] for place in range(VALUES)]
        write = wire.body("aa(sv)a{sv}", items, {})
        waiting, end, count = [], time.monotonic() + seconds, 0
        while time.monotonic() < end:
            while len(waiting) < WINDOW:
                count += 1
                if count % 2:
                    waiting.append(caller.message(
                        wire.CALL, "aa(sv)a{sv}", write, destination=wire.BROKER, path=wire.pasteboard_path(name),
                        interface="org.swiftipc.Pasteboard1", member="SetItems"))
                else:
                    waiting.append(caller.pasteboard(name, "GetItems", "a{sv}", {}))
            caller.wait(waiting.pop(0))
        tell(count)
    return work


def attack(scene):
    seconds = scene.full(5, 1)
    counts = children.together(*(work(scene, number, seconds) for number in range(4)))
    scene.note(counts=[int(count) for count in counts])
