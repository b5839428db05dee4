"""A handler is stopped (SIGSTOP) with requests in flight, while callers open URLs and queue requests for it. When it
runs again, it gets all that were accepted."""

import children
import wire

APPLICATION = "com.example.Stopped"
BOUNDS = dict(bus=16)


def handle(path):
    """A handler that answers every request at once."""
    def work(tell):
        handler = wire.Connection(path)
        handler.request(*wire.BUS, "RequestName", "su", APPLICATION, 4)
        handler.ask("Schemes1", "Register", "sasa{sv}", APPLICATION, ["stopped"], {"window": ("u", 64)})
        tell("ready")
        while True:
            handler.reply(handler.wait_call("OpenURL", 600), "sa{sv}", "handled", {})
    return work


def attack(scene):
    handler = children.Child(handle(scene.path))
    handler.line()
    handler.stop()
    callers = [scene.connect() for _ in range(8)]
    items = ("aa(sv)", [[("a/b", ("ay", bytes(2_000)))]])
    ids = []
    for _ in range(scene.full(25, 1)):
        calls = [(caller, caller.broker("URLs1", "OpenURL", "sa{sv}", "stopped:x", {
            "items": items, "queue": ("b", True), "source-application": ("s", f"com.example.Source{number}")}))
            for number, caller in enumerate(callers) for _ in range(50)]
        waiting = [(caller, caller.broker("URLs1", "OpenURL", "sa{sv}", "stopped:y", {
            "items": items, "timeout": ("u", 100)})) for caller in callers for _ in range(10)]
        answers = [caller.wait(serial) for caller, serial in calls]
        ids += [answer.values[0]["id"] for answer in answers if answer.kind == wire.RETURN]
        for caller, serial in waiting:
            caller.wait(serial)
    scene.note(queued=len(ids))
    handler.resume()
    outcomes = [scene.witness.ask("URLs1", "WaitRequest", "sa{sv}", id, {"timeout": ("u", 50_000)}) for id in ids]
    handled = sum(outcome.kind == wire.RETURN and outcome.values[0]["outcome"] == "handled" for outcome in outcomes)
    scene.expect(handled == len(ids), f"only {handled} of {len(ids)} requests were handled")
    handler.end()
