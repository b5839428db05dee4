"""A stranger claims to be another application, so that the broker forgets the records of that application's requests."""

import uuid

import wire

LIMITS = {"ended-requests-kept": 20}


def attack(scene):
    owner = scene.connect()
    owner.request(*wire.BUS, "RequestName", "su", "com.example.Owner", 4)
    source = {"source-application": ("s", "com.example.Owner"), "timeout": ("u", 1)}
    scene.witness.request(*wire.BUS, "RequestName", "su", "com.example.Slow", 4)
    scene.witness.ask("Schemes1", "Register", "sasa{sv}", "com.example.Slow", ["slow"], {})

    def open_url(caller, id):
        return caller.ask("URLs1", "OpenURL", "sa{sv}", "slow:x", source | {"id": ("s", id)})

    own = uuid.uuid4().hex
    first = open_url(owner, own)
    for _ in range(scene.full(10, 3)):
        stranger = scene.connect()
        for _ in range(40):
            open_url(stranger, uuid.uuid4().hex)
    known = owner.ask("URLs1", "GetRequest", "sa{sv}", own, {})
    scene.note(first=first.text or "ended", record=known.text or "kept")
    scene.expect(known.kind == wire.RETURN, "a stranger had the record of another application forgotten")
