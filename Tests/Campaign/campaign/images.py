"""Images of a store's folder as a power failure can leave it, from a trace of the broker's system calls.

The model is the one that POSIX promises, and no more. A write is durable after an fsync or fdatasync of its file that
began after the write. A new, renamed or removed name is durable after an fsync of its directory. Whatever is not
durable may be on the disk or not, in any order, and a write in units of 512 or 4,096 bytes.
"""

import os
import pathlib
import re

import wire

CALLS = (
    "open,openat,creat,close,dup,dup2,dup3,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,"
    "symlink,symlinkat,write,writev,pwrite64,pwritev,pwritev2,truncate,ftruncate,fallocate,copy_file_range,sendfile,"
    "splice,mmap,fsync,fdatasync,sync,syncfs,sendmsg,sendto")
STRACE = ["strace", "-f", "-y", "-xx", "-s", "16777216", "-e", f"trace={CALLS}"]
LINE = re.compile(r"\d+ +(?:<\.\.\. \w+ resumed>|(\w+)\()(.*)$", re.S)
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
FILE = re.compile(r"(\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)>")
RESULT = re.compile(r"\) += (-?\d+|\?)(?:<[^>]*>)?(?:\(deleted\))?(?: \w+ \(.*\))?$")


def unquoted(text):
    return bytes.fromhex(text.replace("\\x", ""))


class Node:
    """A file or a directory, with the changes to it in their order."""

    def __init__(self, is_folder):
        self.is_folder, self.changes, self.syncs = is_folder, [], []


class Change:
    """A change of a file (`write`, `size`) or a directory (`put`, `drop`). It began and ended at lines of the trace."""

    def __init__(self, kind, begin, end, *arguments):
        self.kind, self.begin, self.end, self.arguments = kind, begin, end, arguments
        self.durable = float("inf")


class Trace:
    """What the trace of a broker says about the files below `root`, and about the answers on the bus.

    `answers` has the line at which the answer to a call began to leave, by the name of the caller and the serial number
    of the call. `deliveries` has such lines for each attempt of a request: (line, id, attempt).
    """

    def __init__(self, path, root, ignores_folder_syncs=False):
        self.root, self.ignores_folder_syncs = str(root), ignores_folder_syncs
        self.top = Node(is_folder=True)
        self.live = {self.root: self.top}
        self.nodes, self.files = [self.top], {}
        self.answers, self.deliveries, self.lines, self.streams = {}, [], 0, {}
        begun = {}
        for line in open(path, errors="surrogateescape"):
            self.take(line.rstrip("\n"), begun)
            self.lines += 1
        for node in self.nodes:
            for change in node.changes:
                change.durable = min((end for begin, end in node.syncs if begin > change.end), default=float("inf"))
        self.instants = sorted({
            line for node in self.nodes for change in node.changes for line in (change.begin, change.end)})

    def take(self, line, begun):
        """Takes a line: a whole call, its beginning, or its end."""
        match = LINE.match(line)
        if not match:
            return
        thread, (name, rest) = line.split(" ", 1)[0], match.groups()
        begin = self.lines
        if name == "close":
            # The number is free as soon as the call begins.
            self.files.pop(int(rest.partition("<")[0].partition(")")[0]), None)
        if rest.endswith("<unfinished ...>"):
            begun[thread] = (name, rest.removesuffix("<unfinished ...>").rstrip(), begin)
            return
        if name is None:
            name, first, begin = begun.pop(thread)
            rest = first + rest
        result = RESULT.search(rest)
        if name in ("sendmsg", "sendto"):
            self.sent(rest, begin, int(result[1]))
        elif result and result[1] not in ("?", "-1"):
            self.carried_out(name, rest, begin, int(result[1]))

    # Files

    def path(self, folder, name):
        """The path of a name below an open directory."""
        return os.path.normpath(os.path.join(unquoted(folder).decode(), unquoted(name).decode()))

    def is_ours(self, path):
        return path == self.root or path.startswith(self.root + "/")

    def carried_out(self, name, rest, begin, result):
        """Notes what a successful call changed."""
        strings, files = STRING.findall(rest), FILE.findall(rest)
        if name in ("open", "openat", "creat"):
            self.opened(self.path(files[0][1] if name == "openat" else "", strings[0]), rest, begin, result)
        elif name in ("mkdir", "unlink", "rmdir", "unlinkat", "rename", "renameat"):
            folders = [file[1] for file in files] if name.endswith("at") else [""] * len(strings)
            self.renamed(name, [self.path(*pair) for pair in zip(folders, strings)], begin)
        elif name == "close":
            pass
        else:
            ours = [unquoted(path).decode() for _, path in files if self.is_ours(unquoted(path).decode())]
            node = self.files.get(int(files[0][0])) if files and files[0][0] != "AT_FDCWD" else None
            if node is not None:
                self.changed(name, node, rest, strings, begin, result)
            elif ours and not (name == "mmap" and "MAP_PRIVATE" in rest):
                raise ValueError(f"the model does not follow this call: {name}({rest[:500]}")

    def opened(self, path, rest, begin, result):
        self.files.pop(result, None)
        if not self.is_ours(path):
            return
        node = self.live.get(path)
        if node is None:
            node = self.live[path] = Node(is_folder=False)
            self.nodes.append(node)
            self.note(self.live[os.path.dirname(path)], "put", begin, os.path.basename(path), node)
        elif "O_TRUNC" in rest:
            self.note(node, "size", begin, 0)
        self.files[result] = node

    def renamed(self, name, paths, begin):
        if not any(self.is_ours(path) for path in paths):
            return
        parents = [(self.live[os.path.dirname(path)], os.path.basename(path)) for path in paths]
        if name == "mkdir":
            node = self.live[paths[0]] = Node(is_folder=True)
            self.nodes.append(node)
            self.note(parents[0][0], "put", begin, parents[0][1], node)
        elif name.startswith("rename"):
            node = self.live[paths[1]] = self.live.pop(paths[0])
            if parents[0][0] is not parents[1][0]:
                raise ValueError("the model does not follow a rename between directories")
            self.note(parents[0][0], "move", begin, parents[0][1], parents[1][1], node)
        else:
            self.live.pop(paths[0])
            self.note(parents[0][0], "drop", begin, parents[0][1])

    def changed(self, name, node, rest, strings, begin, result):
        last = rest.rpartition(")")[0].rpartition(", ")[2]
        if name == "pwrite64":
            self.note(node, "write", begin, int(last), unquoted(strings[0])[:result])
        elif name == "ftruncate":
            self.note(node, "size", begin, int(last))
        elif name in ("fsync", "fdatasync"):
            if not (node.is_folder and self.ignores_folder_syncs):
                node.syncs.append((begin, self.lines))
        else:
            raise ValueError(f"the model does not follow {name} on a file of the store")

    def note(self, node, kind, begin, *arguments):
        node.changes.append(Change(kind, begin, self.lines, *arguments))

    # Answers

    def sent(self, rest, begin, count):
        """Takes the bytes that went to a socket, and finds the messages in them."""
        if count <= 0:
            return
        socket = rest.partition("<")[0]
        stream = self.streams.setdefault(socket, bytearray())
        stream += b"".join(map(unquoted, STRING.findall(rest.partition("msg_control=")[0])))[:count]
        if stream[:1] not in (b"l", b"B"):
            # The authentication before the first message.
            stream.clear()
        for message in Messages(stream):
            if message.kind in (wire.RETURN, wire.ERROR):
                self.answers.setdefault((message.destination, message.reply_serial), begin)
            elif message.kind == wire.CALL and message.member == "OpenURL":
                id, _, context = message.values
                self.deliveries.append((begin, id, context["attempt"]))


