"""Decides whether what clients saw of versioned pasteboards is linearizable.

A pasteboard is a register with versions. Linearizability is local (Herlihy and Wing, 1990), so each pasteboard is
judged alone. In general the question is a search over all orders (Wing and Gong, 1993; Lowe, 2017). Here the search
disappears, because every change returns a change count that is used once: if the history is linearizable at all, the
order of the changes is that of their counts, and a read belongs directly behind the version that it names. What is
left is to ask (1) whether this order obeys the rules of a register: a compare-and-set follows directly on the version
that it expected, an addition contains what was there before, a read returns the content of its version, and a version
is taken once; and (2) whether each operation can take effect at one point between its call and its answer, such that
the points are in this order. For (2), each operation takes effect as early as possible: after the points before it and
after its call. If that is later than its answer, no other choice helps, since every other choice is later.

Two changes return no count of their own. A take directly follows the version that it returned. A removal can be
between any two versions, unless the second shows that there was none (a compare-and-set, or an addition that kept the
content). So the search of Wing and Gong is carried out for removals: for each set of removals that were placed, it
keeps the earliest time at which the order so far can be complete.

An answer that names no version ("there is no such pasteboard") is judged alone: there must be a gap that can hold a
removal, and that can be open during the call. This is necessary, but not sufficient. All other rules are exact.

An answer to a watcher states how all pasteboards that it watches were at one change count: those listed had the listed
version, and the others were as the watcher knew them. One that asks from 0 on knows nothing, and is told of all that
exist, so those left out were absent.

All counts come from one counter. So the changes of all pasteboards together must also be in the order of their counts.
"""

import bisect
import dataclasses
import math

from campaign.shard import Broken

# What a call did. The first three make a version.
SET, SWAP, ADD, TAKE, GET, REMOVE, WATCH = "set", "compare-and-set", "add", "take", "get", "remove", "watch"
MAKERS = (SET, SWAP, ADD)
OK, MISMATCH, ABSENT, UNKNOWN = "ok", "mismatch", "absent", "unknown"


@dataclasses.dataclass(slots=True)
class Operation:
    """A call, and its answer. `begin` and `end` are times in ns; `count` is the version that the answer names. If it
    says that the pasteboard was absent, `count` is the change count at which it was, if that is known."""
    client: int
    number: int
    kind: str
    board: str
    token: str | None = None
    expected: int | None = None
    begin: int = 0
    end: float = math.inf
    state: str = UNKNOWN
    count: int | None = None
    items: list | None = None
    id: str | None = None

    def __str__(self):
        text = f"{self.kind} {self.number} of client {self.client} on {self.board}"
        if self.expected is not None:
            text += f" (expected {self.expected})"
        return text + f" ({self.state}, version {self.count}, {self.begin}–{self.end})"


@dataclasses.dataclass(slots=True)
class Entry:
    """A change in the order of the versions. No removal is directly before it if `follows`; there is one if `parts`."""
    change: Operation
    count: int | None
    reads: list = dataclasses.field(default_factory=list)
    follows: bool = False
    parts: bool = False

    @property
    def is_empty(self):
        return self.change.kind == TAKE

    def latest(self):
        return min([self.change.end] + [read.end for read in self.reads])


def check(operations, watches=()):
    """Raises `Broken` if no order of the operations explains the answers.
    - operations: the calls to single pasteboards.
    - watches: the answers of WaitForChange, see `Watch`."""
    check_counts([each for each in operations if each.kind in MAKERS and each.state == OK])
    boards = {}
    for each in operations:
        boards.setdefault(each.board, []).append(each)
    for watch in watches:
        for board, count in watch.stated.items():
            boards.setdefault(board, []).append(watch.saw(board, count))
    histories = {name: History(name, own) for name, own in boards.items()}
    for history in histories.values():
        history.put_in_order()
        history.place_reads()
    for watch in watches:
        watch.check(histories)
    for history in histories.values():
        history.check()
    return histories


def check_counts(makers):
    """Each count is used once, and all changes are in the order of their counts."""
    makers.sort(key=lambda each: each.count)
    begun = None
    for before, each in zip([None, *makers], makers):
        if before and before.count == each.count:
            raise Broken(f"the change count {each.count} was used twice: by {before} and by {each}")
        if begun and each.end < begun.begin:
            raise Broken(f"{each} was answered before {begun} began, but has the higher count")
        if not begun or each.begin > begun.begin:
            begun = each


