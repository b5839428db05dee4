/// The program of a ``WirePeer``: hand-written connections to the bus that can send anything.
///
/// It reads one command per line, as JSON, and answers each with one line of JSON. It follows "Message Protocol" in the
/// D-Bus specification, and uses only Python's standard library.
enum WirePeerScript {
    static let text = connection + commands

    /// The part that speaks to the bus. Other Python programs also use it, to send messages that no library would send.
    static let connection = #"""
        import json, os, select, socket, struct, sys, time

        """# + WirePeerDescriptors.text + #"""

            # Less than the test itself waits for a line.
            DEADLINE = 25
            BROKER = "org.swiftipc.Broker1"
            DIRECT = os.environ.get("SWIFT_IPC_ROUTE") == "direct"
            ALIGNMENT = {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "b": 4, "i": 4, "u": 4, "s": 4, "o": 4, "a": 4, "h": 4,
                         "x": 8, "t": 8, "d": 8, "(": 8, "{": 8}
            NUMBERS = {"y": "B", "n": "h", "q": "H", "b": "I", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d"}

            def one(types):
                "The first complete type, and the rest."
                if types[0] == "a":
                    inside, rest = one(types[1:])
                    return "a" + inside, rest
                if types[0] in "({":
                    depth = 0
                    for place, character in enumerate(types):
                        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(character, 0)
                        if depth == 0:
                            return types[:place + 1], types[place + 1:]
                return types[0], types[1:]

            def all_types(types):
                found = []
                while types:
                    first, types = one(types)
                    found.append(first)
                return found

            def text_bytes(value):
                if isinstance(value, str):
                    return value.encode("utf-8", "surrogatepass")
                if "hex" in value:
                    return bytes.fromhex(value["hex"])
                if "content" in value:
                    return b"".join(content(value["content"], value["size"]))
                return value["before"].encode() + value["repeat"].encode() * value["count"]

            class Writer:
                def __init__(self):
                    self.data = bytearray()
                    self.descriptors = []

                def align(self, size):
                    self.data += bytes(-len(self.data) % size)

                def put(self, type, value):
                    kind = type[0]
                    self.align(ALIGNMENT[kind])
                    if kind in NUMBERS:
                        self.data += struct.pack("<" + NUMBERS[kind], value)
                    elif kind in "so":
                        raw = text_bytes(value)
                        self.data += struct.pack("<I", len(raw)) + raw + b"\0"
                    elif kind == "g":
                        raw = text_bytes(value)
                        self.data += bytes([len(raw)]) + raw + b"\0"
                    elif kind == "h":
                        if "index" not in value:
                            self.descriptors.append(make(value))
                        self.data += struct.pack("<I", value.get("index", len(self.descriptors) - 1))
                    elif kind == "v":
                        self.put("g", value["type"])
                        self.put(value["type"], value["value"])
                    elif kind == "(":
                        for inside, field in zip(all_types(type[1:-1]), value):
                            self.put(inside, field)
                    elif kind == "a":
                        self.put_array(type[1:], value)

                def put_array(self, element, value):
                    place = len(self.data)
                    self.data += bytes(4)
                    self.align(ALIGNMENT[element[0]])
                    start = len(self.data)
                    if isinstance(value, dict) and "copies" in value:
                        part = Writer()
                        part.put(element, value["copies"])
                        part.align(ALIGNMENT[element[0]])
                        if ALIGNMENT[element[0]] == 8 or element in "y":
                            self.data += bytes(part.data) * value["count"]
                        else:
                            for _ in range(value["count"]):
                                self.put(element, value["copies"])
                    elif element == "y" and isinstance(value, dict):
                        self.data += text_bytes(value)
                    elif element[0] == "{":
                        key, content = all_types(element[1:-1])
                        for pair in value:
                            self.align(8)
                            self.put(key, pair[0])
                            self.put(content, pair[1])
                    else:
                        for item in value:
                            self.put(element, item)
                    struct.pack_into("<I", self.data, place, len(self.data) - start)

            class Reader:
                def __init__(self, data, order, descriptors=()):
                    self.data, self.order, self.place, self.descriptors = data, order, 0, descriptors

                def align(self, size):
                    self.place += -self.place % size

                def number(self, code, size):
                    value = struct.unpack_from(self.order + code, self.data, self.place)[0]
                    self.place += size
                    return value

                def get(self, type):
                    kind = type[0]
                    self.align(ALIGNMENT[kind])
                    if kind in NUMBERS:
                        value = self.number(NUMBERS[kind], struct.calcsize(NUMBERS[kind]))
                        return bool(value) if kind == "b" else value
                    if kind == "h":
                        return describe(self.descriptors[self.number("I", 4)])
                    if kind in "sog":
                        length = self.number("B", 1) if kind == "g" else self.number("I", 4)
                        raw = self.data[self.place:self.place + length]
                        self.place += length + 1
                        return bytes(raw).decode()
                    if kind == "v":
                        return self.get(self.get("g"))
                    if kind == "(":
                        return [self.get(inside) for inside in all_types(type[1:-1])]
                    length = self.number("I", 4)
                    element = type[1:]
                    self.align(ALIGNMENT[element[0]])
                    end = self.place + length
                    if element == "y":
                        raw = bytes(self.data[self.place:end])
                        self.place = end
                        return {"bytes": len(raw), "start": list(raw[:64]), "digest": digest([raw])}
                    values = []
                    while self.place < end:
                        if element[0] == "{":
                            self.align(8)
                            key, content = all_types(element[1:-1])
                            values.append((self.get(key), self.get(content)))
                        else:
                            values.append(self.get(element))
                    return dict(values) if element[0] == "{" else values

            FIELDS = {1: "path", 2: "interface", 3: "member", 4: "error", 5: "reply_serial", 6: "destination",
                      7: "sender", 8: "signature", 9: "unix_fds"}
            TYPES = {1: "o", 2: "s", 3: "s", 4: "s", 5: "u", 6: "s", 7: "s", 8: "g", 9: "u"}

            def marshal(kind, serial, fields, body, flags=0):
                head = Writer()
                head.data += struct.pack("<BBBBII", ord("l"), kind, flags, 1, len(body), serial)
                head.put("a(yv)", [[code, {"type": TYPES[code], "value": fields[name]}]
                                   for code, name in FIELDS.items() if fields.get(name) is not None])
                head.align(8)
                return bytes(head.data) + bytes(body)

            def body_of(types, values):
                body = Writer()
                for type, value in zip(all_types(types), values):
                    body.put(type, value)
                return body

            class Gone(Exception):
                pass

            def orphaned(path):
                "A connection to the bus whose process has ended: a child made it and gave it away."
                ours, theirs = socket.socketpair()
                if os.fork() == 0:
                    made = socket.socket(socket.AF_UNIX)
                    made.connect(path)
                    socket.send_fds(theirs, [b"x"], [made.fileno()])
                    os._exit(0)
                descriptors = socket.recv_fds(ours, 1, 1)[1]
                os.wait()
                return socket.socket(fileno=descriptors[0])

            class Connection:
                def __init__(self, path, is_orphaned=False):
                    if is_orphaned:
                        self.socket = orphaned(path)
                    else:
                        self.socket = socket.socket(socket.AF_UNIX)
                        self.socket.connect(path)
                    self.serial = 0
                    self.buffer, self.descriptors = bytearray(), []
                    self.replies, self.calls, self.signals, self.answered, self.twice = {}, [], [], set(), 0
                    # Where calls to the broker go instead, and from where its own come.
                    self.direct, self.above, self.asked = None, None, set()

                def authenticate(self, until="BEGIN", passes=False):
                    negotiation = ["NEGOTIATE_UNIX_FD"] if passes or DIRECT else []
                    for line in ["\0AUTH EXTERNAL " + str(os.getuid()).encode().hex()] + negotiation + ["BEGIN"]:
                        self.socket.sendall(line.encode() + b"\r\n")
                        if line == "BEGIN" or until == "AUTH":
                            return
                        while not self.buffer.endswith(b"\r\n"):
                            self.read()
                        self.buffer.clear()

                def hello(self):
                    reply = self.wait_reply(self.call({
                        "destination": "org.freedesktop.DBus", "path": "/org/freedesktop/DBus",
                        "interface": "org.freedesktop.DBus", "member": "Hello", "signature": "", "types": "",
                        "body": []}))
                    self.name = reply["body"][0]

                def open_direct(self):
                    "Has the broker answer and call by a direct connection, if it runs and gives one."
                    options = [["deliveries", {"type": "b", "value": True}]]
                    reply = self.wait_reply(self.call({
                        "destination": BROKER, "path": "/org/swiftipc/Broker1", "interface": BROKER,
                        "member": "Connect", "signature": "a{sv}", "types": "a{sv}", "body": [options], "flags": 2}))
                    if "error" in reply:
                        return
                    path = reply["body"][0]["path"]
                    direct = Connection(path)
                    os.close(int(path.rsplit("/", 1)[1]))
                    direct.authenticate("BEGIN", True)
                    direct.above = self
                    direct.replies, direct.calls, direct.answered = self.replies, self.calls, self.answered
                    direct.hello()
                    self.direct = direct

                def next_serial(self):
                    if self.above:
                        return self.above.next_serial()
                    self.serial += 1
                    return self.serial

                def call(self, command):
                    if self.direct and command["destination"] == BROKER and command.get("kind", 1) == 1:
                        try:
                            return self.direct.call(command)
                        except (BrokenPipeError, ConnectionResetError):
                            self.direct = None
                    serial = self.next_serial()
                    self.asked.add(serial)
                    body = body_of(command["types"], command["body"])
                    self.send(self.marshalled_call(command, serial, body), body.descriptors)
                    return serial

                def marshalled_call(self, command, serial, body=None):
                    body = body or body_of(command["types"], command["body"])
                    fields = {name: command.get(name) for name in ["destination", "path", "interface", "member", "error",
                                                                 "sender"]}
                    fields["signature"] = command["signature"] or None
                    fields["unix_fds"] = len(body.descriptors) or None
                    return marshal(command.get("kind", 1), serial, fields, body.data, command.get("flags", 0))

                def send(self, data, descriptors):
                    "Sends a message; its descriptors are closed."
                    sent = 0
                    if descriptors:
                        rights = array.array("i", descriptors)
                        try:
                            sent = self.socket.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
                        finally:
                            for descriptor in descriptors:
                                os.close(descriptor)
                    self.socket.sendall(memoryview(data)[sent:])

                def answer(self, call, command):
                    if call.get("direct") and not self.above:
                        if self.direct:
                            try:
                                self.direct.answer(call, command)
                            except (BrokenPipeError, ConnectionResetError):
                                self.direct = None
                        return
                    body = body_of(command["signature"], command["body"])
                    fields = {"destination": call.get("sender"), "reply_serial": call["serial"],
                              "signature": command["signature"] or None, "error": command.get("error"),
                              "unix_fds": len(body.descriptors) or None}
                    kind = 3 if command.get("error") else 2
                    self.send(marshal(kind, self.next_serial(), fields, body.data), body.descriptors)

                def read(self, deadline=DEADLINE):
                    sockets = [self.socket] + ([self.direct.socket] if self.direct else [])
                    ready = select.select(sockets, [], [], deadline)[0]
                    if not ready:
                        raise TimeoutError()
                    if self.direct and self.direct.socket in ready:
                        try:
                            self.direct.read()
                            self.direct.take()
                        except Gone:
                            # What was on its way ends as with the bus when the broker goes.
                            for serial in self.direct.asked - self.answered:
                                self.sort(3, {"reply_serial": serial, "gone": True, "body": ["the direct way ended"],
                                              "error": "org.freedesktop.DBus.Error.NoReply"})
                            self.direct = None
                        if self.socket not in ready:
                            return
                    try:
                        data, rights, _, _ = self.socket.recvmsg(1 << 20, socket.CMSG_SPACE(4 * 253))
                        for _, _, numbers in rights:
                            self.descriptors += array.array("i", numbers)
                    except ConnectionError:
                        data = b""
                    if not data:
                        raise Gone()
                    self.buffer += data

                def take(self):
                    "Sorts the messages that are there."
                    while len(self.buffer) >= 16:
                        order = "<" if self.buffer[0] == ord("l") else ">"
                        length, serial, fields_length = struct.unpack_from(order + "III", self.buffer, 4)
                        start = 16 + fields_length + (-fields_length % 8)
                        if len(self.buffer) < start + length:
                            return
                        head = Reader(bytes(self.buffer[:start]), order)
                        kind = self.buffer[1]
                        head.place = 12
                        fields = {FIELDS.get(code, code): value for code, value in head.get("a(yv)")}
                        types = fields.get("signature", "")
                        passed = fields.get("unix_fds", 0)
                        own, self.descriptors = self.descriptors[:passed], self.descriptors[passed:]
                        reader = Reader(bytes(self.buffer[start:start + length]), order, own)
                        marks = {"direct": True} if self.above else {}
                        message = dict(fields, **marks, kind=kind, serial=serial, signature=types,
                                       body=[reader.get(type) for type in all_types(types)])
                        del self.buffer[:start + length]
                        self.sort(kind, message)

                def sort(self, kind, message):
                    if kind in (2, 3):
                        serial = message["reply_serial"]
                        self.twice += serial in self.answered
                        self.answered.add(serial)
                        self.replies[serial] = message
                    elif kind == 1 and message["member"] == "Ping":
                        # As every library answers it; only who reads does.
                        self.answer(message, {"signature": "", "body": []})
                    elif kind == 1:
                        self.calls.append(message)
                    else:
                        self.signals.append(message)

                def wait(self, found):
                    end = time.monotonic() + DEADLINE
                    while True:
                        self.take()
                        value = found()
                        if value is not None:
                            return value
                        self.read(max(0, end - time.monotonic()))

                def wait_reply(self, serial):
                    return self.wait(lambda: self.replies.pop(serial, None))

                def wait_call(self, member):
                    def found():
                        for place, call in enumerate(self.calls):
                            if call["member"] == member:
                                return self.calls.pop(place)
                    return self.wait(found)

                def wait_signal(self, member):
                    def found():
                        for place, signal in enumerate(self.signals):
                            if signal["member"] == member:
                                return self.signals.pop(place)
                    return self.wait(found)

                def tries(self, command):
                    """The same call with a descriptor that is meddled with, many times: what came of them by name, and
                    the sizes and digests of what was read after those that were accepted."""
                    tally, digests = {}, {}
                    for _ in range(command["count"]):
                        body = body_of(command["types"], command["body"])
                        meddlers = [Meddler(descriptor, command["meddle"], os.fstat(descriptor).st_size)
                                    for descriptor in body.descriptors if command.get("meddle")]
                        serial = self.next_serial()
                        self.send(self.marshalled_call(command, serial, body), body.descriptors)
                        answer = self.wait_reply(serial)
                        for meddler in meddlers:
                            meddler.end()
                        let_go()
                        name = answer.get("error", "accepted")
                        tally[name] = tally.get(name, 0) + 1
                        if name == "accepted":
                            read = self.wait_reply(self.call(command["read"]))
                            value = read["body"][1][0][0][1] if "error" not in read else {"digest": read["error"]}
                            text = f"{value.get('size', value.get('bytes'))} {value['digest']}"
                            digests[text] = digests.get(text, 0) + 1
                    return {"tally": tally, "digests": digests}

                def wait_end(self):
                    direct = self.direct
                    while self.direct is direct:
                        self.take()
                        try:
                            self.read()
                        except Gone:
                            return


            """#

    private static let commands = #"""
        connections = {}

        def run(command):
            verb, name = command["verb"], command["on"]
            if verb == "digest":
                return {"digest": digest(content(command["seed"], command["size"]))}
            if verb == "open":
                connection = connections[name] = Connection(command["socket"], command.get("orphaned", False))
                until = command.get("until", "Hello")
                if until != "connect":
                    connection.authenticate(until, command.get("passes", False))
                if until == "Hello":
                    connection.hello()
                    if DIRECT and not command["socket"].startswith("/proc/"):
                        connection.open_direct()
                    return {"name": connection.name}
                return {}
            if verb == "connect":
                try:
                    socket.socket(socket.AF_UNIX).connect(command["socket"])
                except OSError as error:
                    return {"error": os.strerror(error.errno)}
                return {}
            connection = connections[name]
            if verb == "send":
                return {"serial": connection.call(command)}
            if verb == "part":
                body = body_of(command["types"], command["body"])
                data = connection.marshalled_call(command, connection.next_serial(), body)
                connection.send(data[:int(len(data) * command["part"])], body.descriptors)
                return {"bytes": len(data)}
            if verb == "raw":
                try:
                    connection.socket.sendall(bytes.fromhex(command["hex"]))
                except ConnectionError:
                    pass
                return {}
            if verb == "reply":
                return connection.wait_reply(command["serial"])
            if verb == "call":
                return connection.wait_reply(connection.call(command))
            if verb == "next":
                return connection.wait_call(command["member"])
            if verb == "signal":
                return connection.wait_signal(command["member"])
            if verb == "answer":
                connection.answer(command["call"], command)
                return {}
            if verb == "ended":
                connection.wait_end()
                return {}
            if verb == "close":
                connection.socket.close()
                if connection.direct:
                    connection.direct.socket.close()
                return {"twice": connections.pop(name).twice}
            if verb == "waiting":
                return {"waiting": len(connection.calls)}
            if verb == "heard":
                return {"heard": sum(signal["member"] == command["member"] for signal in connection.signals)}
            if verb == "twice":
                return {"twice": connection.twice}
            if verb == "broadcast":
                for _ in range(command["count"]):
                    connection.call(dict(command, kind=4, destination=command["destination"] or None))
                return {}
            if verb == "tries":
                return connection.tries(command)

        for line in sys.stdin:
            try:
                answer = run(json.loads(line))
            except Gone:
                answer = {"gone": True}
            except TimeoutError:
                answer = {"timeout": line[:200]}
            except BrokenPipeError:
                answer = {"gone": True}
            except ConnectionResetError:
                answer = {"gone": True}
            print(json.dumps(answer))

        """#
}
