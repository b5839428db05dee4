"""A broker that is killed at one of its system calls: see stopper.c."""

import contextlib
import copy
import os
import pathlib
import select
import shutil
import signal
import subprocess

import wire
from campaign import load, values
from campaign.shard import Broken

HERE = pathlib.Path(__file__).resolve().parent
END = ("entry", "1000000000")


def compiled(shard, name, *options):
    """A program or library of this folder."""
    subprocess.run(["cc", "-O1", *options, "-o", shard.folder / name, HERE / f"{name}.c"], check=True)
    return shard.folder / name


def sizes(random):
    return random.randint(30, 3_000)


class Scene:
    """A place whose broker is killed at a point of what it does. `point` is where the last one was killed."""

    def __init__(self, shard, place):
        self.shard, self.place = shard, place
        self.stopper = compiled(shard, "stopper")
        self.trace = shard.folder / "trace"
        self.load = load.Load(place, shard.random, clients=1, sizes=sizes)
        self.client = self.load.checker
        self.point = "at first"

    def start(self, count, edge, point):
        """Starts the broker below the stopper, which counts its calls from now on (`start`) or `later`."""
        place = self.place
        place.broker = place.start(
            self.stopper, count, edge, point, self.trace, place.programs / "ipc-broker", "--store", place.store,
            "--log-level", "warning", *place.arguments, environment=place.broker_environment)

    def serve_until_named(self):
        """Waits until the broker has its name. Returns false if it is killed before."""
        with contextlib.closing(self.place.connect()) as witness, Ending(self.place.broker) as ending:
            rule = f"type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{wire.BROKER}'"
            witness.request(*wire.BUS, "AddMatch", "s", rule)
            while witness.request(*wire.BUS, "GetNameOwner", "s", wire.BROKER).kind == wire.ERROR:
                found = select.select([witness, ending, *self.load.beside], [], [], 30)[0]
                if not found:
                    raise Broken(f"the broker has no name after 30 s: {self.place.log_text()[-1_000:]}")
                if ending in found:
                    return False
                self.serve(found)
                if witness in found:
                    witness.receive()
        return True

    def serve(self, found):
        for handler in self.load.beside:
            if handler in found:
                handler.serve()
            handler.answer_all()
        if self.client.connection in found:
            self.client.connection.receive()
        self.load.note(self.client.sorted())

    def count(self):
        """Lets the stopper count from now on."""
        self.place.broker.send_signal(signal.SIGUSR2)
        self.place.broker.stdout.readline()

    def serve_until_killed(self, isover):
        """Serves the clients until the broker is killed at its point, or at the end of what it has to do. Returns at
        which system call; -1 for the end."""
        asked = False
        with Ending(self.place.broker) as ending:
            while True:
                if not asked and isover():
                    self.place.broker.send_signal(signal.SIGUSR1)
                    asked = True
                found = select.select([ending, self.client.connection, *self.load.beside], [], [], 30)[0]
                if not found:
                    raise Broken("the broker does not end, and does not answer: " + ", ".join(
                        map(str, self.client.open.values())))
                self.serve(found)
                if ending in found:
                    break
        word, self.counted, call = self.place.broker.stdout.read().split()
        self.place.end_of_broker()
        self.load.note(self.client.drain())
        return int(call)

    def check(self):
        try:
            self.load.check()
        except Broken as error:
            raise Broken(f"killed {self.point}: {error}") from None

    def calls(self):
        """The calls of the last run: their numbers, and whether each changes something."""
        rows = [line.split() for line in self.trace.read_text().splitlines()]
        return [(int(call), changes == "1") for call, changes in rows]


class Ending:
    """Can be selected: readable once a process has ended."""

    def __init__(self, process):
        self.descriptor = os.pidfd_open(process.pid)

    def fileno(self):
        return self.descriptor

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.descriptor)


class Image:
    """The files of a store without a broker, and what the clients know of it."""

    def __init__(self, scene):
        self.scene, self.files = scene, scene.shard.folder / "image"
        self.books = copy.deepcopy(scene.load.books)
        shutil.rmtree(self.files, ignore_errors=True)
        if scene.place.store.exists():
            shutil.copytree(scene.place.store, self.files)

    def restore(self):
        shutil.rmtree(self.scene.place.store, ignore_errors=True)
        if self.files.exists():
            shutil.copytree(self.files, self.scene.place.store)
        self.scene.load.books = copy.deepcopy(self.books)


def large(owner, number, kind):
    """The name of a value that is stored in a file; `kind` says how it travels (see values.Outgoing)."""
    for size in range(200_000, 200_100):
        name = values.named(owner, number, size)
        if sum(name.encode()) % 2 == kind:
            return name
