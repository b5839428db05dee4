"""Faults of file operations in a program that is linked dynamically; see faults.c."""

import collections
import errno
import mmap
import os
import pathlib
import struct
import subprocess

KINDS = ("open", "create", "read", "write", "size", "sync", "rename", "unlink", "mkdir")
WAYS = ("fail", "short", "hide")
# The errors with which each kind of call is made to fail; `short` transfers only half of the bytes.
ERRORS = dict(
    open=("EIO", "EMFILE"), create=("EIO", "ENOSPC", "EDQUOT"), read=("EIO", "short"),
    write=("EIO", "ENOSPC", "EDQUOT", "short"), size=("EIO", "ENOSPC"),
    sync=("EIO", "ENOSPC", "EDQUOT"), rename=("EIO", "ENOSPC"), unlink=("EIO",), mkdir=("EIO", "ENOSPC"))
HEAD = struct.Struct(f"7I {len(KINDS)}I")

# A fault of the `number`-th call of a kind: its error, and whether all later calls of the kind fail too.
Fault = collections.namedtuple("Fault", "kind number error repeats")


class Faults:
    """The fault of one program, which starts with `environment`. Files below `root` are affected."""

    def __init__(self, folder, root):
        folder = pathlib.Path(folder)
        library, state = folder / "faults.so", folder / "faults"
        source = pathlib.Path(__file__).with_suffix(".c")
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        with open(state, "w+b") as file:
            file.truncate(HEAD.size + 4_096)
            self.memory = mmap.mmap(file.fileno(), 0)
        self.environment = dict(LD_PRELOAD=str(library), FAULTS_STATE=str(state), FAULTS_ROOT=str(root))

    def set(self, fault):
        """Sets a fault, and counts the calls from 0 again. `None` stands for no fault."""
        values = [0] * (7 + len(KINDS))
        if fault:
            way = fault.error if fault.error in WAYS else "fail"
            number = getattr(errno, fault.error, 0)
            values[:6] = [1, KINDS.index(fault.kind), fault.number, number, WAYS.index(way), fault.repeats]
        self.memory[:] = bytes(len(self.memory))
        HEAD.pack_into(self.memory, 0, *values)

    def remove(self):
        """Lets all later calls succeed. The counts stay."""
        struct.pack_into("I", self.memory, 0, 0)

    @property
    def fired(self):
        """How many calls the fault has hit."""
        return HEAD.unpack_from(self.memory)[6]

    @property
    def file(self):
        """The name of the file that the first of these calls was for."""
        return os.path.basename(self.memory[HEAD.size:].split(b"\0")[0].decode())

    @property
    def counts(self):
        """How many calls there were, by kind."""
        return dict(zip(KINDS, HEAD.unpack_from(self.memory)[7:]))
