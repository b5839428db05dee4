"""Long random sequences of operations give the results of a model, over the bus and over direct connections.

The model (campaign/model.py) is written from the contract. It covers pasteboards with versions, compare-and-set, takes,
content that can be read once, sensitive and expired content, repeated calls, waiting for changes, claims, the user's
choices, policies, and requests with every kind of answer, crashes, cancellation and retries. The broker is killed and
started again between operations. A sequence that fails is made as short as possible before it is reported.
"""

import json
import random
import re
import shutil
import time

from campaign import model, world
from campaign.model import Wrong
from campaign.place import Place
from campaign.shard import ROOT, Broken

INVARIANTS = (1, 6, 7, 8, 10, 11, 12, 13, 19, 21)
UNIT = "runs"
SIZES = dict(small=8, full=2_000)
SHARD = 50
BUSES = True

CORPUS = ROOT / "Tests/Campaign/corpus/f3"
# A handler that crashes is soon sent the next request.
LIMITS = ("--limit", "back-off-milliseconds=1", "--limit", "back-off-most-milliseconds=2")


def run(shard):
    with Scene(shard) as scene:
        for file in sorted(CORPUS.glob("*.json")) if shard.number == 0 else ():
            for route in ("bus", "direct"):
                scene.check(json.loads(file.read_text()), route, file.name)
        for number in range(shard.count):
            seed = shard.random.getrandbits(32)
            operations = Generator(random.Random(seed)).operations(shard.pick(40, 100))
            scene.check(operations, ("bus", "direct")[number % 2], f"run {number} with {seed}")
            shard.done()


class Scene:
    """A bus that stays, and a broker with a new store for each sequence."""

    def __init__(self, shard, programs=None, environment={}, most_seconds=120, patience=20):
        empty = shard.folder / "no-data"
        empty.mkdir()
        self.shard = shard
        self.place = Place(shard, *LIMITS, programs=programs, environment=dict(XDG_DATA_DIRS=str(empty)) | environment)
        self.most_seconds, self.patience = most_seconds, patience

    def __enter__(self):
        self.place.__enter__()
        return self

    def __exit__(self, *exception):
        self.place.__exit__(*exception)

    def check(self, operations, route, name):
        """Runs a sequence; if it fails, raises `Broken` with the shortest one that fails."""
        failure = self.failure(operations, route, self.patience)
        if failure is None:
            self.shard.add(operations=len(operations))
            return
        shortest, failure = self.shrunk(operations, route, failure)
        lines = "\n".join(json.dumps(one, ensure_ascii=False) for one in shortest)
        raise Broken(f"{failure}\n({name}, over {route}; {len(shortest)} operations, for a file in {CORPUS.name})\n"
                     f"[{lines}]".replace("}]\n[", "}],\n["))

    def failure(self, operations, route, patience):
        """The disagreement of a sequence, with the operation; None if there is none."""
        self.place.kill_broker()
        shutil.rmtree(self.place.store, ignore_errors=True)
        self.place.start_broker()
        one = world.World(self.place, route, patience)
        try:
            for place, (operation, arguments) in enumerate(operations):
                try:
                    one.run(operation, arguments)
                except Wrong as error:
                    return f"{operation} {json.dumps(arguments, ensure_ascii=False)} ({place}): {error}"
            return None
        finally:
            one.close()

    def shrunk(self, operations, route, failure):
        """Removes operations while the sequence still fails, larger parts first."""
        end = time.monotonic() + self.most_seconds
        size = len(operations) // 2
        while size and time.monotonic() < end:
            place = 0
            while place < len(operations) and time.monotonic() < end:
                shorter = operations[:place] + operations[place + size:]
                found = self.failure(shorter, route, min(2, self.patience))
                if found:
                    operations, failure = shorter, found
                else:
                    place += size
            size //= 2
        return operations, failure


