"""A sender is stopped (SIGSTOP) with calls in flight whose answers come later: opened URLs with replies, waits for
requests and for changes, and reads."""

import children
import wire

APPLICATION = "com.example.Answering"
# Answers to calls that wait already, here 400 with 50 KB, are sent even if their caller has stopped reading.
BOUNDS = dict(bus=32)


def send(path, count):
    def work(tell):
        sender = wire.Connection(path)
        for number in range(count):
            sender.broker("URLs1", "OpenURL", "sa{sv}", "answering:x", {"timeout": ("u", 60_000)})
            sender.broker("Pasteboards1", "WaitForChange", "asta{sv}", ["watched"], (1 << 42) - 1, {})
            sender.pasteboard("read", "GetItems", "a{sv}", {})
        tell("sent")
        sender.wait_call("Nothing", 600)
    return work


def attack(scene):
    # With small limits, the bus allows 128 calls of a connection that are not answered.
    count = 40 if scene.limits == "small" else scene.full(400, 60)
    handler, other = scene.connect(), scene.connect()
    handler.request(*wire.BUS, "RequestName", "su", APPLICATION, 4)
    handler.ask("Schemes1", "Register", "sasa{sv}", APPLICATION, ["answering"], {"window": ("u", 1_024)})
    for name, size in (("read", 50_000), ("watched", 1)):
        other.ask("Pasteboards1", "GetPasteboard", "sa{sv}", name, {"create": ("b", True), "persistent": ("b", False)})
        other.wait(other.pasteboard(name, "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", bytes(size)))]], {}))
    for _ in range(scene.full(4, 1)):
        sender = children.Child(send(scene.path, count))
        calls = [handler.wait_call("OpenURL") for _ in range(count)]
        sender.line()
        sender.stop()
        for call in calls:
            handler.reply(call, "sa{sv}", "handled", {"items": ("aa(sv)", [[("a/b", ("ay", bytes(50_000)))]])})
        other.wait(other.pasteboard("watched", "SetItems", "aa(sv)a{sv}", [[("a/b", ("ay", b"x"))]], {}))
        other.ask("Broker1", "Describe", "a{sv}", {})
        sender.resume()
        sender.end()
