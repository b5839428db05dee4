"""A control: a client of the library ends, and with it its connection."""

EXPECTED = "ipc-server lost its connection"


def attack(scene):
    scene.server.kill()
    scene.server.wait()
