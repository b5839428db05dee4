"""A broker with 64 descriptors gets as many of them as it takes: in calls of every kind, in halves of messages, as
values, as direct connections and as answers that are not read."""

import os

import wire

UNPRIVILEGED = True
NOFILE = 64
LIMIT = "org.swiftipc.Error.LimitExceeded"
# Without a free descriptor, the broker cannot open a socket.
REFUSALS = (LIMIT, "org.swiftipc.Error.StoreUnavailable")


def files(count):
    made = [os.memfd_create("value") for _ in range(count)]
    for file in made:
        os.truncate(file, 100_000)
    return made


def send(connection, member, count, kind=wire.CALL):
    """A message with descriptors that its method does not want."""
    made = files(count)
    connection.message(
        kind, "ah", wire.body("ah", range(count)), wire.NO_REPLY, made, destination=wire.BROKER, path=wire.BROKER_PATH,
        interface="org.swiftipc.Broker1", member=member)
    for file in made:
        os.close(file)


def take_connections(scene):
    """Opens direct connections until the broker opens no more. Returns those that hold them."""
    taken = []
    while len(taken) < 100:
        owner = scene.connect()
        answer = owner.ask("Broker1", "Connect", "a{sv}", {})
        taken.append((owner, answer.descriptors))
        if answer.kind == wire.ERROR:
            scene.expect(answer.error in REFUSALS, f"a direct connection was refused with {answer.text}")
            return taken
    raise AssertionError("the broker opens direct connections without end")


def attack(scene):
    strangers = [scene.connect() for _ in range(4)]
    for _ in range(scene.full(100, 10)):
        for stranger in strangers:
            for member in ("Describe", "NoSuchMethod", "Connect"):
                send(stranger, member, 16)
            send(stranger, "Nothing", 16, wire.SIGNAL)
        strangers[0].ask("Broker1", "Describe", "a{sv}", {})
    for _ in range(scene.full(10, 2)):
        taken = take_connections(scene)
        scene.note(direct=len(taken))
        answer = strangers[0].ask("Broker1", "Describe", "a{sv}", {})
        scene.expect(answer.kind == wire.RETURN, f"a call without descriptors failed: {answer.text}")
        for _, descriptors in taken:
            for descriptor in descriptors:
                os.close(descriptor)
        for owner, _ in taken:
            owner.close()
        scene.witness.ask("Broker1", "Describe", "a{sv}", {})
