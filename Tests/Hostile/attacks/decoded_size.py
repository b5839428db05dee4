"""Values that take many times more memory than bytes on the wire, although the broker knows their maximum length."""

import wire

# The bus checks each number of these messages, and calls wait behind them.
P99_LIMIT = "the bus puts the calls of others behind messages of 31 MiB"


def attack(scene):
    size = scene.full(31, 7) << 20
    caller = scene.connect()
    direct = caller.direct()
    answers = []

    def send(connection, interface, member, signature, data, path=wire.BROKER_PATH):
        serial = connection.message(
            wire.CALL, signature, data, destination=wire.BROKER, path=path, interface=interface, member=member)
        answers.append(connection.wait(serial).error)

    for connection in (caller, direct):
        numbers, small = wire.Raw(bytes(size)), wire.Raw(b"\1y\0\0" * (size // 4))
        # The bus itself takes seconds to check millions of variants, so these are sent only over the direct connection.
        for option in [("an", numbers)] + [("av", small)] * (connection is direct):
            annotation = wire.body("sa{sv}", "demo.ipcserver:x", {"annotation": option})
            send(connection, "org.swiftipc.URLs1", "OpenURL", "sa{sv}", annotation)
            change = wire.body("ssv", "org.swiftipc.Pasteboard1", "HistoryLimit", option)
            send(
                connection, "org.freedesktop.DBus.Properties", "Set", "ssv", change,
                wire.BROKER_PATH + "/pasteboards/general")
        # Each empty string is a length of 0 and a NUL, with padding up to the next string.
        empty = wire.Raw(bytes(8 * (size // 8 - 1) + 5))
        names = wire.body("asta{sv}", empty, 0, {})
        send(connection, "org.swiftipc.Pasteboards1", "WaitForChange", "asta{sv}", names)
        schemes = wire.body("sasa{sv}", "demo.x", empty, {})
        send(connection, "org.swiftipc.Schemes1", "Register", "sasa{sv}", schemes)
    refused = [answer for answer in answers if answer]
    scene.note(calls=len(answers), refused=len(refused), names=sorted(set(refused)))
    scene.expect(len(refused) == len(answers), "a value beyond its limit was accepted")
