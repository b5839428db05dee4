"""A control: a client that uses the library exits, and its connection is closed."""

EXPECTED = "ipc-server lost its connection"


def attack(scene):
    scene.server.kill()
    scene.server.wait()
