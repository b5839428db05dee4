"""Real file systems on loop devices, which a row cuts off in the middle of a load.

They are mounted in a mount namespace of the shard, so that nothing is left of them when it ends. Their bytes are in
memory.
"""

import ctypes
import fcntl
import os
import pathlib
import shutil
import struct
import subprocess

CLONE_NEWNS = 0x0002_0000
# linux/fs.h: FS_IOC_SHUTDOWN, which ext4 and XFS have, and its flag that leaves the journal unwritten.
SHUTDOWN, WITHOUT_JOURNAL = 0x8004_587D, 2
# Smaller ones are refused by mkfs.
MEBIBYTES = dict(ext4=64, xfs=320, btrfs=160)
# sync_file_range(2): waits before, writes, waits after.
WRITE_RANGE = 7
libc = ctypes.CDLL(None, use_errno=True)


def why_not(kind):
    """Enters a mount namespace; returns the reason why a file system cannot be mounted here, or `None`."""
    if shutil.which(f"mkfs.{kind}", path="/sbin:/usr/sbin:" + os.environ["PATH"]) is None:
        return f"there is no mkfs.{kind}"
    if not pathlib.Path("/dev/loop-control").exists():
        return "there are no loop devices"
    if kind not in pathlib.Path("/proc/filesystems").read_text().split():
        return f"the kernel has no {kind}"
    if libc.unshare(CLONE_NEWNS) != 0:
        return f"no mount namespace: {os.strerror(ctypes.get_errno())}"
    made = subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True, text=True)
    return made.stderr.strip() if made.returncode else None


def command(*words):
    ended = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True,
        env=dict(os.environ, PATH="/sbin:/usr/sbin:" + os.environ["PATH"]))
    if ended.returncode:
        raise RuntimeError(f"{words} ended with {ended.returncode}: {ended.stderr}")


class Disk:
    """A file system at `path`. There are two ways to cut it off:

    - `shutdown`: it writes nothing more, not even its journal. What it has written is on its disk.
    - `power`: it is on a disk with a cache, which is the page cache of another file system. That one is shut down, so
      that everything is lost that was not flushed, except for some ranges that reached the disk by chance.
    """

    def __init__(self, folder, kind, way):
        self.kind, self.way = kind, way
        self.memory, self.below, self.path = (pathlib.Path(folder) / name for name in ("memory", "below", "disk"))
        for path in (self.memory, self.below, self.path):
            path.mkdir(parents=True)
        command("mount", "-t", "tmpfs", "none", self.memory)
        size = MEBIBYTES[kind]
        self.file = self.memory / "file"
        if way == "power":
            self.create(self.file, size + 48)
            command("mkfs.ext4", "-q", self.file)
            command("mount", "-o", "loop", self.file, self.below)
            self.file, self.outer = self.below / "file", self.file
        self.create(self.file, size)
        command(f"mkfs.{kind}", "-q", "-F" if kind == "ext4" else "-f", self.file)
        command("mount", "-o", "loop", self.file, self.path)

    def create(self, path, mebibytes):
        # All blocks are allocated now, so that the file system below has nothing to write but their content.
        with open(path, "wb") as file:
            for _ in range(mebibytes):
                file.write(bytes(1 << 20))
            file.flush()
            os.fsync(file.fileno())

    def cut(self, random):
        """Cuts the file system off, at this moment."""
        place = self.path
        if self.way == "power":
            place = self.below
            self.write_some(random)
        descriptor = os.open(place, os.O_RDONLY)
        fcntl.ioctl(descriptor, SHUTDOWN, struct.pack("I", WITHOUT_JOURNAL))
        os.close(descriptor)

    def write_some(self, random):
        """Lets some ranges of the disk's cache reach the disk, as a disk does in its own order."""
        size = MEBIBYTES[self.kind] << 20
        descriptor = os.open(self.file, os.O_RDWR)
        for _ in range(random.choice([0, 0, 5, 50])):
            start, length = random.randrange(size >> 12) << 12, random.choice([4_096, 65_536, 1 << 20])
            libc.sync_file_range(descriptor, ctypes.c_int64(start), ctypes.c_int64(length), WRITE_RANGE)
        os.close(descriptor)

    def restore(self):
        """Mounts the file system again, as after the start of a machine: the kernel replays the journals."""
        command("umount", self.path)
        if self.way == "power":
            command("umount", self.below)
            command("mount", "-o", "loop", self.outer, self.below)
        command("mount", "-o", "loop", self.file, self.path)

    def close(self):
        for path in (self.path, self.below, self.memory):
            subprocess.run(["umount", "-l", path], capture_output=True)
