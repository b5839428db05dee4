"""One client that misbehaves does not slow down the others: a bound on the 99th percentile and on the longest call.

A run alternates quiet times with times in which one misbehaviour goes on: a hostile program of Tests/Hostile/attacks.
Honest clients ping, read, write and open URLs all the time, over the bus and over a direct connection. For each
client, the 99th percentile during the misbehaviour is at most 50 ms or three times that of the quiet times before and
after, whichever is larger. The longest call takes at most 250 ms.

At small size, only the bound of 250 ms counts: some seconds give too few calls for a percentile, and machines that
test for others are noisy. The runs take turns between dbus-daemon and dbus-broker.
"""

import importlib
import time

import scene
import trials
from campaign.shard import Broken

INVARIANTS = (15,)
UNIT = "runs"
ATTACKS = (
    "stopped_handler", "stopped_watcher", "stopped_sender", "flood_connections", "flood_introspection", "flood_big",
    "silent_reader", "tiny_values", "pipelined_writes", "pipelined_writes_direct", "pipelined_requests",
    "pipelined_reads", "pipelined_lists", "declined_requests", "queued_versions", "flood_calls", "flood_waits", "flood_signals",
    "flood_tiny", "equal_timers", "deep_value", "long_names", "claimed_length", "decoded_size", "broken_promise",
    "moved_history", "pipelined_values")
# Small runs take only the first ones, which need little time.
SMALL = ATTACKS[:4]
SIZES = dict(small=2, full=len(ATTACKS))
SHARD = 5
BUSES = False
ALONE = True
LONGEST_MS = 250
P99_MS, FACTOR = 50, 3


def run(shard):
    if shard.size == "small":
        names = shard.random.sample(SMALL, shard.count)
    else:
        names = of_shard(shard.number)
    for place, name in enumerate(names):
        bus = ("daemon", "broker")[(place + shard.number) % 2]
        carry_out(shard, name, bus, rounds=shard.pick(1, 3), quiet=shard.pick(0.3, 5), seconds=shard.pick(0, 10))
        shard.done()


def of_shard(number):
    return ATTACKS[number::-(-len(ATTACKS) // SHARD)]


def files(number):
    """The programs of a shard: its result counts until one of them changes."""
    return [trials.HERE / f"attacks/{name}.py" for name in of_shard(number)]


def carry_out(shard, name, bus, rounds, quiet, seconds):
    """Alternates quiet times with an attack, and compares the waits."""
    attack = importlib.import_module(f"attacks.{name}")
    with scene.Scene(shard.programs, trials.HERE, attack, shard.size, bus) as place:
        place.phase()
        phases = [quiet_phase(place, quiet)]
        for _ in range(rounds):
            trials.repeat(attack, place, seconds)
            phases += [place.phase(), quiet_phase(place, quiet)]
        judge(shard, f"{name} on dbus-{bus}", phases, hasattr(attack, "P99_LIMIT"))


def quiet_phase(place, seconds):
    """Some seconds, in which only the honest clients call."""
    time.sleep(seconds)
    return place.phase()


def judge(shard, title, phases, is_limited):
    """Phases with an even place are quiet. The quiet value of an attack is the mean of those before and after it."""
    broken = []
    # A client may notice that it is cut off only after the attack.
    for phase in phases[1:]:
        if phase["cut"]:
            broken.append(f"disconnected: {phase['cut']}")
    for place in range(1, len(phases), 2):
        for client, waits in phases[place]["waits"].items():
            quiet = sum(phases[near]["waits"][client]["p99"] for near in (place - 1, place + 1)) / 2
            if client == "bus":
                continue
            shard.worst(longest_ms=waits["longest"], p99_ms=waits["p99"], quiet_p99_ms=quiet)
            if waits["longest"] > LONGEST_MS:
                broken.append(f"a call of '{client}' took {waits['longest']} ms, more than {LONGEST_MS}")
            bound = max(P99_MS, FACTOR * quiet)
            if is_limited and client != "direct":
                continue
            if shard.size == "full" and waits["p99"] > bound:
                broken.append(f"p99 of '{client}' is {waits['p99']} ms, more than {bound:.1f} (quiet: {quiet:.1f})")
    if broken:
        raise Broken(f"{title}: " + "; ".join(broken))


def control_pause(shard):
    """The broker pauses for 400 ms, and all clients wait."""
    carry_out(shard, "control_pause", "daemon", rounds=1, quiet=0.3, seconds=0)


def control_kill(shard):
    """The broker is killed, and all clients lose it."""
    carry_out(shard, "control_kill", "daemon", rounds=1, quiet=0.3, seconds=0)
