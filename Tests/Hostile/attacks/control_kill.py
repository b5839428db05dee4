"""A control: the broker ends."""

EXPECTED = "the broker ended"


def attack(scene):
    scene.broker.kill()
    scene.broker.wait()
