"""Hostile programs slow nobody down, and leave nothing behind.

Each program of Tests/Hostile/attacks runs for 60 s on each message bus, with stock and with small limits: stopped
handlers, watchers and senders, floods of calls, signals, long and short messages, waits and introspection, connections
that come and go, exhausted descriptors, and more. Honest clients call meanwhile: none of them waits longer than 250 ms
or is disconnected. Broker and bus stay small. Within 1 s of quiet, connections, descriptors and threads are back at
their number before the attack.

At small size, each variant runs one short program once, which the seed chooses: `make check-hostile` runs all of them.

Some programs run as `nobody`, because the kernel exempts root from some limits. They always use dbus-daemon: the
systemd that starts dbus-broker needs root here.
"""

import importlib

import trials
from campaign.shard import Broken

INVARIANTS = (15, 16, 17)
UNIT = "attacks"
SMALL = (
    "flood_connections", "flood_introspection", "stopped_handler", "few_descriptors", "stolen_records", "full_table",
    "equal_timers", "broken_promise")
ATTACKS = [name for name in trials.names() if not name.startswith("control_")]
SIZES = dict(small=4, full=4 * len(ATTACKS))
SHARD = 10
BUSES = True
ALONE = True
SECONDS = 60


def run(shard):
    for name in chosen(shard):
        carry_out(shard, name, shard.pick(0, SECONDS))
        shard.done()


def chosen(shard):
    """At full size, the shards of a variant share all attacks."""
    if shard.size == "small":
        return shard.random.sample(SMALL, shard.count)
    return of_shard(shard.number)


def of_shard(number):
    return ATTACKS[number::-(-len(ATTACKS) // SHARD)]


def files(number):
    """The programs of a shard: its result counts until one of them changes."""
    return [trials.HERE / f"attacks/{name}.py" for name in of_shard(number)]


def carry_out(shard, name, seconds):
    attack = importlib.import_module(f"attacks.{name}")
    bus = "daemon" if getattr(attack, "UNPRIVILEGED", False) else getattr(attack, "BUS", shard.bus)
    found = trials.run(name, shard.programs, shard.size, seconds, bus, shard.limits)
    if found["broken"]:
        options = f"--size {shard.size} --seconds {seconds} --bus {bus} --limits {shard.limits}"
        raise Broken(f"{name}: " + "; ".join(found["broken"]) + f" (Tests/Hostile/run.py {options} {name})")
    if "noticed" in found:
        raise Broken(f"{name}: " + "; ".join(found["noticed"]))
    shard.worst(wait_ms=found["wait"], p99_ms=found["p99"], quiet_ms=found["quiet_ms"], **{
        f"{place}_mib": grown for place, grown in found["grown"].items()})
    shard.add(calls=sum(wait["count"] for wait in found["waits"].values()))


def controls():
    """The controls of the hostile programs, as controls of this row."""
    def control(name):
        return lambda shard: carry_out(shard, name, 0)
    return {name: control(name) for name in trials.names() if name.startswith("control_")}


globals().update(controls())