class History:
    """Everything that was done to one pasteboard."""

    def __init__(self, name, operations):
        self.name = name
        self.operations = operations
        self.entries, self.by_count, self.counts = [], {}, []
        self.removals = [each for each in operations if each.kind == REMOVE and each.state in (OK, UNKNOWN)]

    def check(self):
        for place in range(len(self.entries)):
            self.check_change(place)
        for place, entry in enumerate(self.entries):
            for read in entry.reads + [entry.change]:
                if read.items is not None and read.kind not in MAKERS:
                    self.check_content(place, entry, read)
        self.check_times()
        self.check_absences()

    # The order

    def put_in_order(self):
        taken = {}
        for each in self.operations:
            if each.kind == TAKE and each.state == OK and each.items:
                if each.count in taken:
                    raise Broken(f"version {each.count} was taken twice: by {taken[each.count]} and by {each}")
                taken[each.count] = each
        makers = [each for each in self.operations if each.kind in MAKERS and each.state == OK]
        for each in sorted(makers, key=lambda each: each.count):
            self.by_count[each.count] = len(self.entries)
            self.counts.append(each.count)
            self.entries.append(Entry(each, each.count))
            if take := taken.pop(each.count, None):
                self.entries.append(Entry(take, None, follows=True))
        for take in taken.values():
            raise Broken(f"{take} returned a version that nobody wrote")

    def place_of(self, count):
        """The place of the version with a count; `None` if there is none. The count of an empty version that a take
        left is learned from the first answer that names it."""
        if count in self.by_count:
            return self.by_count[count]
        before = bisect.bisect(self.counts, count) - 1
        if before < 0:
            return None
        place = self.by_count[self.counts[before]] + 1
        if place < len(self.entries) and self.entries[place].is_empty and self.entries[place].count is None:
            self.entries[place].count = count
            self.by_count[count] = place
            bisect.insort(self.counts, count)
            return place
        return None

    def place_reads(self):
        for each in self.operations:
            if each.kind not in MAKERS and each.state == OK and each.kind != REMOVE or each.state == MISMATCH:
                self.place_read(each)

    def place_read(self, each):
        if each.kind == TAKE and each.items:
            return
        place = self.place_of(each.count)
        if place is None:
            raise Broken(f"{each} names a version that nobody wrote")
        if each.state == MISMATCH and each.count == each.expected:
            raise Broken(f"{each} failed, although the pasteboard had the expected version")
        self.entries[place].reads.append(each)

    def check_change(self, place):
        entry, before = self.entries[place], self.entries[place - 1] if place else None
        change = entry.change
        if change.kind != SWAP:
            return
        entry.follows = True
        if self.place_of(change.expected) != place - 1 or not before:
            name = before.change if before else "nothing"
            raise Broken(f"the {change} succeeded, but the version before it is that of {name}")

    def check_content(self, place, entry, read):
        """The items are those of the last set and of all additions since then, or since a removal."""
        if entry.change is read:
            place, entry = place - 1, self.entries[place - 1]
        if entry.is_empty or not read.items:
            if read.items or not entry.is_empty:
                raise Broken(f"{read} returned {read.items}, not the content of its version, by {entry.change}")
            return
        first = place - len(read.items) + 1
        chain = self.entries[max(0, first):place + 1]
        if [each.change.token for each in chain] != read.items or any(each.change.kind != ADD for each in chain[1:]):
            raise Broken(f"{read} returned {read.items}, a mix: its version is that of {entry.change}")
        for each in chain[1:]:
            each.follows = True
        if chain[0].change.kind == ADD and first > 0 and not self.entries[first - 1].is_empty:
            chain[0].parts = True

    # The times

    def check_times(self):
        """The search described above. A configuration is a set of removals, with the earliest time and its reason."""
        ways = {frozenset(): (0, None)}
        for place, entry in enumerate([*self.entries, None]):
            found, late = {}, []
            for placed, (now, reason) in ways.items():
                for chosen, begin in self.choices(place, entry, placed, (now, reason)):
                    if entry:
                        begin = self.after(entry, begin, late)
                    if begin and self.can_wait(chosen, begin[0] if entry else math.inf, late) and (
                            chosen not in found or begin[0] < found[chosen][0]):
                        found[chosen] = begin
            if not found:
                raise Broken(f"no order of the operations on {self.name} explains the answers: " + (
                    late[0] if late else f"a removal must be directly before {entry.change}, and none can be"))
            ways = found

    def choices(self, place, entry, placed, begin):
        if not entry or not entry.parts:
            yield placed, begin
        if place == 0 or entry and entry.follows:
            return
        for number, removal in enumerate(self.removals):
            if number not in placed and begin[0] <= removal.end:
                yield placed | {number}, max(begin, (removal.begin, removal), key=lambda pair: pair[0])

    def after(self, entry, begin, late):
        """The earliest time at which the next change can follow; `None` if this one cannot be in time."""
        change = entry.change
        begin = max(begin, (change.begin, change), key=lambda pair: pair[0])
        for each in (change, *entry.reads):
            if each.end < begin[0]:
                late.append(
                    f"{each} was answered before {begin[1]} began, which comes before it in the order of versions")
                return None
        for read in entry.reads:
            begin = max(begin, (read.begin, read), key=lambda pair: pair[0])
        return begin

    def can_wait(self, placed, now, late):
        for number, removal in enumerate(self.removals):
            if number not in placed and removal.state == OK and removal.end < now:
                late.append(f"{removal} removed nothing that existed")
                return False
        return True

    def gaps(self):
        """Where in the order the pasteboard may have been absent, each with the first and the last time for it."""
        earliest, now = [], 0
        for entry in self.entries:
            now = max(now, entry.change.begin)
            earliest.append(now)
            now = max([now] + [read.begin for read in entry.reads])
        latest, end = math.inf, []
        for entry in reversed(self.entries):
            latest = min(latest, entry.latest())
            end.append(latest)
        first, *later = [*end[::-1], math.inf]
        yield 0, 0, first
        for place, stop in enumerate(later, start=1):
            if place < len(self.entries) and self.entries[place].follows:
                continue
            for removal in self.removals:
                begin = max(earliest[place - 1], removal.begin)
                if begin <= min(removal.end, stop):
                    yield place, begin, stop

    def is_at(self, place, count):
        """Whether exactly the changes before a place have change counts up to the given one."""
        before = [entry.count for entry in self.entries[max(0, place - 2):place] if entry.count]
        after = self.entries[place].count if place < len(self.entries) else math.inf
        return max(before, default=0) <= count < after

    def check_absences(self):
        absent = [each for each in self.operations if each.state == ABSENT]
        gaps = list(self.gaps()) if absent else []
        for each in absent:
            if not any(begin <= each.end and stop >= each.begin and (each.count is None or self.is_at(place, each.count))
                       for place, begin, stop in gaps):
                raise Broken(f"{each} " + (
                    "missed the pasteboard, which existed at that count" if each.kind == WATCH else
                    "did not find the pasteboard, which existed all the time"))


