"""A watcher is stopped (SIGSTOP) with calls in flight, and with a match rule for the changes of pasteboards, while
others change, create and remove pasteboards and claims. When it runs again, it learns of the last change.

The broker limits how often it sends PropertiesChanged. It sends every PasteboardAdded, PasteboardRemoved and
HandlerChanged, which a bus keeps for a stopped program that has asked for them.
"""

import children
import wire

BOUNDS = dict(bus=16)
MEMORY = {"create": ("b", True), "persistent": ("b", False)}


def watch(path, count):
    """Waits for changes, with some calls at a time, and tells the change count of each answer."""
    def work(tell):
        watcher = wire.Connection(path)
        rule = f"type='signal',sender='{wire.BROKER}',member='PropertiesChanged'"
        watcher.request(*wire.BUS, "AddMatch", "s", rule)
        wait = lambda seen: watcher.broker("Pasteboards1", "WaitForChange", "asta{sv}", ["observed"], seen, {})
        seen = watcher.wait(wait(0)).values[0]
        for _ in range(count):
            waiting = wait(seen)
        tell("ready")
        while True:
            answer = watcher.wait(waiting)
            seen = answer.values[0]
            tell(seen)
            waiting = wait(seen)
    return work


def change(caller, number):
    """A change of each kind that the broker announces."""
    value = [[("a/b", ("ay", b"x"))]]
    caller.pasteboard("observed", "SetItems", "aa(sv)a{sv}", value, {})
    caller.broker("Pasteboards1", "GetPasteboard", "sa{sv}", f"passing{number % 5}", MEMORY)
    caller.pasteboard(f"passing{number % 5}", "SetItems", "aa(sv)a{sv}", value, {})
    caller.broker("Pasteboards1", "RemovePasteboard", "sa{sv}", f"passing{number % 5}", {})
    caller.broker("Schemes1", "Register", "sasa{sv}", "com.example.Passing", ["passing"], {"persistent": ("b", True)})
    return caller.broker("Schemes1", "Unregister", "sasa{sv}", "com.example.Passing", [], {})


def attack(scene):
    caller = scene.connect()
    caller.ask("Pasteboards1", "GetPasteboard", "sa{sv}", "observed", MEMORY)
    watcher = children.Child(watch(scene.path, 100 if scene.limits == "small" else 500))
    watcher.line()
    watcher.stop()
    for number in range(scene.full(10_000, 500)):
        serial = change(caller, number)
        if number % 20 == 19:
            caller.wait(serial)
    last = caller.wait(caller.pasteboard("observed", "SetItems", "aa(sv)a{sv}", [], {})).values[0]
    caller.replies.clear()
    watcher.resume()
    while int(watcher.line() or last + 1) < last:
        pass
    watcher.end()
