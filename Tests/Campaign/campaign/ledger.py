"""What clients did to pasteboards and claims, and whether a broker that was killed still has it (I1, I2, I10 to I12).

Each ledger makes calls (`next`), and compares what it reads after a restart with what was acknowledged (`check`).
Nothing here knows how the broker stores anything.
"""

import wire
from campaign import values
from campaign.calls import Call, Items, identifier, path_of
from campaign.shard import Broken

# A pasteboard keeps its current version and this many earlier ones.
HISTORY = 100


class Counts:
    """All change counts that were ever seen. A number stands for one pasteboard and one list of items (I11, I12)."""

    def __init__(self):
        self.seen, self.greatest = {}, 0

    def see(self, count, pasteboard, names=None):
        before = self.seen.get(count, (pasteboard, names))
        if before[0] != pasteboard or None not in (before[1], names) and before[1] != names:
            raise Broken(f"I11: change count {count} stands for {before}, and now for {(pasteboard, names)}")
        self.seen[count] = (pasteboard, before[1] if names is None else names)
        self.greatest = max(self.greatest, count)

    def take(self, call, count):
        """Checks the change count of a change that was made after this many were seen."""
        if count <= call.floor:
            raise Broken(f"I11: {call} got change count {count}, but {call.floor} had been used before it began")


