"""Connections of one process state many different source applications, and together try to queue more requests than the
limit for all programs."""

import wire

LIMITS = {"pending-requests": 4_000, "pending-requests-per-source": 1_000}


def attack(scene):
    scene.witness.request(*wire.BUS, "RequestName", "su", "com.example.Slow", 4)
    scene.witness.ask("Schemes1", "Register", "sasa{sv}", "com.example.Slow", ["slow"], {})
    accepted = []
    for number in range(6):
        caller = scene.connect()
        options = {"queue": ("b", True), "source-application": ("s", f"com.example.Source{number}")}
        serials = [caller.broker("URLs1", "OpenURL", "sa{sv}", "slow:x", options) for _ in range(1_000)]
        answers = [caller.wait(serial) for serial in serials]
        accepted += [answer.values[0]["id"] for answer in answers if answer.kind == wire.RETURN]
    honest = scene.start(
        str(scene.programs / "ipc-client"), "send", "--queue", "after the flood")
    code = honest.wait(30)
    scene.note(accepted=len(accepted), of=LIMITS["pending-requests"], honest=code)
    scene.expect(code == 0, "another process could queue nothing")
    scene.expect(len(accepted) <= LIMITS["pending-requests"] // 4, "one process has more than its share")
    for id in accepted:
        scene.witness.ask("URLs1", "CancelRequest", "sa{sv}", id, {})
