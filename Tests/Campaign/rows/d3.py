"""After a power failure at any moment, everything acknowledged is in the store, and nothing else is there in part.

A load runs on the broker under strace, which records each write, rename and flush of the store's files, and each answer
with its place among them. From this record come images of the folder at random moments: everything that was flushed,
and a random part of the rest, in torn blocks and with names in any order. The broker starts on each image, and must
have everything that was acknowledged before that moment.
"""

import os
import shutil
import signal

from campaign import buses, durable, images
from campaign.place import Place
from campaign.shard import Broken

INVARIANTS = (1, 2, 5, 7, 8, 11)
UNIT = "images"
SIZES = dict(small=12, full=3_000)
SHARD = 150
BUSES = False


def run(shard, programs=None, environment={}, **options):
    shard.bus = "daemon"
    with Place(shard) as place:
        place.kill_broker()
        load, trace = record(place, shard, programs or shard.programs, environment, **options)
        for number in range(shard.count):
            image = images.Image(trace, moment(shard, trace, load), shard.random)
            try:
                check(place, load, trace, image)
            except Broken as error:
                raise Broken(f"{image.description}: {error}") from None
            shard.done()
            shard.add(**{f"way_{image.way}": 1})
        shard.add(operations=len(load.operations), changes=sum(len(node.changes) for node in trace.nodes),
                  flushes=sum(len(node.syncs) for node in trace.nodes), checkpoints=len(database(trace).syncs))


def record(place, shard, programs, environment, **options):
    """Runs the load on a new store, ends the broker cleanly, and reads the trace."""
    place.store, place.programs, place.broker_environment = place.folder / "traced" / "store", programs, environment
    place.store.parent.mkdir()
    path = place.folder / "trace"
    place.start_broker(*images.STRACE, "-o", path)
    load = durable.Load(place, shard.random, shard.pick(80, 1_000))
    load.run()
    load.close()
    os.kill(buses.descendants(place.broker.pid)[0], signal.SIGTERM)
    code = place.end_of_broker()
    shard.expect(code == 0, f"the broker ended with {code} under the load: {place.log_text()[-2_000:]}")
    place.programs, place.broker_environment = shard.programs, {}
    trace = images.Trace(path, place.store.parent, **options)
    path.unlink()
    lost = [operation.key for operation in load.operations if operation.key not in trace.answers]
    shard.expect(not lost, f"the trace has no answer to {lost[:5]}")
    return load, trace


def moment(shard, trace, load):
    """The moment at which an answer left, or of a change of a file, or of one that a checkpoint makes to the database."""
    way = shard.random.random()
    if way < 0.5:
        return trace.answers[shard.random.choice(load.operations + load.claims).key]
    if way < 0.8:
        return shard.random.choice(trace.instants)
    return shard.random.choice(database(trace).changes).begin + shard.random.randrange(3)


def database(trace):
    return trace.live[f"{trace.root}/store/store.sqlite"]


def check(place, load, trace, image):
    """Starts the broker on the image, and compares its store with the load up to that moment."""
    folder = place.folder / "image"
    image.write(folder)
    place.store = folder / "store"
    attempts = {}
    for line, request, attempt in trace.deliveries:
        if line <= image.line:
            attempts[request] = max(attempt, attempts.get(request, 0))
    try:
        place.start_broker()
        durable.Check(place, load, fates(load, trace, image.line), attempts).run()
        place.kill_broker()
    finally:
        shutil.rmtree(folder)


def fates(load, trace, line):
    """A function that says what was known about an operation at a line of the trace."""
    known = {}
    for lane in load.lanes:
        answered = [trace.answers[operation.key] <= line for operation in lane.operations]
        # A lane makes its next call when it has fewer than `window` calls without an answer.
        issued = sum(answered) + lane.window
        for operation, is_answered in zip(lane.operations, answered):
            fate = durable.UNKNOWN if operation.number < issued else durable.UNSENT
            known[operation.key] = operation.fate if is_answered else fate
    for claim in load.claims:
        known[claim.key] = claim.fate if trace.answers[claim.key] <= line else durable.UNKNOWN
    return lambda operation: known[operation.key]


def control_synchronous_off(shard):
    """A broker that never flushes its log loses what it has acknowledged."""
    run(shard, shard.debug, dict(SWIFT_IPC_TEST_CONTROL="synchronous-off"))


def control_folder_syncs(shard):
    """Without the flushes of directories, files that a power failure loses are missing."""
    run(shard, ignores_folder_syncs=True)