class Shared:
    """A persistent pasteboard that several clients change at a time. All versions of a round are kept and compared."""

    # More changes in a round would drop versions that were not compared yet.
    MOST = 90
    KINDS = dict(set=30, compare=15, add=20, take=10, clear=5, get=15)

    def __init__(self, name, counts, sizes):
        self.name, self.counts, self.sizes = name, counts, sizes
        self.known, self.calls, self.writers, self.taken, self.number = [], [], {}, {}, 0
        self.latest = 0

    def create(self, client):
        call = self.change(client, "set", wanted=self.value(client.random))
        client.perform(call)
        reply = client.connection.request(
            wire.BROKER, path_of(self.name), "org.freedesktop.DBus.Properties", "Set", "ssv",
            "org.swiftipc.Pasteboard1", "HistoryLimit", ("u", HISTORY))
        if reply.kind == wire.ERROR:
            raise Broken(f"the history of {self.name} cannot be set: {reply.text}")
        self.done(call)
        self.check(client)

    def value(self, random):
        self.number += 1
        return values.named(self.name, self.number, self.sizes(random))

    # Calls

    def next(self, client):
        """The next call of a client, or nothing if the round has had enough."""
        if len(self.calls) >= self.MOST:
            return None
        kind, = client.random.choices(list(self.KINDS), self.KINDS.values())
        # With one call that empties it at a time, it is known which call made an empty version.
        isemptied = any(call.kind in ("take", "clear") and call.state == "open" for call in self.calls)
        return self.change(client, "set" if isemptied and kind in ("take", "clear") else kind)

    def change(self, client, kind, wanted=None):
        options = {} if kind == "get" else {"id": ("s", identifier(client.random))}
        facts = dict(ledger=self, kind=kind, value=None, expected=None, floor=self.counts.greatest, effect=None)
        if kind == "compare":
            facts["expected"] = self.latest
            options["if-change-count"] = ("t", facts["expected"])
        if kind in ("set", "compare", "add"):
            facts["value"] = wanted or self.value(client.random)
            options |= {"create": ("b", True)}
            arguments = ("AddItems" if kind == "add" else "SetItems", "aa(sv)a{sv}", Items([facts["value"]]), options)
        elif kind == "clear":
            arguments = ("Clear", "a{sv}", options)
        else:
            options |= {"fd": ("b", True)} | ({"take": ("b", True)} if kind == "take" else {})
            arguments = ("GetItems", "a{sv}", options)
        call = Call("Pasteboard1", *arguments, path=path_of(self.name),
                    refusals=("ChangeCountMismatch",) if kind == "compare" else (), **facts)
        if call.value:
            self.writers[call.value] = call
        self.calls.append(call)
        return call

    def done(self, call):
        """Notes the answer to a call."""
        if call.state != "done":
            return
        call.count = self.count_in(call)
        self.latest = max(self.latest, call.count)
        if call.kind in ("get", "take"):
            call.names = values.names_in(call.reply, call.reply.values[1])
            self.counts.see(call.count, self.name, call.names)
            if call.kind == "take" and call.names:
                taker = self.taken.setdefault(call.count, call)
                if taker is not call:
                    raise Broken(f"I12: {call} and {taker} both took version {call.count} of {self.name}")
        else:
            whole = None if call.kind == "add" else (call.value,) if call.value else ()
            self.counts.see(call.count, self.name, whole)
            if call.effect is None:
                self.counts.take(call, call.count)

    def count_in(self, call):
        """The change count in the answer to a call."""
        return call.reply.values[0]

    # Reading

    def read(self, client):
        """The versions that the broker has, oldest first. The content of known ones is read only for a few."""
        reply = client.ask("Pasteboard1", "ListVersions", "a{sv}", {}, path=path_of(self.name))
        rows = reply.values[0]
        known = dict(self.known)
        again = set(client.random.sample(sorted(known), min(4, len(known)))) | {rows[-1]["change-count"]}
        versions = []
        for row in rows:
            count = row["change-count"]
            names = known.get(count)
            if names is None or count in again:
                names = self.content(client, count)
            if row["size"] != sum(map(values.size, names)) or row["item-count"] != len(names):
                raise Broken(f"I5: version {count} of {self.name} has {names}, but its row is {row}")
            versions.append((count, names))
        return versions

    def content(self, client, count):
        reply = client.ask(
            "Pasteboard1", "GetItems", "a{sv}", {"change-count": ("t", count), "fd": ("b", True)},
            path=path_of(self.name))
        names = values.names_in(reply, reply.values[1])
        wrong = [name for name in names if name not in self.writers]
        if wrong:
            raise Broken(f"I2: version {count} of {self.name} has {wrong[0]}, which no client wrote")
        return names

    # Judging

    def check(self, client):
        """Compares the versions after a restart with the calls, then repeats calls by their id (I10)."""
        self.judge(client, self.read(client))
        repeated = self.repeat(client)
        self.calls = repeated
        self.judge(client, self.read(client))
        self.calls = []

    def judge(self, client, read):
        counts = [count for count, _ in read]
        if counts != sorted(set(counts)):
            raise Broken(f"I11: the versions of {self.name} are not in order: {counts}")
        last = self.known[-1][0] if self.known else 0
        new = [version for version in read if version[0] > last]
        self.explain_empty(read, self.explain(read, last))
        vanished = set(self.taken) | {call.vanished for call in self.calls if getattr(call, "vanished", None)}
        for call in self.calls:
            self.check_acknowledged(call, dict(read), vanished)
        kept = [version for version in self.known if version[0] not in vanished]
        kept = kept[len(kept) - min(len(kept), HISTORY + 1 - len(new)):] if len(new) <= HISTORY else []
        if read[:len(read) - len(new)] != kept:
            lost = [version for version in kept if version not in read]
            more = [version for version in read if version[0] <= last and version not in kept]
            raise Broken(f"I1: {self.name} lost the earlier versions {lost[:3]}, or has {more[:3]} again")
        for count, names in read:
            self.counts.see(count, self.name, names)
        self.known = read

    def explain(self, read, last):
        """Finds the one call behind each new version (I2, I10). Returns the empty versions that none explains."""
        empty = []
        for place, (count, names) in enumerate(read):
            before, items = read[place - 1] if place else (0, ())
            if count <= last:
                continue
            if not names:
                empty.append(count)
                continue
            call = self.writers[names[-1]]
            if call not in self.calls or call.state == "refused":
                raise Broken(f"I2: version {count} of {self.name} is {names}, but {call} is {call.state}")
            if call.effect not in (None, count) or call.state == "done" and call.count != count:
                raise Broken(f"I10: {call} took effect as {count} and as {call.effect or call.count}")
            call.effect = count
            whole = (items if call.kind == "add" else ()) + (call.value,)
            if names != whole:
                raise Broken(f"I2: version {count} of {self.name} is {names} after {items}, but {call} makes {whole}")
            if call.kind == "compare" and before != call.expected:
                raise Broken(f"I12: {call} took effect as {count} after {before}, not after {call.expected}")
        return empty

    def explain_empty(self, read, empty):
        """Finds the clear or the take behind each new empty version."""
        def after(count):
            return min((found for found, _ in read if found > count), default=None)

        for call in self.calls:
            if call.state == "done" and call.kind in ("clear", "take") and (call.kind == "clear" or call.names):
                call.effect = call.count if call.kind == "clear" else after(call.count)
                if call.effect not in empty:
                    raise Broken(f"I1: {call} was acknowledged with {call.count}, but {self.name} has {read[-3:]}")
                empty.remove(call.effect)
        for call in self.calls:
            if call.state == "unknown" and call.kind in ("clear", "take") and empty:
                call.effect = empty.pop(0)
                written = [call.count for call in self.calls if call.state == "done"] + [c for c, _ in self.known]
                gone = [count for count in written if after(count) == call.effect and count not in dict(read)]
                call.vanished = max(gone, default=None) if call.kind == "take" else None
        if empty:
            raise Broken(f"I2: no call made the empty versions {empty} of {self.name}: {read[-3:]}")

    def check_acknowledged(self, call, read, vanished):
        """An acknowledged change, and a version that a client has read, must still be there."""
        if call.state != "done" or call.kind == "take" or call.count in vanished:
            return
        isold = len(read) > HISTORY and call.count < min(read)
        if call.count not in read and not isold:
            raise Broken(f"I1: {call} got change count {call.count}, which {self.name} has lost: "
                         f"its last versions are {list(read.items())[-3:]}")
        if call.kind == "get" and call.count in read and read[call.count] != call.names:
            raise Broken(f"I12: {call} read {call.names} as version {call.count}; it is {read[call.count]}")

    # Repeating

    def repeat(self, client):
        """Repeats the calls without an answer, and some with one. Returns those that took effect only now."""
        lost = [call for call in self.calls if call.state == "unknown" and call.kind != "get"]
        again = [call for call in self.calls if call.state == "done" and call.kind != "get"]
        again = client.random.sample(again, min(2, len(again)))
        late = []
        # The takes come first: what they return explains writes whose version is gone.
        for call in sorted(lost, key=lambda call: call.kind != "take"):
            effect, current = call.effect, max([self.known[-1][0]] + [one.count for one in late])
            client.perform(call)
            self.done(call)
            if call.state == "refused":
                if effect:
                    raise Broken(f"I10: {call} took effect as {effect}, and its repetition failed with {call.error}")
            elif call.kind == "take":
                self.check_repeated_take(call, effect, current)
                if call.names and not effect:
                    late.append(call)
            elif effect and call.count != effect:
                raise Broken(f"I10: {call} took effect as {effect}, and its repetition got {call.count}")
            elif call.count > current:
                late.append(call)
            elif not effect:
                self.check_taken(call)
        for call in again:
            before = call.count, getattr(call, "names", None)
            client.perform(call)
            self.done(call)
            if call.state == "refused":
                raise Broken(f"I10: {call} got {before}, and its repetition failed with {call.error}")
            if (call.count, getattr(call, "names", None)) != before:
                raise Broken(f"I10: {call} got {before}, and its repetition {call.count} {call.__dict__.get('names')}")
        return late

    def check_repeated_take(self, call, effect, current):
        """A repeated take returns what it took the first time, or takes the current version now."""
        if effect and not (call.names and call.count < effect):
            raise Broken(f"I10: {call} had emptied {self.name} as {effect}, and its repetition got {call.count}")
        if effect and call.vanished and call.vanished > call.count:
            raise Broken(f"I12: {call} got version {call.count}, and {call.vanished} is gone as well")
        # A take of an empty version has no effect, and its repetition returns that version.
        if not effect and call.names and call.count < current:
            raise Broken(f"I12: {call} got version {call.count} of {self.name}, but the current one is {current}")

    def check_taken(self, call):
        """A write whose version is not there must have been taken."""
        taker = self.taken.get(call.count)
        if call.kind == "clear" or not taker or taker.names[-1:] != (call.value,):
            raise Broken(f"I10: the repetition of {call} got {call.count}, which {self.name} does not have")


