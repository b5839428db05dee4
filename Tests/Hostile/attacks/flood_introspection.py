"""Two callers introspect a broker with 1,000 pasteboards and list them, and read all answers."""

import time

import children
import wire

COUNT = 990
BOARDS = wire.BROKER_PATH + "/pasteboards"


def introspect(scene, is_direct):
    def work(tell):
        caller = wire.Connection(scene.path)
        caller = caller.direct() if is_direct else caller
        end, count = time.monotonic() + scene.full(10, 0.8), 0
        while time.monotonic() < end:
            serials = [
                caller.call(wire.BROKER, path, "org.freedesktop.DBus.Introspectable", "Introspect")
                for path in ("/", wire.BROKER_PATH, BOARDS, BOARDS + "/board1")]
            serials += [
                caller.call(wire.BROKER, BOARDS, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"),
                caller.broker("Pasteboards1", "ListPasteboards", "a{sv}", {})]
            answers = [caller.wait(serial) for serial in serials]
            if errors := [answer.text for answer in answers if answer.kind == wire.ERROR]:
                raise AssertionError(errors)
            count += len(answers)
        tell(count)
    return work


def create(scene):
    serials = [scene.witness.broker("Pasteboards1", "GetPasteboard", "sa{sv}", f"board{number}", {
        "create": ("b", True), "persistent": ("b", False)}) for number in range(COUNT)]
    for serial in serials:
        scene.witness.wait(serial)


def attack(scene):
    create(scene)
    scene.note(answers=sum(map(int, children.together(introspect(scene, False), introspect(scene, True)))))
