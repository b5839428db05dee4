"""Damaged stores never return damaged data as good, crash no broker, and are never deleted.

Structured damages (pages, truncation, logs, other files, links, rights, crafted rows, unreadable sectors) and single
flipped bits in the database, its log and the files of large values. After each, a broker starts on the store; every
value is read, every request is delivered, and all of it is compared with what was written.
"""

import contextlib
import copy
import os
import random
import shutil

import wire
from campaign import damage, stored
from campaign.bench import Bench, remove, tree
from campaign.shard import Broken

# After these damages, the newest change counts are nowhere in the store: those of the log, and an empty database, which
# is a new store (I11, limits).
FORGETS_COUNTS = ("wal", "log", "store.sqlite cut to 0 bytes")
INVARIANTS = (5, 11, 23, 25)
UNIT = "damages"
SIZES = dict(small=12, full=2_300)
SHARD = 300
BUSES = False
# Of these many damages, the others are flipped bits.
STRUCTURED = 300 / 2_300


class Template:
    """A filled store: `clean` after a clean stop, or with the content partly in the log after a kill."""

    def __init__(self, bench, random, folder, stops):
        self.store = folder
        run = bench.begin(folder)
        connection = bench.connect()
        self.content = stored.fill(connection, random)
        run.stop()
        if not stops:
            run = bench.begin(folder)
            for number in range(6):
                self.content.set(connection, f"late {number}", [[(stored.TEXT, f"late {number} " + "x" * 3_000)]])
            run.kill()
        self.map = damage.pages(folder / "store.sqlite")
        self.database = (folder / "store.sqlite").read_bytes()
        self.log = (folder / "store.sqlite-wal").read_bytes() if not stops else b""
        self.pages = len(self.database) // damage.PAGE
        connection.close()


def templates(bench, random):
    """The stores that are damaged: stopped and killed. Both know the files of a third one, with other content."""
    found = {name: Template(bench, random, bench.folder / name, name != "killed")
             for name in ("stopped", "killed", "other")}
    with bench_of_other(bench, found["other"]) as (database, log):
        for template in found.values():
            template.other, template.other_log = database, log
    return found


@contextlib.contextmanager
def bench_of_other(bench, template):
    """The files of another store, of which part is in the log."""
    run = bench.begin(template.store)
    connection = bench.connect()
    template.content.set(connection, "of the other store", [[(stored.TEXT, "other " * 2_000)]])
    run.kill()
    connection.close()
    yield (template.store / "store.sqlite").read_bytes(), (template.store / "store.sqlite-wal").read_bytes()


def run(shard):
    with Bench(shard) as bench:
        found = templates(bench, shard.random)
        structured = max(1, round(shard.count * shard.pick(0.75, STRUCTURED)))
        kinds = random.Random(shard.seed).sample(damage.STRUCTURED, len(damage.STRUCTURED))
        for number in range(shard.count):
            if number < structured:
                # All shards together go through the kinds in turn.
                make = kinds[(shard.number * structured + number) % len(kinds)]
                name = "killed" if make.__name__.startswith(("log_", "nothing", "unreadable")) else shard.random.choice(
                    ["stopped", "stopped", "killed"])
                if make.__name__.startswith(("newer", "crafted", "older")):
                    name = "stopped"
                case = make(shard.random, found[name])
            else:
                name, case = flipped(shard.random, found)
            with Case(shard, bench, found[name], case, number) as tried:
                tried.examine()
            shard.done()