class Single:
    """What one client changes, one call at a time. After a restart, it is as before the last call or as after it."""

    def __init__(self):
        self.state, self.call = None, None

    def next(self, client, **wanted):
        if self.call and self.call.state == "open":
            return None
        self.call = self.change(client, **wanted)
        return self.call

    def done(self, call):
        if call.state == "done":
            self.state = call.after
            self.acknowledged(call)
        self.call = None if call.state in ("done", "refused") else call

    def acknowledged(self, call):
        pass

    def check(self, client):
        found = self.read(client)
        possible = [self.state] + ([self.call.after] if self.call and self.call.state == "unknown" else [])
        if found not in possible:
            raise Broken(f"I1, I2: {self} is {found}, but must be one of {possible}; last call: {self.call}")
        self.state, self.call = found, None


class Fleeting(Single):
    """A persistent pasteboard that is created and removed again and again."""

    def __init__(self, name, counts, sizes):
        super().__init__()
        self.name, self.counts, self.sizes, self.number = name, counts, sizes, 0

    def __str__(self):
        return f"pasteboard {self.name}"

    def change(self, client, isremoval=None):
        facts = dict(ledger=self, name=self.name, floor=self.counts.greatest)
        isremoval = client.random.random() < 0.5 if isremoval is None else isremoval
        if self.state is not None and isremoval:
            return Call("Pasteboards1", "RemovePasteboard", "sa{sv}", self.name, {}, after=None, **facts)
        self.number += 1
        names = [values.named(f"{self.name}-{place}", self.number, self.sizes(client.random)) for place in range(2)]
        return Call("Pasteboard1", "SetItems", "aa(sv)a{sv}", Items(names), {"create": ("b", True)},
                    path=path_of(self.name), after=tuple(names), **facts)

    def acknowledged(self, call):
        if call.after is not None:
            count, = call.reply.values
            self.counts.take(call, count)
            self.counts.see(count, self.name, call.after)

    def read(self, client):
        reply = client.ask("Pasteboard1", "GetItems", "a{sv}", {"fd": ("b", True)}, path=path_of(self.name),
                           refusals=("NoSuchPasteboard",))
        if reply.kind == wire.ERROR:
            return None
        names = values.names_in(reply, reply.values[1])
        self.counts.see(reply.values[0], self.name, names)
        return names


