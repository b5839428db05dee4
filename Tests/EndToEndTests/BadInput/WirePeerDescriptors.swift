import Testing

/// The part of a ``WirePeerScript`` that creates descriptors and examines received ones. See memfd_create(2), and “File
/// sealing” in fcntl(2).
enum WirePeerDescriptors {
    static let text = #"""
        import array, fcntl, hashlib, random, tempfile, threading

        CHUNK = 1 << 20
        SEALED = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
        blocks = {}

        def content(seed, size):
            "The bytes of a seed, in chunks; each differs from the others."
            if seed not in blocks:
                blocks[seed] = random.Random(seed).randbytes(CHUNK)
            for place in range(0, size, CHUNK):
                yield (struct.pack("<Q", place) + blocks[seed][8:])[:size - place]

        def digest(chunks):
            found = hashlib.sha256()
            for chunk in chunks:
                found.update(chunk)
            return found.hexdigest()

        def chunks_of(descriptor):
            place = 0
            while chunk := os.pread(descriptor, CHUNK, place):
                place += len(chunk)
                yield chunk

        def fill(descriptor, asked):
            text = asked.get("text", "").encode()
            repeated = [text * (asked["size"] // len(text))] if text else None
            for chunk in repeated or content(asked.get("seed", 1), asked["size"]):
                view = memoryview(chunk)
                while view:
                    view = view[os.write(descriptor, view):]

        def make(asked):
            "A new descriptor of the kind that is asked for."
            kind = asked["kind"]
            if kind in ("sealed", "unsealed", "sparse"):
                flags = os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC
                descriptor = os.memfd_create("content", flags)
                os.ftruncate(descriptor, asked["size"]) if kind == "sparse" else fill(descriptor, asked)
                if kind != "unsealed":
                    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, asked.get("seals", SEALED))
                return descriptor
            if kind in ("file", "path", "write-only"):
                descriptor, path = tempfile.mkstemp(dir="/var/tmp")
                fill(descriptor, asked)
                if kind != "file":
                    os.close(descriptor)
                    descriptor = os.open(path, os.O_PATH if kind == "path" else os.O_WRONLY)
                os.unlink(path)
                return descriptor
            if kind == "pipe":
                reader, writer = os.pipe()
                kept.append(writer)
                return reader
            if kind == "fifo":
                path = tempfile.mktemp(dir="/var/tmp")
                os.mkfifo(path)
                descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                os.set_blocking(descriptor, True)
                os.unlink(path)
                return descriptor
            if kind == "socket":
                one, other = socket.socketpair()
                kept.append(other.detach())
                return one.detach()
            return os.open({"directory": "/", "device": "/dev/zero", "terminal": "/dev/ptmx"}[kind], os.O_RDONLY)

        # The other ends, so that nothing is at its end.
        kept = []

        def let_go():
            while kept:
                os.close(kept.pop())

        def describe(descriptor):
            "What arrived; it is closed, unless it only leads to something (O_PATH)."
            if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_PATH:
                return {"path": f"/proc/self/fd/{descriptor}"}
            try:
                return {"size": os.fstat(descriptor).st_size, "digest": digest(chunks_of(descriptor)),
                        "writable": fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY,
                        "offset": os.lseek(descriptor, 0, os.SEEK_CUR)}
            finally:
                os.close(descriptor)

        class Meddler(threading.Thread):
            "Does something to a descriptor again and again while others read it."

            def __init__(self, descriptor, how, size):
                super().__init__(daemon=True)
                self.descriptor, self.how, self.size, self.ended = os.dup(descriptor), how, size, False
                self.start()

            def run(self):
                while not self.ended:
                    if self.how == "flip":
                        for byte in (b"a", b"b"):
                            os.pwrite(self.descriptor, byte * min(self.size, 65536), self.size // 2)
                    elif self.how == "truncate":
                        os.ftruncate(self.descriptor, self.size // 3)
                        os.ftruncate(self.descriptor, self.size)
                    elif self.how == "seal":
                        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, SEALED)
                        return

            def end(self):
                self.ended = True
                self.join()
                os.close(self.descriptor)


        """#
}

/// A descriptor that a ``WirePeer`` creates anew for each message.
struct WireDescriptor: Sendable, Hashable, CustomTestStringConvertible {
    var kind: String
    var size = 0
    var seed = 1
    /// A text that is repeated to form the content; if it is empty, the content is computed from the seed.
    var text = ""

    /// A memory file with all the seals that the contract requires.
    static func sealed(_ size: Int, seed: Int = 1) -> WireDescriptor {
        WireDescriptor(kind: "sealed", size: size, seed: seed)
    }

    /// A sealed memory file with a repeated text.
    static func text(_ text: String, _ size: Int) -> WireDescriptor {
        WireDescriptor(kind: "sealed", size: size, text: text)
    }

    var json: String { #"{"kind":"\#(kind)","size":\#(size),"seed":\#(seed),"text":\#(JSON.text(text))}"# }
    var testDescription: String { size > 0 ? "\(kind), \(size) bytes" : kind }
}

extension WireValue {
    /// `h`: a descriptor that is created for this message.
    static func h(_ descriptor: WireDescriptor) -> WireValue { WireValue(signature: "h", json: descriptor.json) }

    /// `h` with an index into the message's descriptors, which may be invalid.
    static func h(index: UInt32) -> WireValue { WireValue(signature: "h", json: #"{"index":\#(index)}"#) }

    /// `ay`: the same bytes as in a descriptor of this size and seed.
    static func bytes(_ size: Int, seed: Int = 1) -> WireValue {
        WireValue(signature: "ay", json: #"{"content":\#(seed),"size":\#(size)}"#)
    }
}
