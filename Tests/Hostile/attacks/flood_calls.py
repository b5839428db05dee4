"""Two callers, one on the bus and one on a direct connection, call without reading any answer: methods with short and
with long answers, one method after the other."""

import children
import wire

NAMES = 300
# The bus keeps the short answers that a flood does not read, as it does for any service.
BOUNDS = dict(bus=float("inf"))
PEER, PROPERTIES = "org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Properties"


def calls():
    board = wire.pasteboard_path("flooded")
    boards = wire.BROKER_PATH + "/pasteboards"
    return [
        wire.call(wire.BROKER_PATH, PEER, "Ping"),
        wire.call(wire.BROKER_PATH, "org.swiftipc.Broker1", "Describe", "a{sv}", {}),
        wire.call(wire.BROKER_PATH, "org.swiftipc.Pasteboards1", "ListPasteboards", "a{sv}", {}),
        wire.call(boards, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"),
        wire.call(boards, "org.freedesktop.DBus.Introspectable", "Introspect"),
        wire.call(board, PROPERTIES, "GetAll", "s", "org.swiftipc.Pasteboard1"),
        wire.call(board, "org.swiftipc.Pasteboard1", "GetItems", "a{sv}", {}),
        wire.call(board, "org.swiftipc.Pasteboard1", "NoSuchMethod"),
        wire.call(wire.BROKER_PATH, "org.swiftipc.Schemes1", "CanOpenURL", "sa{sv}", "ipcserver.demo:x", {}),
    ]


def flood(scene, message, seconds, is_direct):
    def work(tell):
        caller = wire.Connection(scene.path)
        if is_direct:
            tell(children.pour(caller.direct(), message, seconds))
        else:
            tell(children.pour(caller, message, seconds, scene.path, scene.most_unread))
    return work


def attack(scene):
    for number in range(NAMES):
        scene.witness.broker("Pasteboards1", "GetPasteboard", "sa{sv}", f"board{number}", {
            "create": ("b", True), "persistent": ("b", False)})
    scene.witness.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "flooded", {
        "create": ("b", True), "persistent": ("b", False)})
    scene.witness.wait(scene.witness.pasteboard(
        "flooded", "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", bytes(50_000)))]], {}))
    sent = []
    for message in calls():
        seconds = scene.full(2, 0.15)
        sent += children.together(*(flood(scene, message, seconds, direct) for direct in (False, True)))
    scene.note(sent=[int(count) for count in sent])
    scene.witness.replies.clear()
