"""Very many calls wait with equal time-outs, and then their connection is closed."""

import wire


def attack(scene):
    count = scene.full(20_000, 4_000)
    caller = scene.connect()
    scene.witness.request(*wire.BUS, "RequestName", "su", "com.example.slow", 4)
    scene.witness.ask("Schemes1", "Register", "sasa{sv}", "com.example.slow", ["slow"], {})
    made = caller.ask("URLs1", "OpenURL", "sa{sv}", "slow:x", {"queue": ("b", True), "id": ("s", "a" * 32)})
    for _ in range(count):
        caller.broker("URLs1", "WaitRequest", "sa{sv}", "a" * 32, {"timeout": ("u", 60_000)})
    last = caller.ask("Broker1", "Describe", "a{sv}", {})
    scene.note(waiters=count, refused=sum(reply.kind == wire.ERROR for reply in caller.replies.values()))
    caller.close()
    scene.witness.ask("Broker1", "Describe", "a{sv}", {})
