"""Damages to a store: what is done to its files, and what its broker must then do."""

import dataclasses
import os
import pathlib
import sqlite3
import struct
from typing import Callable

from campaign import preload, stored, written

PAGE = 4_096
# The columns of each table that the checksum covers come first (see Sources/IPCStore/Database/Schema.swift).
DOMAINS = dict(reservation=1, pasteboard=2, version=3, representation=4, removal=5, operation=6, open_request=7,
               scheme_claim=8, scheme_default=9, usage=10, policy=11, live_claim=12)
CHECKSUM = dict(reservation=5, pasteboard=7, version=13, representation=6, removal=2, operation=7, open_request=30,
                scheme_claim=6, scheme_default=4, usage=4, policy=5, live_claim=6)
MARKS = {type(None): 0x6A09E667F3BCC908, int: 0xBB67AE8584CAA73B, str: 0x3C6EF372FE94F82B, bytes: 0xA54FF53A5F1D36F1}


@dataclasses.dataclass
class Damage:
    """One damage.

    - apply: changes the files in a folder.
    - serves: whether the broker must serve (True) or refuse (False); `None`: it may do either.
    - keeps: which content must stay readable: "all", "some" (no promise), or a number of pasteboards that may be lost.
    - unchanged: whether all files must stay as they are.
    - start: more options for the start of the broker, see `Bench.begin`.
    - outside: files outside of the store that must stay as they are.
    - forged: what a row with a valid checksum may change, as keys of `Content.lost`. A store cannot tell such a row from
      a good one, so the broker may show it. `apply` adds the keys.
    - refused: those of these keys that the broker must report as damaged, because it never writes such a value.
    """
    what: str
    apply: Callable[[pathlib.Path], None]
    serves: bool | None = True
    keeps: str | int = "some"
    unchanged: bool = False
    start: dict = dataclasses.field(default_factory=dict)
    outside: Callable[[], None] | None = None
    forged: set = dataclasses.field(default_factory=set)
    refused: set = dataclasses.field(default_factory=set)


# Files

def change(path, position, data):
    with open(path, "r+b") as file:
        file.seek(position)
        file.write(data)


def flip(path, bit):
    with open(path, "r+b") as file:
        file.seek(bit // 8)
        byte = file.read(1)[0]
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))


def pages(path):
    """For each page of a database: the table or index that it belongs to, its kind and its number of cells."""
    # A copy, because looking at the file itself would copy its log into it.
    connection = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    found = {}
    for page, name, kind, cells in connection.execute("SELECT pageno, name, pagetype, ncell FROM dbstat"):
        found[page] = (name, kind, cells)
    connection.close()
    return found


# Structured damages. Each function returns a damage with random places, for a template (see rows/d6.py).

def zero_page(random, template):
    page = random.randrange(template.pages)
    return Damage(f"page {page + 1} of store.sqlite zeroed",
                  lambda store: change(store / "store.sqlite", page * PAGE, bytes(PAGE)))


def random_page(random, template):
    page, data = random.randrange(template.pages), random.randbytes(PAGE)
    return Damage(f"page {page + 1} of store.sqlite filled with random bytes",
                  lambda store: change(store / "store.sqlite", page * PAGE, data))


def swap_pages(random, template):
    one, two = random.sample(range(template.pages), 2)
    data = template.database

    def apply(store):
        change(store / "store.sqlite", one * PAGE, data[two * PAGE:][:PAGE])
        change(store / "store.sqlite", two * PAGE, data[one * PAGE:][:PAGE])
    return Damage(f"pages {one + 1} and {two + 1} of store.sqlite swapped", apply)


def copied_page(random, template):
    one, two = random.sample(range(template.pages), 2)
    return Damage(f"page {one + 1} of store.sqlite copied over page {two + 1}", lambda store: change(
        store / "store.sqlite", two * PAGE, template.database[one * PAGE:][:PAGE]))


