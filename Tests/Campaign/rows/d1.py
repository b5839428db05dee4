"""A broker that is killed at random moments under mixed load loses nothing and repeats nothing.

Clients set, extend, clear, take, create and remove persistent pasteboards, send requests with and without waiting, and
store claims, with values of up to 3 MiB. The broker gets SIGKILL after a random number of answers and a random time,
with the handler of the requests or after it has left. After each restart, everything is read over D-Bus and compared
with the answers: acknowledged changes are there (I1), a call without an answer has its whole effect or none, and
repeating it adds nothing (I2, I10), each request has one outcome (I6), no change count is used twice (I11), and no
version is taken twice (I12).
"""

import contextlib
import shutil
import sqlite3

from campaign.load import Load
from campaign.place import Place
from campaign.shard import Broken

INVARIANTS = (1, 2, 6, 7, 10, 11, 12)
UNIT = "kills"
SIZES = dict(small=4, full=1_000)
SHARD = 125
BUSES = True


def run(shard, place=None):
    with place or Place(shard) as place:
        load = Load(place, shard.random)
        load.begin()
        for kill in range(shard.count):
            moment = shard.random.randint(0, 120), shard.random.uniform(0, 0.004)
            try:
                one_round(shard, place, load, moment)
            except Broken as error:
                raise Broken(f"kill {kill}, {moment[1] * 1_000:.1f} ms after {moment[0]} answers: {error}") from None
        load.finish()
        load.close()


def one_round(shard, place, load, moment):
    """Kills the broker under load, and checks the next one."""
    if shard.random.random() < 0.3:
        load.handler_leaves()
    load.burst(*moment)
    start = place.start_broker()
    load.check()
    shard.done()
    shard.add(kills=1)
    shard.figures |= dict(answers=load.acknowledged, unanswered=load.unanswered)
    shard.worst(start_ms=int(start * 1_000))


def faulty(shard, defect):
    """A place whose broker has a defect on purpose."""
    return Place(shard, programs=shard.debug, environment={"SWIFT_IPC_TEST_CONTROL": defect})


def control_acknowledge_before_commit(shard):
    """The broker answers before it commits."""
    shard.count = 50
    with shard.finds("I1:", "I1,", "I6:", "I7:"):
        run(shard, faulty(shard, "acknowledge-before-commit"))


def control_drop_one(shard):
    """The broker reports a request as handled that it has never sent."""
    shard.count = 3
    # If the handler had got the request before a kill, what is missing is its reply.
    with shard.finds("I6:", "ended with the reply None"):
        run(shard, faulty(shard, "drop-one"))


def control_older_store(shard):
    """After a kill, the store is replaced by an older copy, so that the broker uses change counts again."""
    with shard.finds("I11:"), Place(shard) as place:
        load = Load(place, shard.random)
        load.begin()
        load.handler_leaves()
        load.burst(20, 0)
        shutil.copytree(place.store, shard.folder / "copy")
        set_one(load)
        shutil.rmtree(place.store)
        shutil.copytree(shard.folder / "copy", place.store)
        # Mixed load would also show that the changes of the last run are lost, and which of both comes first is chance.
        set_one(load)


def set_one(load):
    """Starts the broker, sets a pasteboard, and kills the broker."""
    load.place.start_broker()
    call = load.books.shared[0].change(load.checker, "set")
    load.note([load.checker.perform(call)])
    load.place.kill_broker()


def control_forgotten_calls(shard):
    """After a kill, the broker no longer knows the calls that may be repeated. A repetition takes effect again."""
    with shard.finds("I10:"), Place(shard) as place:
        load = Load(place, shard.random)
        load.begin()
        load.burst(100, 0)
        with contextlib.closing(sqlite3.connect(place.store / "store.sqlite")) as database:
            database.execute("DELETE FROM operation")
            database.commit()
        place.start_broker()
        load.check()
