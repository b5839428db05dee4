"""A control: connections to the bus stay open after the attack."""

EXPECTED = "connections are left"


def attack(scene):
    scene.kept = [scene.connect() for _ in range(3)]