class Generator:
    """Random operations. They need not fit the state: what does not fit must be rejected, or does nothing."""

    WEIGHTS = dict(
        write=18, read=9, clear=3, create=4, find=1, data=3, expire=2, limit=2, persistent=2, remove=3, watch=4, skip=1,
        unique=1, depart=1, claim=3, unclaim=2, default=2, resolve=4, policy=3, hire=6, fire=4, open=20, answer=16,
        hand_back=2, cancel=4, get=3, drop=3, retry=3, repeat=4, restart=2, observe=3)

    def __init__(self, random):
        self.random = random
        self.number = 0

    def operations(self, count):
        names, weights = list(self.WEIGHTS), list(self.WEIGHTS.values())
        made = []
        for name in self.random.choices(names, weights, k=count):
            with_id = [one for one in made if one[1].get("id")]
            # Some calls are made again with the same id and the same arguments.
            again = self.random.choice(with_id) if with_id and self.random.random() < 0.04 else None
            made.append(again or [name, getattr(self, name)()])
        return made + [["observe", dict(client="a")]]

    def maybe(self, chance, value):
        return value if self.random.random() < chance else None

    @property
    def client(self):
        return self.random.choice(list(world.CLIENTS))

    @property
    def board(self):
        return self.random.choice(world.BOARDS)

    @property
    def application(self):
        return self.random.choice(list(world.APPLICATIONS))

    @property
    def scheme(self):
        return self.random.choice(world.SCHEMES)

    @property
    def source(self):
        return self.random.choice([None, None, "campaign.Alice", "campaign.Bob"])

    @property
    def id(self):
        """Few ids, so that calls are repeated by chance; mostly with other arguments."""
        return self.maybe(0.3, f"campaign-call-{self.random.randrange(6):06}")

    @property
    def texts(self):
        words = ["one", "two", "ü" * 20, "x" * 100, ""]
        return [self.random.choice(words) for _ in range(self.random.choice([0, 1, 1, 2]))]

    @property
    def any(self):
        return self.random.randrange(1_000)

    def write(self):
        is_secret = self.random.random() < 0.06
        return dict(
            client=self.client, board=self.board, member=self.random.choice(["SetItems", "SetItems", "AddItems"]),
            texts=self.texts, cas=self.random.choice([None, None, "current", "stale"]), id=self.id,
            once=self.random.random() < 0.1, sensitive=is_secret, create=self.random.random() < 0.6,
            persistent=self.random.random() < 0.6, source=self.source)

    def read(self):
        take = self.random.random() < 0.4
        return dict(client=self.client, board=self.board, take=take, id=self.id, version=self.maybe(0.4, self.any),
                    cas=self.random.choice([None, None, "current", "stale"]))

    def clear(self):
        return dict(client=self.client, board=self.board, cas=self.random.choice([None, "current", "stale"]))

    def create(self):
        return dict(client=self.client, board=self.board, persistent=self.random.random() < 0.6, source=self.source)

    def find(self):
        return dict(client=self.client, board=self.board)

    def data(self):
        return dict(client=self.client, board=self.board, item=self.random.randrange(3))

    def expire(self):
        return dict(client=self.client, board=self.board, texts=["gone"])

    def limit(self):
        return dict(client=self.client, board=self.board, limit=self.random.choice([0, 1, 2, 5, 100, 101]))

    def persistent(self):
        return dict(client=self.client, board=self.board, value=self.random.random() < 0.5)

    def remove(self):
        return dict(client=self.client, board=self.board)

    def watch(self):
        return dict(client=self.client, back=self.random.choice([0, 1, 3, 10, 1_000]))

    def skip(self):
        return dict(client=self.client, by=self.random.choice([-5, 0, 1, 1_000]))

    def unique(self):
        return dict(client=self.client)

    def depart(self):
        return dict(client=self.client)

    def claim(self):
        return dict(client=self.client, application=self.application, schemes=self.some_schemes(1),
                    persistent=self.random.random() < 0.8)

    def some_schemes(self, least):
        return self.random.sample(world.SCHEMES, self.random.randrange(least, 3))

    def unclaim(self):
        return dict(client=self.client, application=self.application, schemes=self.some_schemes(0))

    def default(self):
        return dict(client=self.client, scheme=self.scheme, application=self.random.choice(["", self.application]))

    def resolve(self):
        return dict(client=self.client, scheme=self.scheme, source=self.source)

    def policy(self):
        names = ["campaign.Alice", "campaign.Bob"]
        return dict(client=self.client, application=self.application,
                    default=self.random.choice(["", "", "allow", "deny"]),
                    allow=self.random.sample(names, self.random.randrange(2)),
                    deny=self.random.sample(names, self.random.randrange(2)))

    def hire(self):
        return dict(application=self.application, window=self.random.choice([1, 1, 3]))

    def fire(self):
        return dict(application=self.application)

    def open(self):
        self.number += 1
        return dict(
            client=self.client, number=self.number, scheme=self.scheme, queue=self.random.random() < 0.75,
            application=self.maybe(0.3, self.application), texts=self.random.choice([None, self.texts, ["payload"]]),
            board=self.maybe(0.25, self.board), source=self.source, path=self.random.choice(["x", "//h/%20", "ü"]))

    def answer(self):
        return dict(application=self.application, place=self.any, kind=self.random.choice(
            ["handled", "handled", "reply", "declined", "cancelled", "failed", "error", "bad"]))

    def hand_back(self):
        return dict(application=self.application, place=self.any)

    def cancel(self):
        return dict(client=self.client, number=self.any)

    get = drop = cancel

    def retry(self):
        self.number += 1
        return dict(client=self.client, number=self.any, new=self.number)

    def repeat(self):
        return dict(client=self.client, number=self.any, changed=self.random.random() < 0.3)

    def restart(self):
        return dict(number=self.random.choice([9, 9, 15]))

    def observe(self):
        return dict(client=self.client)


# Controls

def first_failure(shard, words, **options):
    """Runs sequences until one disagrees, which must be about the defect: the error matches these words."""
    with Scene(shard, most_seconds=3, patience=1, **options) as scene:
        for number in range(60):
            operations = Generator(random.Random(shard.random.getrandbits(32))).operations(40)
            try:
                scene.check(operations, ("bus", "direct")[number % 2], f"run {number}")
            except Broken as error:
                if not re.search(words, str(error)):
                    raise RuntimeError(f"this is another defect: {error}")
                raise


def control_wrong_rule(shard):
    """A model in which a pasteboard keeps two earlier versions, and not one."""
    model.EARLIER_VERSIONS = 2
    first_failure(shard, "pasteboards: the broker has|the versions of")


def control_drops_one(shard):
    """A broker that never sends one request."""
    first_failure(shard, "does not get", programs=shard.debug,
                  environment=dict(SWIFT_IPC_TEST_CONTROL="drop-one"))


def control_delivers_twice(shard):
    """A broker that delivers a request a second time, under another id."""
    first_failure(shard, " gets ", programs=shard.debug, environment=dict(SWIFT_IPC_TEST_CONTROL="deliver-twice"))


def control_reorders(shard):
    """A broker that delivers one request after a later one of its sender."""
    claim = ["claim", dict(client="a", application="campaign.One", schemes=["camp-one"], persistent=True)]
    opens = [["open", dict(client="a", number=number, scheme="camp-one", queue=True)] for number in (1, 2, 3)]
    with Scene(shard, most_seconds=3, patience=1, programs=shard.debug,
               environment=dict(SWIFT_IPC_TEST_CONTROL="reorder")) as scene:
        scene.check([claim, *opens, ["hire", dict(application="campaign.One", window=1)]], "bus", "three requests")
