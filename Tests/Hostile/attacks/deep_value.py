"""One call of an unknown method over a direct connection, whose argument is nested 31 deep."""

import wire

DEPTH = 31


def attack(scene):
    direct = scene.connect().direct()
    signature = "a" + "(" * DEPTH + "t" + ")" * DEPTH
    # In MiB: nearly the longest message that the broker keeps, and nearly the longest array that D-Bus allows.
    for size in scene.full([15, 63], [15]):
        data = wire.body("u", size << 20) + bytes(4) + bytes(size << 20)
        serial = direct.message(
            wire.CALL, signature, data, destination=wire.BROKER, path=wire.BROKER_PATH,
            interface="org.swiftipc.URLs1", member="NoSuchMethod")
        direct.wait(serial)
