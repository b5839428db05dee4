"""Pasteboards, on disk and in memory, are linearizable, also while the broker is killed.

Many clients set, add, take, read and remove the same pasteboards, and change them by compare-and-set, over the bus and
over direct connections, with several calls of a client open at once. Others watch them. Each records when it called,
when it was answered, and which version and items the answer named. The checker in campaign/linear.py, which shares no
code with the product, then asks whether any order of the calls explains all answers: each change count stands for one
change, a compare-and-set succeeds only on the version that it expects, a read returns exactly one written version and
never an outdated one, a version is taken once, and no watcher misses the last version. In half of the shards, the
pasteboards are on disk only, and the broker is killed again and again. Then the clients repeat each unanswered call
with its id, so that a lost acknowledgement or a call with two effects shows as well.

The controls run the same clients and the same check on a small broker in Python with one defect each, and on a broker
that acknowledges changes before they are on disk. The small broker without a defect must pass.
"""

import os
import sys

from campaign import boards, crew, linear
from campaign.place import Place
from campaign.shard import Broken

INVARIANTS = (10, 11, 12, 13)
UNIT = "operations"
SIZES = dict(small=400, full=256_000)
# 64 clients with 500 operations each.
SHARD = 32_000
BUSES = True
CLIENTS = 64
LAST = "plast"


class ToyPlace(Place):
    """A bus with the small broker in Python."""

    def __init__(self, shard, defect):
        super().__init__(shard, name=defect)
        self.defect = defect

    def start_broker(self):
        program = self.shard.root / "Tests/Campaign/campaign/toy_broker.py"
        self.broker = self.start(sys.executable, program, self.bus.path, self.defect)
        self.owner = self.wait_for_name(self.connect(), "org.swiftipc.Broker1")


def run(shard):
    has_kills = (shard.number + (shard.limits == "small") + (shard.bus == "broker")) % 2 == 1
    with Place(shard) as place:
        figures = test(shard, place, has_kills)
    shard.add(kills=figures.pop("kills"))
    if shard.size == "full":
        least = 5_000 * shard.count // 32_000
        shard.expect(figures["swaps"] >= least, f"only {figures['swaps']} compare-and-sets succeeded, not {least}")
    shard.done(shard.count)


