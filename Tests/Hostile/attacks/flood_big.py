"""Callers send messages of 15 MiB over and over: URLs whose payload `ipc-server` gets, and calls of an unknown method.
They read no answers."""

import children
import wire

# A call waits behind the messages that the bus is passing on. Callers of a service that does nothing, on two cores, have a
# p99 of 110 ms beside four such floods (`bus_floor.py`).
P99_LIMIT = "the bus puts the calls of others behind messages of 15 MiB"
# The bus keeps some of the messages until the broker has read them.
BOUNDS = dict(bus=128)
SIZE = 15 << 20


def attack(scene):
    items = [[("a/b", ("ay", wire.Raw(bytes(SIZE))))]]
    opened = wire.call(wire.BROKER_PATH, "org.swiftipc.URLs1", "OpenURL", "sa{sv}", "ipcserver.demo:x", {
        "items": ("aa(sv)", items)})
    unknown = wire.call(wire.BROKER_PATH, "org.swiftipc.URLs1", "NoSuchMethod", "ay", bytes(SIZE))

    def flood(message, is_direct):
        def work(tell):
            caller = wire.Connection(scene.path)
            tell(children.pour(
                caller.direct() if is_direct else caller, message, scene.full(10, 0.7),
                None if is_direct else scene.path))
        return work

    sent = children.together(*(flood(message, direct) for message in (opened, unknown) for direct in (False, True)))
    scene.note(sent=[int(count) for count in sent])