def flipped(random, found):
    """One flipped bit in the database (70 %), its log or a file of a large value."""
    pick = random.random()
    if pick < 0.7:
        template = found["stopped"]
        bit = random.randrange(len(template.database) * 8)
        name, kind, cells = template.map.get(bit // 8 // damage.PAGE + 1, ("free", "free", 0))
        what = f"bit {bit} of store.sqlite flipped ({kind} page of {name}, {cells} cells)"
        # A bit of the first 100 bytes may make the file look like another program's, or a newer broker's.
        return "stopped", damage.Damage(
            what, lambda store: damage.flip(store / "store.sqlite", bit), serves=None if bit < 800 else True,
            keeps=most_lost(name, kind, cells))
    if pick < 0.85:
        bit = random.randrange(len(found["killed"].log) * 8)
        return "killed", damage.Damage(
            f"bit {bit} of store.sqlite-wal flipped", lambda store: damage.flip(store / "store.sqlite-wal", bit))
    blobs = sorted((found["stopped"].store / "blobs").iterdir())
    path = random.choice(blobs)
    bit = random.randrange(path.stat().st_size * 8)

    def apply(store):
        os.chmod(store / "blobs" / path.name, 0o600)
        damage.flip(store / "blobs" / path.name, bit)
    return "stopped", damage.Damage(f"bit {bit} of blobs/{path.name} flipped", apply, keeps=1)


def most_lost(name, kind, cells):
    """How many pasteboards one damaged page may cost: those with rows in it, or what is below an inner page."""
    table = name.removeprefix("sqlite_autoindex_").rsplit("_1", 1)[0]
    if table not in ("pasteboard", "version", "representation"):
        return 0
    return {"leaf": cells, "overflow": 1, "internal": 1_000}.get(kind, 0) if name == table else 0


class Case:
    """One damaged store."""

    def __init__(self, shard, bench, template, case, number):
        self.shard, self.bench, self.template, self.case = shard, bench, template, case
        self.content, self.store = copy.copy(template.content), bench.folder / f"case {number}"
        self.content.forged = case.forged
        # A library can only be loaded into the programs of the debug build.
        self.start = {} if "environment" not in case.start else dict(programs=shard.debug)

    def __enter__(self):
        shutil.copytree(self.template.store, self.store)
        (self.store / "lock").unlink()
        self.case.apply(self.store)
        self.before = tree(self.bench.folder)
        return self

    def __exit__(self, *_):
        self.bench.clear(self.store)
        for path in self.bench.folder.glob(f"{self.store.name}*"):
            remove(path)

    def examine(self):
        """Raises `Broken`, with the damage and the place of the copy, if a promise does not hold."""
        try:
            self.check()
        except Broken as error:
            raise Broken(f"after “{self.case.what}”, {error}") from None
        except (wire.Gone, TimeoutError) as error:
            raise Broken(f"after “{self.case.what}”, the broker or the bus hangs: {error!r}") from None

    def begin(self):
        start = dict(self.case.start)
        before = start.pop("before", None)
        return self.bench.begin(self.store, *([*before, self.store] if before else []), **start, **self.start)

    def check(self):
        lost = self.read_until_quiet()
        if lost is None:
            self.shard.expect(self.case.serves is not True, "the broker does not serve: " + self.sentence)
            self.shard.add(refused=1)
        else:
            self.shard.expect(self.case.serves is not False, "the broker serves")
            self.shard.add(served=1, reported_lost=len(lost), intact=len(self.content.versions) - len(
                [key for key in lost if isinstance(key, tuple)]))
            self.check_lost(lost)
        self.check_files(refused=lost is None)

    def read_until_quiet(self):
        """Starts brokers until one stays; returns what it reports as lost, or `None` if each ends by itself."""
        for _ in range(3):
            run = self.begin()
            if run.serves:
                try:
                    lost = self.read(run)
                except (stored.Ended, wire.Gone):
                    run.wait()
            if not run.serves:
                # Reading, or the start, has found damage to the structure. The next start moves the file aside.
                self.sentence = run.refusal()
                self.shard.add(ends=1)
                continue
            if run.stop() not in (0, 74):
                raise Broken(f"the broker ended with {run.process.returncode}: {run.text[-1_000:]}")
            return lost
        return None

    def read(self, run):
        connection = self.bench.connect()
        with contextlib.closing(connection):
            lost = self.content.lost(connection)
            for board in [board for board, counts in self.content.boards.items() if (board, counts[-1]) in lost]:
                self.check_repair(connection, board)
            count = stored.Content().set(connection, "after the damage", [[(stored.TEXT, "new")]])
            if count <= self.content.newest and not any(word in self.case.what for word in FORGETS_COUNTS):
                raise Broken(f"the change count {count} is used again; {self.content.newest} was given before")
            lost |= self.content.deliver(self.bench)
            # What was done with a forged row has not changed anything else.
            return lost | (self.content.lost(connection) if self.case.forged else set())

    @staticmethod
    def check_repair(connection, board):
        """A lost pasteboard can be written again."""
        new = stored.Content()
        try:
            count = new.set(connection, board, [[(stored.TEXT, "repaired")]])
            right = new.is_there(connection, board, count)
        except Broken as error:
            raise Broken(f"the damaged pasteboard {board!r} cannot be replaced: {error}") from None
        if not right:
            raise Broken(f"the damaged pasteboard {board!r} cannot be read after it was replaced")

    def check_lost(self, lost):
        if self.case.refused - lost:
            raise Broken(f"an impossible value is accepted in {sorted(map(str, self.case.refused - lost))}")
        lost = lost - self.case.forged
        boards = {key[0] for key in lost if isinstance(key, tuple)}
        if self.case.keeps == "all" and lost:
            raise Broken(f"what is not damaged is lost: {sorted(map(str, lost))[:5]}")
        if isinstance(self.case.keeps, int) and len(boards) > self.case.keeps:
            raise Broken(f"{len(boards)} pasteboards are lost, more than {self.case.keeps}: {sorted(boards)[:8]}")

    def check_files(self, refused):
        """Nothing outside of the store has changed, and no byte of the damaged store is deleted."""
        after = tree(self.bench.folder)
        name = self.store.name
        for path, found in self.before.items():
            if not path.startswith(name) or path.startswith((f"{name} victim", f"{name} moved/")):
                inside = path.startswith(tuple(f"{other}/" for other in ("run", "data", "home", "config")))
                if after.get(path) != found and not inside and path.startswith(name):
                    raise Broken(f"the file {path} outside of the store has changed")
        for path in (f"{name} victim", f"{name} moved"):
            if path in after and path not in self.before:
                raise Broken(f"the broker created {path} outside of the store")
        if self.case.unchanged:
            self.check_unchanged(after)
        self.check_kept(after, refused)

    def check_unchanged(self, after):
        for path, found in self.before.items():
            if path.startswith(f"{self.store.name}/") and after.get(path) != found:
                raise Broken(f"the file {path} has changed, although the broker must leave it")
        new = {path for path in set(after) - set(self.before) if path.startswith(f"{self.store.name}/")}
        if new - {f"{self.store.name}/lock", f"{self.store.name}/blobs"}:
            raise Broken(f"the broker wrote {sorted(new)} beside a store that it must leave unchanged")

    def check_kept(self, after, refused):
        """The damaged database is where it was, or beside it under another name; so is every large value."""
        prefix = f"{self.store.name}/"
        moved = [path for path in after if path.startswith(f"{prefix}store.sqlite.damaged-") and "-blobs" not in path]
        kind, data = self.before.get(f"{prefix}store.sqlite", (None, None))
        if refused and kind and after.get(f"{prefix}store.sqlite", (None, None))[0] != kind:
            raise Broken("store.sqlite is gone, although the broker refused to start")
        if kind == "file" and moved and data:
            kept = [after[path][1] for path in moved if not path.endswith("-wal")]
            if not any(is_like(data, other) for other in kept):
                raise Broken("the damaged database was not kept as it was")
        blobs = [found for path, found in self.before.items() if path.startswith(f"{prefix}blobs/")]
        left = [found for path, found in after.items() if path.startswith(prefix)]
        for found in blobs:
            # A forged row may disown its file. Those of all other values have been read after everything else.
            if found[0] == "file" and found not in left and not self.case.forged:
                raise Broken("the file of a large value was deleted")


def is_like(data, kept):
    """Whether a file is the damaged database: the same, or with some pages that were written before the damage was
    found."""
    same = sum(data[place:place + damage.PAGE] == kept[place:place + damage.PAGE]
               for place in range(0, len(data), damage.PAGE))
    return data == kept or same * damage.PAGE * 2 > len(data)


# Controls

def control_recomputed_checksum(shard):
    """A value is changed together with its digest and its checksum, as no accident would."""
    with Bench(shard) as bench:
        found = templates(bench, shard.random)

        def apply(store):
            with damage.Rows(store) as rows:
                columns, all_rows = rows.all("representation")
                row = next(row for row in all_rows if row[2] == 0)
                value = b"forged" + row[7][6:]
                new, _ = rows.replace("representation", columns, row, 5, stored.hash128(value))
                rows.replace("representation", columns, new, 7, value)
        case = damage.Damage("a value with a recomputed checksum", apply)
        with Case(shard, bench, found["stopped"], case, 0) as tried:
            tried.examine()


def control_possible_value(shard):
    """A value that callers can state is taken for one that they cannot."""
    with Bench(shard) as bench:
        found, refused = templates(bench, shard.random), set()

        def apply(store):
            with damage.Rows(store) as rows:
                columns, all_rows = rows.all("open_request")
                rows.replace("open_request", columns, all_rows[0], columns.index("url"), "campaign:other")
                refused.update(rows.keys("open_request", all_rows[0]))
        case = damage.Damage("another URL", apply, forged=refused, refused=refused)
        with shard.finds("an impossible value is accepted"), Case(shard, bench, found["stopped"], case, 0) as tried:
            tried.examine()


def control_deleted_original(shard):
    """After the broker has moved the damaged database aside, someone deletes it."""
    with Bench(shard) as bench:
        found = templates(bench, shard.random)

        class Deleted(Case):
            def check_files(self, refused):
                for path in self.store.glob("store.sqlite.damaged-*"):
                    if path.is_file():
                        path.write_bytes(b"")
                super().check_files(refused)
        case = damage.Damage("the first page filled with zeros", lambda store: damage.change(
            store / "store.sqlite", 0, bytes(4_096)))
        with Deleted(shard, bench, found["stopped"], case, 0) as tried:
            tried.examine()


def control_ignored_version(shard):
    """The check of a newer store is removed: the version is set back before the broker starts."""
    with Bench(shard) as bench:
        found = templates(bench, shard.random)
        case = damage.newer(shard.random, found["stopped"])

        class Ignoring(Case):
            def begin(self):
                damage.change(self.store / "store.sqlite", 60, (1).to_bytes(4, "big"))
                return super().begin()
        with Ignoring(shard, bench, found["stopped"], case, 0) as tried:
            tried.examine()
