"""Four callers pipeline requests with payloads of 1 MiB, for a handler that is not there. They read no answer before the
last is sent, and drop the requests then."""

from attacks import pipelined_writes

APPLICATION = "campaign.Absent"


def queue(caller, number):
    return caller.broker("URLs1", "OpenURL", "sa{sv}", "campaign-absent:x", {
        "application": ("s", APPLICATION), "queue": ("b", True),
        "items": ("aa(sv)", [[("a/b", ("ay", pipelined_writes.VALUE))]])})


def drop(caller, answers):
    ids = [answer.values[0]["id"] for answer in answers]
    for member in ("CancelRequest", "DropRequest"):
        for serial in [caller.broker("URLs1", member, "sa{sv}", id, {}) for id in ids]:
            caller.wait(serial, 120)


def attack(scene):
    pipelined_writes.attack(scene, write=queue, undo=drop)
