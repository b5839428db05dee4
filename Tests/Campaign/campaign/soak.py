"""Mixed operations of peers that come and go, and a check that nothing is kept of them (R2, R3)."""

import contextlib
import os
import pathlib
import select
import stat
import time

import wire
from campaign.place import Place
from campaign.shard import Broken
from campaign.operations import KINDS, NAMES, APPLICATION, SCHEME, Worker

WORKERS = 8
# What may grow after the warm-up. The stores keep free pages, and the allocators some free blocks.
BOUNDS = dict(
    broker_memory=4 << 20, broker_descriptors=0, broker_threads=1, server_memory=2 << 20, server_descriptors=0,
    server_threads=1, bus_memory=2 << 20, bus_descriptors=0, connections=0, names=0, match_rules=0, store_bytes=8 << 20,
    store_files=0)
# What grows to a plateau. Of everything else, nothing may be kept.
PLATEAUS = {"broker_memory", "bus_memory", "server_memory", "store_bytes"}
# Memory of allocators is returned some time after its last use, and later on a busy machine. A control waits in vain.
SETTLING_SECONDS, CONTROL_SECONDS = 5, 1


class Soak:
    """A place with a library program (`ipc-server`), a handler and workers, in one thread."""

    def __init__(self, shard, *arguments, store=None, programs=None, environment={}, kinds=KINDS):
        self.shard, self.kinds = shard, kinds
        self.place = Place(shard, *arguments, programs=programs, environment=environment)
        self.place.store = store or self.place.store

    def __enter__(self):
        self.place.__enter__()
        self.server = self.place.start(self.place.programs / "ipc-server", stdout=open(os.devnull, "w"))
        self.witness = self.place.connect()
        self.place.wait_for_name(self.witness, "demo.IPCServer")
        self.handler = self.place.connect()
        self.handler.request(*wire.BUS, "RequestName", "su", APPLICATION, 4)
        self.handler.ask("Schemes1", "Register", "sasa{sv}", APPLICATION, [SCHEME], {"window": ("u", 16)})
        self.workers = [Worker(self.place.bus.path, number, self.shard.random) for number in range(WORKERS)]
        return self

    def __exit__(self, *_):
        self.place.__exit__()

    # Operations

    def operate(self, goes_on):
        """Carries out operations, some at a time, as long as `goes_on()` allows more. Returns how many."""
        done, working = 0, []
        for worker in self.workers:
            if goes_on():
                worker.begin(self.kinds)
                working.append(worker)
        while working:
            ready = select.select([worker.connection for worker in working] + [self.handler], [], [], 60)[0]
            if not ready:
                raise Broken(f"no answer for 60 s: {[worker.doing for worker in working]}")
            if self.handler in ready:
                self.handle()
            for worker in [worker for worker in working if worker.connection in ready]:
                worker.receive()
                while not worker.is_waiting:
                    done += 1
                    if not goes_on():
                        working.remove(worker)
                        break
                    worker.begin(self.kinds)
        return done

    def handle(self):
        """Answers all requests that have arrived at the handler."""
        self.handler.receive()
        self.handler.sort()
        calls, self.handler.others = self.handler.others, []
        for call in calls:
            for descriptor in call.descriptors:
                os.close(descriptor)
            if call.member == "OpenURL":
                self.handler.reply(call, "sa{sv}", "handled", {"items": ("aa(sv)", [[("text/plain", ("s", "done"))]])})

    # What is kept

    def clean(self):
        """Removes what the operations have written, and closes the connections of the workers."""
        serials = [self.witness.broker("Pasteboards1", "RemovePasteboard", "sa{sv}", name, {}) for name in NAMES]
        for serial in serials:
            self.witness.wait(serial)
        for worker in self.workers:
            worker.leave()
            worker.join()
        # Requests without an outcome would keep their payload.
        while self.handler in select.select([self.handler], [], [], 0)[0]:
            self.handle()

    def sizes(self):
        """What the programs hold now."""
        names = self.witness.request(*wire.BUS, "ListNames").values[0]
        store = sizes_of_files(self.place.store)
        held = dict(
            connections=sum(name.startswith(":") for name in names), names=len(names), match_rules=self.match_rules(),
            store_files=len(store), store_bytes=sum(store))
        for name, pid in dict(broker=self.place.broker.pid, server=self.server.pid, bus=self.place.bus.pid).items():
            held |= {f"{name}_{kind}": value for kind, value in of_process(pid).items()}
        return held

    def match_rules(self):
        """Both buses report their match rules, in different ways."""
        answer = self.witness.request(
            wire.BUS[0], wire.BUS[1], "org.freedesktop.DBus.Debug.Stats", "GetStats").values[0]
        if "MatchRules" in answer:
            return answer["MatchRules"]
        return sum(peer[2]["Matches"] for peer in answer["org.bus1.DBus.Debug.Stats.PeerAccounting"])

    def settled(self, before=None):
        """What is held after the operations: as soon as nothing exceeds its bound or, without sizes to compare with, as
        soon as nothing shrinks any more; after some seconds in any case."""
        self.clean()
        deadline = time.monotonic() + (CONTROL_SECONDS if self.shard.part.control else SETTLING_SECONDS)
        earlier = before
        while True:
            self.witness.ask("Broker1", "Describe", "a{sv}", {})
            now = self.sizes()
            is_settled = earlier and not grown(earlier, now) and (before or not grown(now, earlier))
            if is_settled or time.monotonic() > deadline:
                return now
            earlier = before or now
            # No event reports that another process returns memory.
            time.sleep(0.2)

    def check_growth(self, operate):
        """Checks that operations after a warm-up add nothing. Short ones do not fill the store and the allocators to what
        they keep, so at small size they are repeated twice if only that has grown: a leak grows each time."""
        before = self.settled()
        operate()
        after = self.settled(before)
        for _ in range(self.shard.pick(2, 0)):
            more = grown(before, after)
            if not more or not PLATEAUS.issuperset(more):
                break
            before = after
            operate()
            after = self.settled(before)
        self.check(before, after)

    def check(self, before, after):
        """Compares what is held at the end with what was held after the warm-up."""
        if more := grown(before, after):
            raise Broken("kept after the operations: " + ", ".join(
                f"{name} {before[name]:,} -> {after[name]:,}" for name in more))
        for name in ("broker_memory", "bus_memory", "server_memory", "store_bytes"):
            self.shard.worst(**{f"{name.removesuffix('_bytes')}_kib": after[name] // 1_024})
        self.shard.worst(descriptors=after["broker_descriptors"], threads=after["broker_threads"])


def sizes_of_files(folder):
    """A file may vanish meanwhile."""
    sizes = []
    for path in pathlib.Path(folder).rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            status = path.lstat()
            sizes += [status.st_size] if stat.S_ISREG(status.st_mode) else []
    return sizes


def grown(before, after):
    return [name for name, bound in BOUNDS.items() if after[name] > before[name] + bound]


def of_process(pid):
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return dict(
        memory=int(status["RssAnon"].split()[0]) * 1_024, threads=int(status["Threads"]),
        descriptors=len(os.listdir(f"/proc/{pid}/fd")))