def test(shard, place, has_kills, is_toy=False):
    """Runs clients and watchers on a broker, and judges what they saw. Returns the figures."""
    # The small broker is slow, and its defects show at any size.
    clients, workers, pasteboards = (16, 2, 4) if is_toy else shard.pick((16, 2, 4), (CLIENTS, 4, 64))
    load = boards.Load(direct=not is_toy, removes=True, repeats=has_kills)
    names = [f"p{number}" for number in range(pasteboards)]
    if not has_kills:
        names = names[::2] + [f"m{number}" for number in range(len(names) // 2)]
    first = prepare(place, names)
    counts = [shard.count // clients + (number < shard.count % clients) for number in range(clients)]
    seed = shard.random.getrandbits(64)
    with crew.Crew() as team, crew.Crew() as watching:
        watching.start(boards.watch, place.bus.path, clients, [names, names[:2], names[::2], names[-1:]], LAST,
                       load.direct)
        out, into = os.pipe()
        for worker in range(workers):
            team.start(boards.work, place.bus.path, range(worker, clients, workers), counts[worker::workers], names,
                       load, seed, into)
        os.close(into)
        kills = follow(shard, place, out, has_kills)
        operations = first + [each for result in team.results() for each in result]
        last = finish(place, names)
        # A broker that has lost versions may also leave its watchers waiting.
        linear.check(operations + last)
        watches, views = watching.results(120)[0]
    linear.check(operations + last, watches)
    check_views(views, last)
    return count(shard, operations, watches) | dict(kills=kills)


def prepare(place, names):
    """Creates the pasteboards, as the first operation on each."""
    client = boards.Client(place.bus.path, -1, 0, names, boards.Load(direct=False), 0)
    client.operations = [
        linear.Operation(-1, number, linear.SET, name, token=f"-1.{number}") for number, name in enumerate(names)]
    return carry_out(client)


def finish(place, names):
    """Reads all pasteboards when everything was answered, and wakes the watchers for the last time."""
    client = boards.Client(place.bus.path, -2, 0, names, boards.Load(direct=False), 0)
    client.operations = [linear.Operation(-2, number, linear.GET, name) for number, name in enumerate(names)]
    read = carry_out(client)
    client.operations = [linear.Operation(-2, len(names), linear.SET, LAST, token="-2")]
    return read + carry_out(client)


def carry_out(client):
    for each in client.operations:
        client.send(each)
        while client.line.flying:
            for answer in client.line.receive(client.line.wire):
                client.take_in(*answer)
    return client.operations


def follow(shard, place, out, has_kills):
    """Reads the progress of the clients to its end, and kills the broker at random points of it."""
    kills = shard.pick(2, 40) if has_kills else 0
    points = sorted(shard.random.randrange(shard.count * 9 // 10) for _ in range(kills))
    done = 0
    while data := os.read(out, 256):
        done += len(data)
        if points and done >= points[0]:
            points.pop(0)
            place.kill_broker()
            place.start_broker()
    os.close(out)
    return kills - len(points)


def check_views(views, last):
    """What each watcher knows at the end is what there is."""
    there = {each.board: each.count or 0 for each in last}
    for number, view in enumerate(views):
        for name, known in view.items():
            if name in there and known != there[name]:
                raise Broken(f"watcher {number} ends with version {known} of {name}, which has {there[name]}")


def count(shard, operations, watches):
    swaps = sum(each.kind == linear.SWAP and each.state == linear.OK for each in operations)
    figures = dict(
        swaps=swaps, lost_swaps=sum(each.state == linear.MISMATCH for each in operations),
        takes=sum(each.kind == linear.TAKE and bool(each.items) for each in operations),
        removals=sum(each.kind == linear.REMOVE and each.state == linear.OK for each in operations),
        absent=sum(each.state == linear.ABSENT for each in operations), watches=len(watches))
    shard.add(**figures)
    return figures


# The controls

def catch(shard, defect, words):
    """The small broker with a defect; the words are those of the rule that must find it."""
    # A defect shows at every seventh chance, but its effect is often gone before anyone can see it.
    shard.count = 2_000
    try:
        with ToyPlace(shard, defect) as place:
            test(shard, place, has_kills=False, is_toy=True)
    except Broken as error:
        if not any(word in str(error) for word in words):
            raise RuntimeError(f"{defect} was found by another rule: {error}") from None
        raise


def control_stale_read(shard):
    """Some reads return the version before the newest one. Without the defect, the same broker passes."""
    shard.count = 2_000
    with ToyPlace(shard, "none") as place:
        test(shard, place, has_kills=False, is_toy=True)
    catch(shard, "stale-read", ["comes before it in the order of versions", "removed nothing", "can be"])


def control_lost_swap(shard):
    """Some compare-and-sets succeed although another change came first."""
    catch(shard, "lost-swap", ["succeeded, but the version before it"])


def control_take_twice(shard):
    """Some takes leave the content for the next one."""
    catch(shard, "take-twice", ["was taken twice", "comes before it in the order of versions", "a mix", "before it is"])


def control_count_twice(shard):
    """Some changes get the count of the change before them."""
    catch(shard, "count-twice", ["was used twice"])


def control_mix(shard):
    """Some reads mix two versions."""
    catch(shard, "mix", ["a mix"])


def control_lost_set(shard):
    """Some changes are acknowledged, but not made."""
    catch(shard, "lost-set", ["comes before it in the order of versions", "a mix", "version before it", "can be",
                             "nobody wrote"])


def control_missed_watch(shard):
    """Some answers to watchers leave out one of several changed pasteboards."""
    catch(shard, "missed-watch", ["missed"])


def control_missed_first(shard):
    """The first answer to each watcher leaves out one of several pasteboards that exist."""
    catch(shard, "missed-first", ["missed the pasteboard"])


def control_acknowledge_before_commit(shard):
    """The debug broker answers before the commit, and is killed."""
    with Place(shard, programs=shard.debug,
               environment=dict(SWIFT_IPC_TEST_CONTROL="acknowledge-before-commit")) as place:
        test(shard, place, has_kills=True)
