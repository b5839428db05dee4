"""The handlers of seven callers decline all waiting requests at the same instant: the broker then stores the payloads, of
1 MiB each, for retries. The senders drop them afterwards."""

import os

import children
import wire
from attacks import pipelined_writes

# A handler gets 4 MiB at a time (`bytes-in-flight`), and 24 MiB wait for all unproven senders together (`waiting-bytes`).
SENDERS, REQUESTS = 7, 3


def decline(path, number, rounds):
    """Sends requests to a handler of the same process, which keeps all of them until the last has arrived."""
    application, scheme = f"campaign.Decliner{number}", f"campaign-decliner{number}"

    def work(tell):
        handler, caller = wire.Connection(path), wire.Connection(path)
        handler.request(*wire.BUS, "RequestName", "su", application, 4)
        handler.ask("Schemes1", "Register", "sasa{sv}", application, [scheme], {"window": ("u", REQUESTS)})
        declined = 0
        for _ in range(rounds):
            ids = [os.urandom(16).hex() for _ in range(REQUESTS)]
            serials = []
            for id in ids:
                serials.append(caller.broker("URLs1", "OpenURL", "sa{sv}", f"{scheme}:x", {
                    "id": ("s", id), "items": ("aa(sv)", [[("a/b", ("ay", pipelined_writes.VALUE))]])}))
                caller.request(wire.BROKER, wire.BROKER_PATH, "org.freedesktop.DBus.Peer", "Ping")
            calls = [handler.wait_call("OpenURL", 120) for _ in ids]
            for call in calls:
                handler.reply(call, "sa{sv}", "declined", {})
            for serial, id in zip(serials, ids):
                answer = caller.wait(serial, 120)
                declined += answer.kind == wire.RETURN and answer.values[0]["outcome"] == "declined"
            for serial in [caller.broker("URLs1", "DropRequest", "sa{sv}", id, {}) for id in ids]:
                caller.wait(serial, 120)
        tell(str(declined))
    return work


def attack(scene):
    rounds = scene.full(10, 2)
    declined = children.together(*(decline(scene.path, number, rounds) for number in range(SENDERS)))
    scene.note(declined=sum(map(int, declined)))
    scene.expect(sum(map(int, declined)) == SENDERS * rounds * REQUESTS, "requests were not declined by their handlers")
