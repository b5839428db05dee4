"""Message headers on direct connections announce 15 MiB that never arrive; the connections are then closed."""

import wire


def attack(scene):
    halves = []
    for _ in range(16):
        owner = scene.connect()
        for _ in range(4):
            direct = owner.direct()
            start = wire.header(
                wire.CALL, 1, 15 << 20, signature="aa(sv)a{sv}", destination=wire.BROKER, path=wire.BROKER_PATH,
                interface="org.swiftipc.Broker1", member="Describe")
            direct.send(start + bytes(8))
            halves.append((owner, direct))
    scene.witness.ask("Broker1", "Describe", "a{sv}", {})
    for _, direct in halves:
        direct.close()
    scene.witness.ask("Broker1", "Describe", "a{sv}", {})