class Messages(wire.Connection):
    """The messages in bytes, which are removed from them."""

    def __init__(self, buffer):
        self.buffer, self.descriptors = buffer, []

    def __iter__(self):
        return self.messages()


class Image:
    """The store's folder as a power failure after a line of the trace can leave it.

    `random` decides what of the changes that are not durable is on the disk: none, all, the first ones, or any of them.
    """

    def __init__(self, trace, line, random):
        self.trace, self.line, self.random = trace, line, random
        self.way = random.choice(["none", "all", "first", "any", "any", "any"])
        self.unit = random.choice([512, 4_096])
        self.share = random.choice([0.1, 0.5, 0.9])

    @property
    def description(self):
        return f"the image after line {self.line} of {self.trace.lines} ({self.way} of the rest, units of {self.unit})"

    def changes(self, node):
        """The durable changes of a node, and those that may be on the disk or not."""
        issued = [change for change in node.changes if change.begin <= self.line]
        return ([change for change in issued if change.durable <= self.line],
                [change for change in issued if change.durable > self.line])

    def write(self, folder):
        """Writes the image into a new folder, which stands for the root of the trace."""
        self.write_folder(self.trace.top, pathlib.Path(folder))

    def write_folder(self, node, path):
        path.mkdir(mode=0o700)
        for name, inside in self.entries(node).items():
            if inside.is_folder:
                self.write_folder(inside, path / name)
            else:
                descriptor = os.open(path / name, os.O_WRONLY | os.O_CREAT, 0o600)
                with open(descriptor, "wb") as file:
                    file.write(self.content(inside))

    def entries(self, node):
        durable, pending = self.changes(node)
        entries = {}
        for change in durable + self.chosen(pending):
            if change.kind == "put":
                entries[change.arguments[0]] = change.arguments[1]
            else:
                entries.pop(change.arguments[0], None)
                if change.kind == "move":
                    entries[change.arguments[1]] = change.arguments[2]
        return entries

    def chosen(self, pending):
        if self.way == "first":
            return pending[:self.random.randrange(len(pending) + 1)]
        share = dict(none=0, all=1).get(self.way, self.share)
        return [change for change in pending if self.random.random() < share]

    def content(self, node):
        """The bytes of a file. Its length follows the changes in their order; each unit of a write is there or not."""
        durable, pending = self.changes(node)
        content = bytearray()
        for change in durable:
            if change.kind == "size":
                resize(content, change.arguments[0])
            else:
                put(content, *change.arguments)
        lengths = dict(none=0, all=len(pending)).get(self.way, self.random.randrange(len(pending) + 1))
        for number, change in enumerate(pending):
            if change.kind == "size" and number >= lengths:
                # Later writes went to blocks that the file does not have without this change.
                break
            if change.kind == "size":
                resize(content, change.arguments[0])
            else:
                self.put_in_part(content, *change.arguments, grows=number < lengths, is_whole=number + 1 < lengths)
        return bytes(content)

    def put_in_part(self, content, offset, data, grows, is_whole):
        """Applies those units of a write that are on the disk."""
        if grows and len(content) < offset + len(data):
            resize(content, offset + len(data))
        begin = offset
        while begin < offset + len(data):
            end = min(begin - begin % self.unit + self.unit, offset + len(data))
            share = dict(none=0, all=1, first=is_whole).get(self.way, self.share)
            if end <= len(content) and self.random.random() < share:
                content[begin:end] = data[begin - offset:end - offset]
            begin = end


def resize(content, length):
    if length < len(content):
        del content[length:]
    else:
        content.extend(bytes(length - len(content)))


def put(content, offset, data):
    if offset > len(content):
        resize(content, offset)
    content[offset:offset + len(data)] = data