@dataclasses.dataclass(slots=True)
class Watch:
    """One answer of WaitForChange: from which count on, to which count, what it reported, and the version of each
    pasteboard by all that the watcher knows then, 0 if it is absent."""
    watcher: int
    number: int
    names: list
    seen: int
    begin: int
    end: float
    reached: int
    changed: dict
    stated: dict

    def saw(self, board, count):
        """What the answer says about a pasteboard, as an operation on it."""
        each = Operation(self.watcher, self.number, WATCH, board, begin=self.begin, end=self.end)
        # An answer from 0 on that has run out of time names no count.
        each.state, each.count = (OK, count) if count else (ABSENT, self.reached or None)
        return each

    def check(self, histories):
        """Nothing is left out. The next call continues at `reached`, so everything up to there must be reported now;
        and what was there before the call must be reported in any case. Whether a pasteboard that is said to be absent
        can have been so is asked of its history."""
        if self.reached < self.seen:
            raise Broken(f"watcher {self.watcher} was told to continue at {self.reached}, but had seen {self.seen}")
        for name in self.names:
            history, known = histories.get(name), self.stated[name]
            if not history or not known:
                continue
            first = bisect.bisect(history.counts, known)
            for count in history.counts[first:]:
                change = history.entries[history.by_count[count]].change
                if count <= self.reached or change.end < self.begin:
                    raise Broken(
                        f"watcher {self.watcher} missed {change}: its answer {self.number} leads from {self.seen} to "
                        f"{self.reached} and reports only {self.changed}")
