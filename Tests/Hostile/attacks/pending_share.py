"""Connections of one process state many different source applications, and together try to queue more requests than the
limit for all programs."""

import wire

LIMITS = {"pending-requests": 4_000, "pending-requests-per-source": 1_000}


def attack(scene):
    scene.witness.request(*wire.BUS, "RequestName", "su", "com.example.Slow", 4)
    scene.witness.ask("Schemes1", "Register", "sasa{sv}", "com.example.Slow", ["slow"], {})
    accepted = 0
    for number in range(6):
        caller = scene.connect()
        options = {"queue": ("b", True), "source-application": ("s", f"com.example.Source{number}")}
        serials = [caller.broker("URLs1", "OpenURL", "sa{sv}", "slow:x", options) for _ in range(1_000)]
        accepted += sum(caller.wait(serial).kind == wire.RETURN for serial in serials)
    honest = scene.start(
        str(scene.programs / "ipc-client"), "send", "--queue", "after the flood")
    code = honest.wait(30)
    scene.note(accepted=accepted, of=LIMITS["pending-requests"], honest=code)
    scene.expect(code == 0, "another process could queue nothing")
    scene.expect(accepted <= LIMITS["pending-requests"] // 4, "one process has more than its share")
