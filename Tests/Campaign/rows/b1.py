"""Restarts of the bus, restarts and upgrades of the broker are only a delay, and two brokers do no harm.

Real programs work all the time: `ipc-client send`, `open --queue`, `set`, `get` and `call` run again and again,
`ipc-client watch` and two `ipc-server` run throughout, and raw connections write and repeat by id. Meanwhile the bus is
killed and started, the broker is killed or stopped with SIGTERM, replaced with `ipc-broker --replace`, stopped with
SIGSTOP and continued, and a second broker is started: on the same bus, on the same store, on another bus, and at the
same instant. Every tool must exit with 0 and within the delay that the invariant allows, a call that a handler has when
the restart comes must return its answer, the watcher must report the last version, every message must be printed once
by its handler, nothing acknowledged may be missing, and the second broker must exit with the documented code and
message.

The controls: a raw connection that does not return notices the restart, a restart of more than 5 s is noticed, and a
broker that acknowledges before the commit loses an acknowledged number.
"""

import random
import signal
import subprocess
import time

import wire
from campaign import buses, session
from campaign.shard import Broken

INVARIANTS = (1, 6, 24)
UNIT = "restarts"
SIZES = dict(small=8, full=370)
SHARD = 100
BUSES = True
# Of 37 units: 5 restarts of the bus, 10 of the broker, 20 upgrades, and 2 times two brokers. The first are small size.
FIRST = ["bus", "broker", "upgrade", "two", "upgrade", "broker", "upgrade", "bus"]
REST = ["bus"] * 3 + ["broker"] * 8 + ["upgrade"] * 17 + ["two"]
VARIANTS = ("daemon-stock", "daemon-small", "broker-stock", "broker-small")


