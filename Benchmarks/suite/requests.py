"""P2 and P3: stored and answered requests, compared with a relay in C that stores nothing; and single D-Bus methods."""

from .rows import Row
from .world import FLOOR, ROOT, World

BYTES = 1024


def routes():
    """The routes to the broker: first the library's own choice, then each route by itself if there is more than one."""
    contract = (ROOT / "dbus/org.swiftipc.Broker1.xml").read_text()
    names = ["bus", "direct"] if 'name="Connect"' in contract else []
    return {"": {}} | {f", route {name}": {"SWIFT_IPC_ROUTE": name} for name in names}


def relay(world):
    """Starts the two C programs for comparison: one answers calls, and the other relays calls to it."""
    world.start_floor("echo", "server", "floor.Handler")
    world.start_floor("relay", "floor.Relay", "floor.Handler")


class Route:
    """The rows of the table for one route to the broker."""

    def __init__(self, world, name, environment, goals):
        self.world, self.environment = world, environment
        self.scheme = "load" + name.rpartition(" ")[2]
        self.single = Row(
            "P2" if goals else "", f"durable, answered request, 1 KiB, one at a time, p50{name} : relay + one fdatasync",
            "µs", most=1.25 if goals else None)
        stores_nothing = "relay, which stores nothing"
        self.many = Row(
            "P3" if goals else "", f"durable, answered requests, 64 in flight, from 1 client{name} : {stores_nothing}", "/s",
            least=1.0 if goals else None)
        self.clients = Row(
            "P3" if goals else "", f"durable, answered requests, 16 clients with 4 in flight each{name} : {stores_nothing}", "/s",
            least=1.0 if goals else None)
        world.start_load(
            "receive", scheme=self.scheme, id=f"org.example.Load{self.scheme}", environment=environment)

    def measure_single(self, sizes, floor):
        self.single.add(self.open(count=sizes.singles, window=1)["p50"], floor)

    def measure_many(self, sizes, floor):
        self.many.add(self.open(count=sizes.many, window=64)["rate"], floor)

    def measure_clients(self, sizes, floor):
        commands = [
            self.world.load_command(
                "open", scheme=self.scheme, bytes=BYTES, board=f"bench{number}", count=sizes.many // 16, window=4,
                wait="yes", id=f"org.example.Sender{number}")
            for number in range(16)
        ]
        self.clients.add(self.world.together(commands, environment=self.environment), floor)

    def open(self, **settings):
        return self.world.load(
            "open", scheme=self.scheme, bytes=BYTES, board="bench", environment=self.environment, **settings)


def measure(sizes):
    with World() as world:
        world.start_broker()
        relay(world)
        all_routes = [Route(world, name, environment, goals=not name) for name, environment in routes().items()]
        for _ in range(sizes.rounds):
            floor = world.floor("echo", "client", "floor.Relay", sizes.singles, BYTES, 1)["p50"]
            floor += world.floor("storage", world.folder, "sync")["fdatasync"]
            for route in all_routes:
                route.measure_single(sizes, floor)
            floor = world.floor("echo", "client", "floor.Relay", sizes.many, BYTES, 64)["rate"]
            for route in all_routes:
                route.measure_many(sizes, floor)
            client = [FLOOR / "echo", "client", "floor.Relay", sizes.many // 16, BYTES, 4, "wait"]
            floor = world.together([client] * 16)
            for route in all_routes:
                route.measure_clients(sizes, floor)
        return [
            row for rows in zip(*((route.single, route.many, route.clients) for route in all_routes)) for row in rows]


def measure_members(sizes):
    """Measures single D-Bus methods and queued requests, compared with a call that does nothing."""
    with World() as world:
        world.start_broker()
        world.start_floor("echo", "server", "floor.Handler")
        world.start_load("receive")
        members = {
            "CanOpenURL": ("ask", {}),
            "SetItems, 1 KiB, persistent": ("set", {"persistent": "yes", "board": "kept"}),
            "SetItems, 1 KiB, in memory": ("set", {"persistent": "no", "board": "memory"}),
            "GetItems, 1 KiB, persistent": ("get", {"persistent": "yes", "board": "kept"}),
            "GetItems, 1 KiB, in memory": ("get", {"persistent": "no", "board": "memory"}),
            "queued requests, 1 KiB, on disk": ("queue", {}),
        }
        rows = {
            name: (Row("", f"{name}, one at a time, p50 : echo of 1 KiB in C", "µs"),
                   Row("", f"{name}, 64 in flight : echo of 1 KiB in C", "/s")) for name in members
        }
        for _ in range(sizes.rounds):
            single = world.floor("echo", "client", "floor.Handler", sizes.singles, BYTES, 1)["p50"]
            many = world.floor("echo", "client", "floor.Handler", sizes.many, BYTES, 64)["rate"]
            for name, (measurement, settings) in members.items():
                rows[name][0].add(
                    world.load(measurement, count=sizes.singles // 2, window=1, bytes=BYTES, **settings)["p50"], single)
                rows[name][1].add(
                    world.load(measurement, count=sizes.many // 4, window=64, bytes=BYTES, **settings)["rate"], many)
        return [row for pair in rows.values() for row in pair]


def measure_by_hand(sizes):
    """Compares with messages as files, without a broker: each is synced, renamed, seen by inotify, answered by a file."""
    with World() as world:
        world.start_broker()
        world.start_load("receive")
        folder = world.folder / "files"
        folder.mkdir()
        world.start_floor("file", "server", folder)
        row = Row("", "durable, answered request, 1 KiB, one at a time : file, fsync, rename and inotify by hand in C", "µs")
        for _ in range(sizes.rounds):
            row.add(
                world.load("open", count=sizes.singles // 2, bytes=BYTES, board="bench")["p50"],
                world.floor("file", "client", folder, sizes.singles // 4, BYTES)["p50"])
        return [row]
