"""A small broker in Python with pasteboards in memory, which can be given a defect. The controls of P1 run on it.

    toy_broker.py BUS DEFECT

The defects are: none, stale-read, lost-swap, take-twice, count-twice, mix, lost-set, missed-watch, missed-first.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "Hostile")]

import wire  # noqa: E402

EVERY = 7  # A defect shows at every seventh chance.


class Toy:
    def __init__(self, path, defect):
        self.bus, self.defect, self.chances = wire.Connection(path), defect, 0
        self.boards, self.removed, self.before, self.count = {}, {}, {}, 0
        self.waiting = []
        self.bus.request(*wire.BUS, "RequestName", "su", wire.BROKER, 4)

    def shows(self, defect):
        self.chances += self.defect == defect
        return self.defect == defect and self.chances % EVERY == 0

    def serve(self):
        while True:
            # The first calls may have arrived together with the answer of the bus to RequestName.
            calls = [call for call in self.bus.others if call.kind == wire.CALL]
            self.bus.others.clear()
            for call in calls:
                self.answer(call)
            self.bus.receive()
            self.bus.sort()

    def answer(self, call):
        name = call.path.rpartition("/")[2]
        try:
            if call.member == "WaitForChange":
                self.waiting.append(call)
            elif call.member == "RemovePasteboard":
                self.remove(call, call.values[0])
            elif call.member == "GetItems":
                self.get(call, name, call.values[0])
            else:
                self.write(call, name, *call.values)
        except KeyError:
            self.fail(call, "NoSuchPasteboard", "there is none")
        self.wake()

    def fail(self, call, error, text):
        self.bus.message(wire.ERROR, "s", wire.body("s", text), destination=call.sender, reply_serial=call.serial,
                         error=f"org.swiftipc.Error.{error}")

    def next_count(self):
        self.count += not self.shows("count-twice")
        return self.count

    def put(self, name, items):
        count = self.next_count()
        self.before[name] = self.boards.get(name, (count, items))
        self.boards[name] = (count, items)
        self.removed.pop(name, None)
        return count

    def write(self, call, name, items, options):
        now, old = self.boards[name] if name in self.boards or not options.get("create") else (0, [])
        expected = options.get("if-change-count", now)
        if expected != now and not self.shows("lost-swap"):
            return self.fail(call, "ChangeCountMismatch", f"it has {now}, not {expected}")
        if call.member == "SetItems" and self.shows("lost-set"):
            return self.bus.reply(call, "t", self.next_count())
        items = [[(kind, ("s", value)) for kind, value in item] for item in items]
        self.bus.reply(call, "t", self.put(name, (old if call.member == "AddItems" else []) + items))

    def get(self, call, name, options):
        count, items = self.boards[name]
        if options.get("take"):
            if items and not self.shows("take-twice"):
                self.put(name, [])
        elif self.shows("stale-read"):
            count, items = self.before[name]
        elif items and self.shows("mix"):
            items = items[:-1] + self.before[name][1][-1:] + items[-1:]
        self.bus.reply(call, "taa(sv)a{sv}", count, items, {})

    def remove(self, call, name):
        self.boards.pop(name)
        self.removed[name] = self.next_count()
        self.bus.reply(call)

    def wake(self):
        still = []
        for call in self.waiting:
            names, seen, _ = call.values
            changed = {name: count for name, (count, _) in self.boards.items() if name in names and count > seen}
            changed |= {name: 0 for name, count in self.removed.items() if name in names and count > seen > 0}
            if len(changed) > 1 and (self.shows("missed-watch") or self.defect == "missed-first" and not seen):
                changed.pop(min(changed))
            if changed:
                self.bus.reply(call, "ta(st)a{sv}", self.count, list(changed.items()), {})
            else:
                still.append(call)
        self.waiting = still


if __name__ == "__main__":
    Toy(sys.argv[1], sys.argv[2]).serve()