def kinds(shard):
    """The units of this shard. All shards together have 50, 100, 200 and 20 of the four kinds."""
    rest = (FIRST + REST) * (SIZES["full"] // 37)
    rest = rest[len(FIRST):]
    random.Random("B1").shuffle(rest)
    place = VARIANTS.index(f"{shard.bus}-{shard.limits}")
    return (FIRST + rest)[place::len(VARIANTS)][:shard.count]


def run(shard):
    with session.Session(shard) as place:
        disturb(shard, place, kinds(shard))
        # Every shard has one stop of the broker.
        shard.expect(shard.units == shard.count, "a restart is missing")


def disturb(shard, place, units, raw_returns=True):
    with session.Load(shard, place, raw_returns) as load:
        load.progress()
        for kind in units:
            call = load.hold()
            load.begun = time.monotonic()
            ACTIONS[kind](shard, place, load)
            load.release(call)
            load.mark()
            load.progress()
            expect_losers(shard, place, load)
            shard.done()
        session.stop_for_a_while(place, load, shard.pick(0, 30))
        load.progress()
    load.judge()


def restart_bus(shard, place, load):
    """Programs that were there before the restart must get through it; none begins while there is no bus."""
    load.close_gate()
    place.bus.kill()
    place.bus.start()
    place.start_broker()
    load.open_gate()
    shard.add(buses=1)


def restart_broker(shard, place, load):
    """The bus starts the next broker for the first program that needs it."""
    place.end_broker(shard.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
    place.start_broker()
    shard.add(brokers=1)


def upgrade(shard, place, load):
    """The former broker leaves with 0, if it is a child of this process; others belong to the bus."""
    former = getattr(place, "latest", None)
    next = place.start(*place.command, "--replace", stderr=subprocess.PIPE)
    client = place.connect()
    deadline = time.monotonic() + 20
    while place.owner_process(client) != next.pid or client.ask("Broker1", "Describe", "a{sv}", {}).kind == wire.ERROR:
        if next.poll() is not None:
            raise Broken(f"ipc-broker --replace ended with {next.returncode}: {next.stderr.read().decode()}")
        if time.monotonic() > deadline:
            raise Broken("ipc-broker --replace does not serve after 20 s")
    client.close()
    if former and former.pid == place.pid:
        code = former.wait(30)
        shard.expect(code == 0, f"the replaced broker exits with {code}")
        place.processes.remove(former)
    place.latest, place.pid = next, next.pid
    shard.add(upgrades=1)


def two_brokers(shard, place, load):
    """Only one broker serves, and the second says why it cannot."""
    client = place.connect()
    owner = client.request(*wire.BUS, "GetNameOwner", "s", wire.BROKER).values[0]
    other = place.start(place.programs / "ipc-broker", "--store", place.folder / "other", stderr=subprocess.PIPE)
    expect_refused(shard, place, other, (73,), "another broker already serves this bus")
    expect_refused(shard, place, place.start(*place.command, stderr=subprocess.PIPE), (69,), "is in use by")
    still = client.request(*wire.BUS, "GetNameOwner", "s", wire.BROKER).values[0]
    shard.expect(owner == still, f"the second broker took the place of {owner}: now {still} serves")
    client.close()
    # At the same instant, together with the one that the bus starts for the programs.
    load.begun = time.monotonic()
    place.end_broker(signal.SIGKILL)
    both = [place.start(*place.command, stderr=subprocess.PIPE) for _ in range(2)]
    place.start_broker()
    place.latest = next((process for process in both if process.pid == place.pid), None)
    place.losers = [process for process in both if process.pid != place.pid]
    place.elsewhere = start_elsewhere(shard, place)
    shard.add(pairs=1)


def start_elsewhere(shard, place):
    """A broker on another bus with the same store."""
    folder = place.folder / f"bus{shard.units}"
    folder.mkdir()
    bus = buses.Bus("daemon", "stock", folder, place.environment)
    bus.start()
    address = dict(DBUS_SESSION_BUS_ADDRESS=f"unix:path={bus.path}")
    return bus, place.start(*place.command, stderr=subprocess.PIPE, environment=address)


def expect_losers(shard, place, load):
    """A broker waits for the store for 5 s, in case its owner is about to exit, unless that owner serves its bus."""
    if shard.size == "small":
        load.close_gate()  # Nothing is at stake while these brokers wait, and a small run spares the processor.
    for process in getattr(place, "losers", []):
        expect_refused(shard, place, process, (69, 73), "another broker already serves this bus", "is in use by")
    place.losers = []
    bus, process = getattr(place, "elsewhere", None) or (None, None)
    if bus:
        try:
            expect_refused(shard, place, process, (69,), "is in use by")
        finally:
            bus.kill()
    place.elsewhere = None
    load.open_gate()


def expect_refused(shard, place, process, codes, *words):
    code, text = process.wait(30), process.stderr.read().decode()
    place.processes.remove(process)
    shard.expect(code in codes and any(each in text for each in words) and "--replace" in text,
                 f"a second broker must end with {codes} and {words}, but ended with {code}: {text}")


ACTIONS = dict(bus=restart_bus, broker=restart_broker, upgrade=upgrade, two=two_brokers)


# The controls

def control_raw_connection(shard):
    """A raw connection that does not return after a restart."""
    with session.Session(shard) as place:
        disturb(shard, place, ["bus"], raw_returns=False)


def control_long_restart(shard):
    """The bus is away for more than 5 s, so the call in progress fails."""
    with session.Session(shard) as place, session.Load(shard, place) as load:
        load.progress()
        call = load.hold()
        load.close_gate()
        load.begun = time.monotonic()
        place.bus.kill()
        time.sleep(session.MOST_SECONDS + 1)
        place.bus.start()
        place.start_broker()
        load.release(call)


def control_acknowledge_before_commit(shard):
    """A broker that answers before the commit, and is killed again and again."""
    with session.Session(shard, shard.debug, "acknowledge-before-commit") as place:
        with session.Load(shard, place) as load:
            for _ in range(10):
                load.progress()
                place.end_broker(signal.SIGKILL)
                place.start_broker()