class Claims(Single):
    """The stored claims of one application, and which of them the user chose. The state has the claimed schemes, each
    with whether it is the user's choice, and the choices."""

    def __init__(self, application):
        super().__init__()
        self.application = application
        self.schemes = [f"{application.rsplit('.')[-1]}-{number}" for number in range(6)]
        self.state = (frozenset(), frozenset())

    def __str__(self):
        return f"the set of claims of {self.application}"

    def change(self, client):
        claimed, chosen = self.state
        facts = dict(ledger=self)
        some = sorted(client.random.sample(self.schemes, 3))
        kind = client.random.choice(("claim", "release", "choose") if claimed else ("claim",))
        if kind == "claim":
            return Call("Schemes1", "Register", "sasa{sv}", self.application, some, {"persistent": ("b", True)},
                        after=(claimed | set(some), chosen), **facts)
        if kind == "release":
            return Call("Schemes1", "Unregister", "sasa{sv}", self.application, some, {},
                        after=(claimed - set(some), chosen), **facts)
        scheme = client.random.choice(sorted(claimed))
        return Call("Schemes1", "SetDefault", "ssa{sv}", scheme, "" if scheme in chosen else self.application, {},
                    after=(claimed, chosen ^ {scheme}), **facts)

    def check(self, client):
        rows = client.ask("Schemes1", "ListHandlers", "sa{sv}", "", {}).values[0]
        rows = {scheme: facts for scheme, facts in rows if facts["application"] == self.application}
        found = frozenset(rows), frozenset(scheme for scheme in rows if rows[scheme]["default"])
        possible = [self.state] + ([self.call.after] if self.call and self.call.state == "unknown" else [])
        matching = [state for state in possible if found == (state[0], state[0] & state[1])]
        if not matching or not all(facts["stored"] for facts in rows.values()):
            raise Broken(f"I1, I2: {self} is {found}, but must be one of {possible}; last call: {self.call}")
        self.state, self.call = matching[-1], None
