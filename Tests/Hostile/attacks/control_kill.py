"""A control: the broker is killed."""

EXPECTED = "the broker ended"


def attack(scene):
    scene.broker.kill()
    scene.broker.wait()