def foreign_page(random, template):
    page = random.randrange(1, template.pages)
    from_page = random.randrange(1, len(template.other) // PAGE)
    return Damage(f"page {page + 1} of store.sqlite replaced by page {from_page + 1} of another store",
                  lambda store: change(store / "store.sqlite", page * PAGE, template.other[from_page * PAGE:][:PAGE]))


def header_byte(random, template):
    place, value = random.randrange(100), random.randrange(256)
    return Damage(f"byte {place} of the header of store.sqlite set to {value}",
                  lambda store: change(store / "store.sqlite", place, bytes([value])), serves=None)


def truncated(random, template):
    size = template.pages * PAGE
    end = random.choice([0, 1, 16, 99, 100, 4_095, 4_096, 4_097, size - 1, size - PAGE, size - PAGE - 1,
                         random.randrange(size), random.randrange(template.pages) * PAGE])
    return Damage(f"store.sqlite cut to {end} bytes", lambda store: os.truncate(store / "store.sqlite", end))


def extended(random, template):
    data = random.choice([bytes(1), bytes(PAGE), random.randbytes(100_000), bytes(10 << 20)])

    def apply(store):
        with open(store / "store.sqlite", "ab") as file:
            file.write(data)
    return Damage(f"{len(data)} bytes appended to store.sqlite", apply, keeps="all")


def foreign_file(random, template):
    kind, data = random.choice([
        ("a text", b"Dear diary,\n" * 500), ("zeros", bytes(50_000)), ("random bytes", random.randbytes(60_000)),
        ("a program", pathlib.Path("/bin/true").read_bytes()), ("a short text", b"x"),
        ("the magic words and zeros", b"SQLite format 3\0" + bytes(5_000)),
        ("the header without the rest", template.database[:100])])

    def apply(store):
        (store / "store.sqlite-wal").unlink(missing_ok=True)
        (store / "store.sqlite").write_bytes(data)
    return Damage(f"store.sqlite replaced by {kind}", apply, serves=None)


def other_program(random, template):
    mark, version, rows = random.choice([(0x12345678, 0, 5), (0x12345678, 7, 0), (0, 0, 40), (0, 3, 1), (0, 0, 1)])
    mode = random.choice(["delete", "wal"])

    def apply(store):
        for path in ("store.sqlite", "store.sqlite-wal"):
            (store / path).unlink(missing_ok=True)
        database = sqlite3.connect(store / "store.sqlite")
        database.execute(f"PRAGMA journal_mode={mode}")
        database.execute("CREATE TABLE notes (text TEXT)")
        database.executemany("INSERT INTO notes VALUES (?)", [("note " * 50,)] * rows)
        database.execute(f"PRAGMA application_id={mark}")
        database.execute(f"PRAGMA user_version={version}")
        database.commit()
        database.close()
    return Damage(f"store.sqlite of another program (application id {mark:#x}, version {version}, {mode})", apply,
                  serves=False, unchanged=True)


def newer(random, template):
    version = random.choice([3, 4, 1_000, 1 << 31 - 1, 0x7FFFFFFF, 0xFFFFFFFF])
    return Damage(f"the version {version} of a newer broker", lambda store: change(
        store / "store.sqlite", 60, struct.pack(">I", version)), serves=False, unchanged=True)


def newer_in_log(random, template):
    version = random.choice([3, 500])

    def apply(store):
        # A connection that ends without a checkpoint leaves the version in the log alone.
        script = ("import os, sqlite3, sys; database = sqlite3.connect(sys.argv[1]); "
                  "database.execute('PRAGMA wal_autocheckpoint=0'); "
                  f"database.execute('PRAGMA user_version={version}'); "
                  "database.commit(); os._exit(0)")
        os.spawnlp(os.P_WAIT, "python3", "python3", "-c", script, str(store / "store.sqlite"))
        (store / "store.sqlite-shm").unlink(missing_ok=True)
    return Damage(f"the version {version} of a newer broker, only in the log", apply, serves=False, unchanged=True)


def older(random, template):
    return Damage("version 0 of a store with content", lambda store: change(
        store / "store.sqlite", 60, bytes(4)), serves=None)


# The log

def log_cut(random, template):
    size = len(template.log)
    end = random.choice([0, 1, 31, 32, 33, size - 1, 32 + (PAGE + 24) * random.randrange(size // (PAGE + 24)),
                         random.randrange(size)])
    return Damage(f"store.sqlite-wal cut to {end} bytes", lambda store: os.truncate(store / "store.sqlite-wal", end))


def log_frames(random, template):
    frames = (len(template.log) - 32) // (PAGE + 24)
    one, two = random.randrange(frames), random.randrange(frames)
    size = PAGE + 24
    part = random.choice([bytes(size), random.randbytes(size), template.log[32 + two * size:][:size]])
    return Damage(f"frame {one} of store.sqlite-wal replaced", lambda store: change(
        store / "store.sqlite-wal", 32 + one * size, part))


def log_header(random, template):
    place, data = random.randrange(32), random.randbytes(random.randrange(1, 8))
    return Damage(f"bytes {place} and later of store.sqlite-wal's header changed", lambda store: change(
        store / "store.sqlite-wal", place, data))


def log_missing(random, template):
    return Damage("no store.sqlite-wal", lambda store: (store / "store.sqlite-wal").unlink())


def log_of_another(random, template):
    return Damage("store.sqlite-wal of another store", lambda store: (store / "store.sqlite-wal").write_bytes(
        template.other_log))


def log_without_database(random, template):
    empty = random.choice([False, True])

    def apply(store):
        (store / "store.sqlite").unlink()
        if empty:
            (store / "store.sqlite").write_bytes(b"")
    return Damage(f"store.sqlite {'empty' if empty else 'missing'}, but its log is there", apply)


def nothing_but_blobs(random, template):
    def apply(store):
        for name in ("store.sqlite", "store.sqlite-wal"):
            (store / name).unlink()
    return Damage("the database and its log are missing", apply)


# Links and other kinds of files

def victim(store):
    """A file outside of the store, which a broker must neither read as its own nor change."""
    path = store.parent / f"{store.name} victim"
    path.write_bytes(b"precious " * 1_000)
    return path


NAMES = ["store.sqlite", "store.sqlite-wal", "store.sqlite-journal", "store.sqlite-shm", "lock", "blobs",
         "store.sqlite.replacing", "store.sqlite.salvage", "store.sqlite.salvage-wal"]


def link(random, template):
    name = random.choice(NAMES)
    kind = random.choice(["file", "missing", "database", "folder", "itself"])

    def apply(store):
        remove(store / name)
        target = victim(store)
        if kind == "missing":
            target.unlink()
        elif kind == "database":
            target.write_bytes(template.database)
        elif kind == "folder":
            target.unlink()
            target.mkdir()
            (target / "precious").write_bytes(b"precious")
        (store / name).symlink_to(name if kind == "itself" else target)
        if name.startswith("store.sqlite.salvage"):
            # Only a damaged database is copied.
            change(store / "store.sqlite", 2 * PAGE, bytes(PAGE))
    return Damage(f"{name} is a link ({kind})", apply, serves=None)


def other_kind(random, template):
    name = random.choice(NAMES)
    kind = random.choice(["fifo", "directory", "device", "socket", "full directory"])

    def apply(store):
        remove(store / name)
        if kind == "fifo":
            os.mkfifo(store / name)
        elif "directory" in kind:
            (store / name).mkdir()
            if kind.startswith("full"):
                (store / name / "precious").write_bytes(b"precious")
        else:
            os.mknod(store / name, 0o600 | (0o020000 if kind == "device" else 0o140000), os.makedev(1, 5))
    return Damage(f"{name} is a {kind}", apply, serves=None)


def folder_kind(random, template):
    kind = random.choice(["link to a store", "link to nothing", "file", "fifo", "device"])

    def apply(store):
        moved = store.parent / f"{store.name} moved"
        store.rename(moved)
        if kind.startswith("link"):
            store.symlink_to(moved if "store" in kind else store.parent / "nothing")
        elif kind == "file":
            store.write_bytes(b"precious")
        elif kind == "fifo":
            os.mkfifo(store)
        else:
            os.mknod(store, 0o600 | 0o020000, os.makedev(1, 5))
    return Damage(f"the store's folder is a {kind}", apply, serves=False)


def owner(random, template):
    name = random.choice(["", "store.sqlite", "store.sqlite-wal", "lock", "blobs"])
    return Damage(f"{name or 'the folder'} belongs to another user", lambda store: os.chown(
        existing(store / name), 65_534, 65_534), serves=False)


def mode(random, template):
    name = random.choice(["", "store.sqlite", "store.sqlite-wal", "lock", "blobs"])
    bits = random.choice([0o777, 0o755, 0o666, 0o444, 0, 0o7777])
    return Damage(f"{name or 'the folder'} has the mode {bits:o}", lambda store: os.chmod(
        existing(store / name), bits), serves=None, keeps="all")


def existing(path):
    if not path.exists():
        path.touch(mode=0o600)
    return path


def read_only(random, template):
    command = ["unshare", "--mount", "--", "sh", "-c",
               'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"']
    return Damage("the store's folder is read-only", lambda store: None, serves=False, unchanged=True,
                  start=dict(before=command))


# Unreadable pages

def unreadable(random, template):
    name = random.choice(["store.sqlite", "store.sqlite", "store.sqlite-wal"])
    size = template.pages * PAGE if name == "store.sqlite" else len(template.log)
    start = random.randrange(size) // PAGE * PAGE
    environment = dict(LD_PRELOAD=str(preload.library("eio")), EIO_FILE=f"/{name}", EIO_FROM=str(start),
                       EIO_TO=str(start + PAGE))
    return Damage(f"bytes {start} to {start + PAGE} of {name} cannot be read (EIO)", lambda store: None, serves=None,
                  start=dict(environment=environment))


# Large values

def blob(random, template):
    kind = random.choice(["cut", "extended", "missing", "swapped", "link", "fifo", "directory", "zeros", "owner"])

    def apply(store):
        blobs = sorted((store / "blobs").iterdir())
        path = random.choice(blobs)
        data = path.read_bytes()
        os.chmod(path, 0o600)
        if kind in ("cut", "extended", "zeros"):
            path.write_bytes({"cut": data[:-1], "extended": data + b"x", "zeros": bytes(len(data))}[kind])
        elif kind == "owner":
            os.chown(path, 65_534, 65_534)
        elif kind == "swapped":
            other = random.choice([other for other in blobs if other != path])
            middle = path.with_name("middle")
            path.rename(middle), other.rename(path), middle.rename(other)
        else:
            path.unlink()
            if kind == "link":
                path.symlink_to(victim(store))
            elif kind == "fifo":
                os.mkfifo(path)
            elif kind == "directory":
                path.mkdir()
    return Damage(f"a file of a large value is damaged: {kind}", apply, keeps=2)


# Rows with a valid checksum

ABSURD = [0, 1, -1, -2, 2, 255, 1 << 31, (1 << 32) - 1, 1 << 43, 1 << 53, (1 << 53) + 1, (1 << 62) + 5, (1 << 63) - 1,
          -(1 << 63)]


def crafted(random, template):
    """A row in which one column has an absurd value, with a checksum that matches. Only what the row stands for may be
    wrong or lost. If no caller can state the value, it must be lost."""
    table = random.choice(sorted(set(DOMAINS) - {"usage"}))
    column = random.randrange(CHECKSUM[table])
    pick, forged, refused = random.random(), set(), set()

    def apply(store):
        with Rows(store) as rows:
            columns, found = rows.all(table)
            if not found:
                return
            row = random.choice(found)
            forged.update(rows.keys(table, row))
            new, replaced = rows.replace(table, columns, row, column, absurd(row[column], pick, random))
            forged.update(rows.keys(table, new))
            if replaced and not written.possible(table, new):
                refused.update(rows.keys(table, row))
    return Damage(f"column {column} of a row of {table} has an absurd value", apply, serves=None, keeps="all",
                  forged=forged, refused=refused)


def absurd(value, pick, random):
    """A value of the same type, since the tables are strict, or of none."""
    if isinstance(value, int):
        return random.choice(ABSURD)
    if isinstance(value, str):
        return random.choice(["", "x", "a\0b", "ä" * 300, "z" * 2_000_000, "../../etc/passwd", "-rf",
                              "\r\n\x1b[2J", " "])
    if isinstance(value, bytes):
        return random.choice([b"", b"x", bytes(16), b"\xff" * 16, struct.pack("<Q", 1 << 62) * 3, random.randbytes(800),
                              value[:-1], value + b"\xff" * 8, b"\xff" * 1_000_000])
    return random.choice(ABSURD) if pick < 0.5 else "absurd"


class Rows:
    """The rows of a store, so that one can be changed together with its checksum."""

    def __init__(self, store):
        self.database = sqlite3.connect(store / "store.sqlite")
        self.database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        self.database.execute("PRAGMA ignore_check_constraints=ON")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.database.commit()
        self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.database.close()

    def all(self, table):
        cursor = self.database.execute(f"SELECT * FROM {table}")
        return [name for name, *_ in cursor.description], cursor.fetchall()

    def keys(self, table, row):
        """What a row stands for, as keys of `Content.lost`."""
        if table == "pasteboard":
            return {(row[1], count) for count, in self.database.execute(
                "SELECT change_count FROM version WHERE pasteboard = ?", row[:1])}
        if table in ("version", "representation"):
            content = row[0] if table == "version" else row[0] >> 20
            of = "change_count = ?" if table == "version" else "content = ?"
            return {(name, count) for name, count in self.database.execute(
                "SELECT name, version.change_count FROM version JOIN pasteboard ON pasteboard.id = version.pasteboard "
                f"WHERE version.{of}", (content,))} | {name for name, in self.database.execute(
                    f"SELECT id FROM open_request WHERE payload IN (SELECT change_count FROM version WHERE {of})",
                    (content,))}
        return {"open_request": {row[1]}, "policy": {"policy"}, "scheme_claim": {f"claim {row[2]}", f"default {row[2]}"},
                "scheme_default": {f"default {row[1]}"}}.get(table, set())

    def replace(self, table, columns, row, column, value):
        """Puts a value into a column of a row; returns the new row, and whether SQLite accepted it."""
        new = list(row)
        new[column] = value
        new[CHECKSUM[table]] = checksum(table, new[:CHECKSUM[table]])
        names = ", ".join(f"{name} = ?" for name in columns)
        try:
            self.database.execute(f"UPDATE {table} SET {names} WHERE {columns[0]} = ?", (*new, row[0]))
        except sqlite3.Error:
            return new, False
        return new, True


def checksum(table, columns):
    """The checksum of a row (see Sources/IPCStore/Database/Checksum.swift), as SQLite stores it."""
    value = DOMAINS[table] * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    for column in columns:
        data = b"" if column is None else column
        if isinstance(column, int):
            data = struct.pack("<q", column)
        elif isinstance(column, str):
            data = column.encode("utf-8", "surrogateescape")
        value = stored.hash64(data, value ^ MARKS[type(column)])
    return value - (1 << 64) if value >= 1 << 63 else value


def remove(path):
    if path.is_dir() and not path.is_symlink():
        for inside in path.iterdir():
            inside.unlink()
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


STRUCTURED = [
    zero_page, random_page, swap_pages, copied_page, foreign_page, header_byte, truncated, extended, foreign_file,
    other_program, newer, newer_in_log, older, log_cut, log_frames, log_header, log_missing, log_of_another,
    log_without_database, nothing_but_blobs, link, other_kind, folder_kind, owner, mode, read_only, unreadable, blob,
    crafted, crafted, crafted]
