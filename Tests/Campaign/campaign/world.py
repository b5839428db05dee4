"""Operations on a real broker, each compared with the model. A run is a list of (operation, arguments), all JSON.

An operation that does not fit the state, such as an answer while nothing is delivered, does nothing. So any part of a
list is a list that can run, which is what a shrinker needs.
"""

import contextlib

import wire
from campaign import contract, model
from campaign.model import TEXT, Wrong

CLIENTS = {"a": "campaign.Alice", "b": None}
BOARDS = ["alpha", "beta.x", "Gamma ü", "general"]
SCHEMES = ["camp-one", "Camp-Two", "camp-three"]
APPLICATIONS = {"campaign.One": ["camp-one", "Camp-Two"], "campaign.Two": ["Camp-Two", "camp-three"]}


def path(board):
    escaped = "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"_{byte:02x}" for byte in board.encode())
    return f"{wire.BROKER_PATH}/pasteboards/{escaped}"


def items(texts):
    return [[(TEXT, ("s", text))] for text in texts]


def plain(texts):
    return [[(TEXT, text)] for text in texts]


class Client:
    """A program on the bus, which calls the broker over the bus or over a direct connection."""

    def __init__(self, place, application, route):
        self.bus, self.route, self.direct = place.connect(), route, None
        if application:
            self.bus.request(*wire.BUS, "RequestName", "su", application, 4)
        self.connect()

    def connect(self):
        if self.direct:
            self.direct.close()
        self.direct = self.bus.direct() if self.route == "direct" else None

    @property
    def connection(self):
        return self.direct or self.bus

    def close(self):
        if self.direct:
            self.direct.close()
        self.bus.close()


class World:
    """The model beside the broker that it describes. `patience` is how many seconds an event may take."""

    def __init__(self, place, route, patience):
        self.place, self.patience = place, patience
        self.boards, self.claims, self.policies = model.Boards(), model.Claims(), model.Policies()
        self.requests = model.Requests()
        self.handlers, self.cancelled = {}, set()
        self.witness = place.connect()
        self.clients = {name: Client(place, application, route) for name, application in CLIENTS.items()}
        self.learn_versions("general")

    def close(self):
        for one in [*self.clients.values(), *self.handlers.values(), self.witness]:
            with contextlib.suppress(OSError):
                one.close()

    def run(self, name, arguments):
        getattr(self, "op_" + name)(**arguments)
        self.pump(arguments["application"] if name == "hire" else None)

    # Calls

    def ask(self, client, interface, member, signature, *values, board=None):
        connection = self.clients[client].connection if client in self.clients else client
        try:
            return connection.ask(
                interface, member, signature, *values, path=path(board) if board is not None else wire.BROKER_PATH)
        except TimeoutError:
            raise Wrong(f"I18: {member} got no answer")
        except wire.Gone:
            raise Wrong(f"the connection was closed during {member}; broker: {self.place.broker.poll()}, "
                        + self.place.log_text()[-500:])

    def expect(self, reply, errors, what):
        """The values of a reply, or None if it is one of the errors that the model expects."""
        name = reply.error.removeprefix(contract.ERRORS) if reply.kind == wire.ERROR else None
        if errors and name not in errors:
            raise Wrong(f"{what} gives {reply.text or reply.values}, not the error {' or '.join(sorted(errors))}")
        if name and not errors:
            raise Wrong(f"{what} fails with {reply.text}")
        return None if errors else reply.values

    def same(self, got, wanted, what):
        if got != wanted:
            raise Wrong(f"{what}: the broker has {got!r}, the model {wanted!r}")

    def left(self, connection):
        """Closes a connection, and returns when the broker knows that it has left the bus."""
        name = connection.name
        connection.close()
        while self.witness.request(*wire.BUS, "GetNameOwner", "s", name).kind != wire.ERROR:
            pass
        self.witness.request(wire.BROKER, wire.BROKER_PATH, "org.freedesktop.DBus.Peer", "Ping")

    # Pasteboards

    def learn_versions(self, name):
        """Compares the versions of a pasteboard, and learns the counts that no call returned."""
        board = self.boards.boards[name]
        rows = self.expect(self.ask(self.witness, "Pasteboard1", "ListVersions", "a{sv}", {}, board=name), (),
                           f"ListVersions of {name}")[0]
        got = [(row["item-count"], row.get("once", 0), row.get("sensitive", 0), row["source-application"],
                row["source-strength"]) for row in rows]
        wanted = [(len(one.items), int(one.once), int(one.sensitive), *one.source) for one in board.versions]
        self.same(got, wanted, f"the versions of {name}")
        for row, version in zip(rows, board.versions):
            if version.count is None:
                version.count = self.boards.learn(row["change-count"], f"a version of {name}")
            self.same(row["change-count"], version.count, f"a change count of {name}")

    def source(self, client, name):
        if name is None:
            return "", "unknown"
        return name, "owned" if CLIENTS.get(client) == name else "claimed"

    def compared(self, board, cas):
        """A change count for a compare-and-set, and whether it is the current one."""
        if cas is None:
            return {}, True
        current = board.current.count if board else 1
        count = current if cas == "current" else current - 1
        return {"if-change-count": ("t", count)}, bool(board) and cas == "current"

    def repeated(self, id, arguments, reply, what):
        """Whether a call repeats an earlier one (I10); compares its result with that of the first call."""
        if id is None or id not in self.boards.calls:
            return False
        before, result, _ = self.boards.calls[id]
        errors = {"InvalidArguments"} if before != arguments else ()
        values = self.expect(reply(), errors, f"{what} with the id of an earlier call")
        if values:
            self.same(values[:len(result)], result, f"I10: the result of a repeated {what}")
        return True

    def op_create(self, client, board, persistent, source):
        options = {"create": ("b", True), "persistent": ("b", persistent)}
        reply = self.ask(client, "Pasteboards1", "GetPasteboard", "sa{sv}", board,
                         options | ({"source-application": ("s", source)} if source else {}))
        self.same(self.expect(reply, (), "GetPasteboard"), [path(board)], "GetPasteboard")
        if board not in self.boards.boards:
            # The model follows the broker in whether the source of an empty version is that of its creator.
            self.boards.add(model.Board(board, persistent, versions=[model.Version([])]))
            row = self.expect(self.ask(self.witness, "Pasteboard1", "ListVersions", "a{sv}", {}, board=board), (),
                              "ListVersions")[0][0]
            self.boards.boards[board].current.source = row["source-application"], row["source-strength"]
            self.learn_versions(board)

    def op_find(self, client, board):
        errors = () if board in self.boards.boards else {"NoSuchPasteboard"}
        self.expect(self.ask(client, "Pasteboards1", "GetPasteboard", "sa{sv}", board, {}), errors, "GetPasteboard")

    def op_write(self, client, board, member, texts, cas=None, id=None, once=False, sensitive=False, create=False,
                 persistent=True, source=None):
        target, id = self.boards.boards.get(board), None if id in self.boards.unsure else id
        condition, is_current = self.compared(target, cas)
        options = condition | {"create": ("b", create), "persistent": ("b", persistent)}
        options |= {"once": ("b", True)} if once else {}
        options |= {"sensitive": ("b", True)} if sensitive else {}
        options |= {"source-application": ("s", source)} if source else {}
        options |= {"id": ("s", id)} if id else {}
        call = lambda: self.ask(client, "Pasteboard1", member, "aa(sv)a{sv}", items(texts), options, board=board)  # noqa
        arguments = (board, member, tuple(texts), condition.get("if-change-count"), once, sensitive, source)
        if self.repeated(id, arguments, call, member):
            return
        errors = set()
        if target is None and (not create or cas):
            errors |= {"NoSuchPasteboard"}
        if target is not None and not is_current:
            errors |= {"ChangeCountMismatch"}
        if member == "AddItems" and not texts:
            errors |= {"InvalidArguments"}
        values = self.expect(call(), errors, f"{member} on {board}")
        if values is None:
            return
        if target is None:
            target = model.Board(board, persistent)
            self.boards.add(target)
        before = target.current if member == "AddItems" and target.versions else model.Version([])
        # Without items, the call does the same as Clear, and there is nothing to keep secret.
        once, sensitive = bool(texts) and (once or sensitive), bool(texts) and sensitive
        target.push(model.Version(
            before.items + texts, once or before.once, sensitive or before.sensitive, self.source(client, source), self.boards.learn(values[0], f"{member} on {board}")))
        if id:
            self.boards.calls[id] = arguments, values, bool(not target.persistent or target.current.sensitive)
        self.learn_versions(board)

    def op_clear(self, client, board, cas=None):
        target = self.boards.boards.get(board)
        condition, is_current = self.compared(target, cas)
        errors = {"NoSuchPasteboard"} if target is None else () if is_current else {"ChangeCountMismatch"}
        values = self.expect(self.ask(client, "Pasteboard1", "Clear", "a{sv}", condition, board=board), errors, "Clear")
        if values:
            target.push(model.Version([], count=self.boards.learn(values[0], f"Clear of {board}")))
            self.learn_versions(board)

    def op_read(self, client, board, take=False, cas=None, id=None, version=None):
        target, id = self.boards.boards.get(board), None if id in self.boards.unsure else id
        condition, is_current = self.compared(target, cas if take else None)
        options = condition | ({"take": ("b", True)} if take else {}) | ({"id": ("s", id)} if take and id else {})
        row = target.current if target else None
        if version is not None and not take and target:
            row = target.versions[version % len(target.versions)]
            options["change-count"] = ("t", row.count)
        call = lambda: self.ask(client, "Pasteboard1", "GetItems", "a{sv}", options, board=board)  # noqa: E731
        arguments = (board, "take", condition.get("if-change-count"))
        if take and self.repeated(id, arguments, call, "take"):
            return
        errors = {"NoSuchPasteboard"} if target is None else () if is_current else {"ChangeCountMismatch"}
        values = self.expect(call(), errors, f"GetItems of {board}")
        if values is None:
            return
        self.same(values[:2], [row.count, plain(row.items)], f"I12: the content of {board}")
        self.same((values[2]["source-application"], values[2]["source-strength"], values[2].get("once", 0)),
                  (*row.source, int(row.once)), f"the facts of {board}")
        if take and id:
            self.boards.calls[id] = arguments, values[:2], bool(not target.persistent or row.sensitive)
        if (take and row.items) or (row.once and row is target.current):
            target.replace(model.Version([]))
            self.learn_empty(board)

    def learn_empty(self, board):
        """The empty version after a take, or after a version that could be read once."""
        rows = self.expect(self.ask(self.witness, "Pasteboard1", "ListVersions", "a{sv}", {}, board=board), (),
                           "ListVersions")[0]
        current = self.boards.boards[board].current
        current.source = rows[-1]["source-application"], rows[-1]["source-strength"]
        self.learn_versions(board)

    def op_data(self, client, board, item):
        target = self.boards.boards.get(board)
        reply = self.ask(client, "Pasteboard1", "GetData", "usa{sv}", item, TEXT, {}, board=board)
        if target is None or item >= len(target.current.items):
            self.expect(reply, {"NoSuchItem" if target else "NoSuchPasteboard"}, f"GetData {item} of {board}")
            return
        row = target.current
        values = self.expect(reply, (), "GetData")
        self.same((values[0], values[1]["change-count"]), (row.items[item], row.count), f"GetData {item} of {board}")
        if row.once:
            target.replace(model.Version([]))
            self.learn_empty(board)

    def op_expire(self, client, board, texts):
        """Sets a version that expires at once, and waits for the change count that its end takes."""
        target = self.boards.boards.get(board)
        if target is None or not texts:
            return
        count = self.expect(self.ask(client, "Pasteboard1", "SetItems", "aa(sv)a{sv}", items(texts),
                                     {"time-to-live": ("t", 2)}, board=board), (), "SetItems")[0]
        self.boards.learn(count, "SetItems")
        target.push(model.Version(texts))
        values = self.expect(self.ask(client, "Pasteboards1", "WaitForChange", "asta{sv}", [board], count,
                                      {"timeout": ("u", self.patience * 1_000)}), (), "WaitForChange")
        self.same(values[1], [(board, values[0])], "the change after a time to live of 2 ms")
        target.replace(model.Version([]))
        self.learn_empty(board)

    def op_limit(self, client, board, limit):
        target = self.boards.boards.get(board)
        if board == "general":
            return
        errors = ({"NoSuchPasteboard"} if target is None else set()) | ({"InvalidArguments"} if limit > 100 else set())
        self.set(client, board, "HistoryLimit", ("u", limit), errors)
        if target and limit <= 100:
            target.limit = limit
            target.trim()
            self.learn_versions(board)

    def op_persistent(self, client, board, value):
        target = self.boards.boards.get(board)
        if board == "general" or target and target.current.sensitive:
            return
        self.set(client, board, "Persistent", ("b", value), () if target else {"NoSuchPasteboard"})
        if target and target.persistent != value:
            target.persistent = value
            # Whether the next broker remembers the ids of its earlier calls is not specified.
            self.boards.calls = {id: (*call[:2], None if call[0][0] == board else call[2])
                                 for id, call in self.boards.calls.items()}

    def set(self, client, board, name, value, errors):
        reply = self.clients[client].connection.request(
            wire.BROKER, path(board), "org.freedesktop.DBus.Properties", "Set", "ssv", "org.swiftipc.Pasteboard1", name,
            value)
        self.expect(reply, errors, f"Set of {name} of {board}")

    def op_remove(self, client, board):
        errors = {"AccessDenied"} if board == "general" else () if board in self.boards.boards else {"NoSuchPasteboard"}
        reply = self.ask(client, "Pasteboards1", "RemovePasteboard", "sa{sv}", board, {})
        if self.expect(reply, errors, f"RemovePasteboard {board}") is None:
            return
        self.boards.remove(board)
        values = self.expect(self.ask(client, "Pasteboards1", "WaitForChange", "asta{sv}", [board], self.boards.last,
                                      {"timeout": ("u", 0)}), (), "WaitForChange")
        self.same(values[1], [(board, 0)], "I13: the change after a removal")
        self.boards.removed[board] = self.boards.learn(values[0], f"the removal of {board}")

    def op_watch(self, client, back):
        """What has changed after an earlier count (I13)."""
        seen = max(1, self.boards.last - back)
        values = self.expect(self.ask(client, "Pasteboards1", "WaitForChange", "asta{sv}", [], seen,
                                      {"timeout": ("u", 0)}), (), "WaitForChange")
        is_resync = bool(values[2].get("resync"))
        if is_resync and seen >= self.boards.forgotten:
            raise Wrong(f"WaitForChange after {seen} asks for a resync, and the broker remembers all removals")
        got = {name: count for name, count in values[1] if name not in self.boards.vanished}
        wanted = {name: board.current.count for name, board in self.boards.boards.items()
                  if is_resync or board.current.count > seen}
        wanted |= {name: 0 for name, count in self.boards.removed.items() if not is_resync and count > seen}
        self.same(got, wanted, f"I13: the changes after {seen}")

    def op_skip(self, client, by):
        to = max(0, self.boards.last + by)
        values = self.expect(self.ask(client, "Pasteboards1", "SkipChangeCounts", "ta{sv}", to, {}), (), "Skip")
        if values[0] < to:
            raise Wrong(f"I11: SkipChangeCounts to {to} gives {values[0]}")
        self.boards.last = values[0]

    def op_unique(self, client):
        values = self.expect(self.ask(client, "Pasteboards1", "CreateUniquePasteboard", "a{sv}", {}), (), "Create")
        self.boards.add(model.Board(values[0], False, owner=client, versions=[model.Version([])]))
        self.same(values[1], path(values[0]), "the path of a unique pasteboard")
        self.learn_versions(values[0])

    def op_depart(self, client):
        """A client leaves the bus, and returns as another connection."""
        leaving = self.clients[client]
        self.requests_of_leaver(client)
        self.boards.vanish(name for name, board in self.boards.boards.items()
                           if board.owner == client and not board.persistent)
        if leaving.direct:
            leaving.direct.close()
        self.left(leaving.bus)
        self.clients[client] = Client(self.place, CLIENTS[client], leaving.route)

    # Claims and policies

    def op_claim(self, client, application, schemes, persistent):
        reply = self.ask(client, "Schemes1", "Register", "sasa{sv}", application, schemes,
                         {"persistent": ("b", persistent)})
        errors = () if persistent else {"NotOwner"}
        values = self.expect(reply, errors, f"Register of {schemes} for {application}")
        if values:
            self.claims.register(application, schemes, "persistent")
            got = {(row["scheme"].lower(), row["application"]) for row in values[0]["conflicts"]}
            self.same(got, {(scheme.lower(), other) for scheme in schemes for other in self.claims.order(scheme)
                            if other != application}, "the conflicts of a claim")

    def op_unclaim(self, client, application, schemes):
        reply = self.ask(client, "Schemes1", "Unregister", "sasa{sv}", application, schemes, {})
        names = {scheme.lower() for scheme in schemes} or set(self.claims.schemes)
        kinds = {kind for name in names for kind in self.claims.schemes.get(name, {}).get(application, {})}
        if self.expect(reply, {"NotOwner"} if kinds == {"live"} else (), f"Unregister {schemes}") is not None:
            self.claims.unregister(application, schemes, ["persistent"])

    def op_default(self, client, scheme, application):
        reply = self.ask(client, "Schemes1", "SetDefault", "ssa{sv}", scheme, application, {})
        self.expect(reply, (), "SetDefault")
        self.claims.defaults.pop(scheme.lower(), None)
        if application:
            self.claims.defaults[scheme.lower()] = application

    def op_resolve(self, client, scheme, source):
        url = scheme.swapcase() + ":x"
        got = self.expect(self.ask(client, "Schemes1", "ResolveURL", "sa{sv}", url, {}), (), "ResolveURL")[0]
        application, reason = self.claims.handler(scheme)
        chosen = self.claims.defaults.get(scheme.lower())
        absent = chosen if chosen and chosen != application else None
        self.same((got["application"], got["reason"], got.get("running", 0), got.get("absent-default")),
                  (application, reason, int(application in self.handlers), absent), f"I21: the resolution of {url}")
        first = [row["application"] for row in got.get("candidates", [])]
        order = self.claims.order(scheme)
        self.same(first, sorted(order, key=lambda name: name != application), f"the candidates for {url}")
        options = {"source-application": ("s", source)} if source else {}
        can = self.expect(self.ask(client, "Schemes1", "CanOpenURL", "sa{sv}", url, options), (), "CanOpenURL")
        allowed = application in self.handlers and self.policies.allows(application, self.source(client, source))
        self.same(can, [int(allowed)], f"CanOpenURL of {url} from {source}")

    def op_policy(self, client, application, default, allow, deny):
        policy = {"default": ("s", default), "allow": ("as", allow), "deny": ("as", deny)} if default else {}
        self.expect(self.ask(client, "Schemes1", "SetPolicy", "sa{sv}a{sv}", application, policy, {}), (), "SetPolicy")
        self.policies.rows.pop(application, None)
        # A policy that rejects nothing is the same as none.
        if default and (default, allow, deny) != ("allow", [], []):
            self.policies.rows[application] = default, sorted(allow), sorted(deny)

    # Handlers

    def op_hire(self, application, window):
        """A handler starts, or registers again."""
        if application not in self.handlers:
            self.handlers[application] = self.place.connect()
            self.handlers[application].request(*wire.BUS, "RequestName", "su", application, 4)
        self.register(application, window)

    def register(self, application, window):
        schemes = APPLICATIONS[application]
        reply = self.ask(self.handlers[application], "Schemes1", "Register", "sasa{sv}", application, schemes,
                         {"window": ("u", window)})
        self.expect(reply, (), f"Register of {application}")
        self.claims.register(application, schemes, "live")
        self.requests.windows[application] = window
        self.requests.paused.discard(application)

    def op_fire(self, application):
        """A handler leaves the bus without an answer."""
        if application not in self.handlers:
            return
        concerned = self.requests.leave(application)
        self.claims.unregister(application, [], ["live"])
        self.left(self.handlers.pop(application))
        for row in concerned:
            self.await_end(row)

    def pump(self, hired):
        """Takes the deliveries that the model expects, and no other."""
        for application, connection in self.handlers.items():
            while True:
                due = self.requests.due(application)
                former = self.requests.early.get(application, 0) if application == hired else 0
                call = self.early(connection, due or len(self.requests.held.get(application, ())) < former)
                if not due and not call:
                    break
                try:
                    call = call or connection.wait_call("OpenURL", self.patience)
                except TimeoutError:
                    raise Wrong(f"I7: {application} does not get {[row.id for row in self.requests.heads(application)]}")
                self.delivered(application, call)

    def early(self, connection, may_come):
        """A delivery that has arrived already."""
        connection.sort()
        with contextlib.suppress(BlockingIOError):
            while True:
                data, _, _, _ = connection.socket.recvmsg(1 << 20, 0, 0x40)
                if not data:
                    raise Wrong("the bus closed the connection of a handler")
                connection.buffer += data
                connection.sort()
        calls = [one for one in connection.others if one.kind == wire.CALL and one.member == "OpenURL"]
        if calls and not may_come:
            raise Wrong(f"I7, I8: a handler gets {calls[0].values[:2]}, and its window is full or nothing waits for it")
        if calls:
            connection.others.remove(calls[0])
            return calls[0]

    def delivered(self, application, call):
        id, url, context = call.values
        row = self.requests.deliver(application, id)
        row.delivery = call
        got = (url, context["attempt"], context["source-application"], context["source-strength"], context.get("items"))
        self.same(got, (row.url, row.attempts, *row.source, None if row.items is None else plain(row.items)),
                  f"I7: the delivery of {id}")

    def held(self, application, place):
        held = self.requests.held.get(application, [])
        return self.requests.rows[held[place % len(held)]] if application in self.handlers and held else None

    def op_answer(self, application, place, kind):
        row = self.held(application, place)
        if row is None:
            return
        connection, call = self.handlers[application], row.delivery
        answers = dict(
            handled=("handled", {}, "handled", ""), reply=("handled", {"items": ("aa(sv)", items(["reply"]))}, "handled", ""),
            declined=("declined", {"error-code": ("s", "no")}, "declined", "no"),
            cancelled=("cancelled", {}, "cancelled", ""), failed=("failed", {"error-code": ("s", "x")}, "failed", "x"),
            bad=("excellent", {}, "failed", "bad-reply"))
        if kind == "error":
            connection.message(wire.ERROR, "s", wire.body("s", "no"), error="campaign.Error.No",
                               destination=call.sender, reply_serial=call.serial)
            outcome, code = "failed", ""
        else:
            word, values, outcome, code = answers[kind]
            connection.reply(call, "sa{sv}", word, values)
        if row.cancelled and outcome == "cancelled":
            code = "called-off"
        self.requests.answer(application, row.id, outcome, code, "reply" if kind == "reply" else None)
        self.await_end(row)

    def op_hand_back(self, application, place):
        row = self.held(application, place)
        if row is None:
            return
        connection = self.handlers[application]
        connection.message(wire.ERROR, "", b"", error=contract.ERRORS + "HandlerUnavailable",
                           destination=row.delivery.sender, reply_serial=row.delivery.serial)
        connection.request(wire.BROKER, wire.BROKER_PATH, "org.freedesktop.DBus.Peer", "Ping")
        self.requests.hand_back(application, row.id)
        self.await_end(row)

    def await_end(self, row):
        """Waits until the end that the model expects is reported, and compares it."""
        if not row.ended:
            return
        values = self.expect(self.ask(self.witness, "URLs1", "WaitRequest", "sa{sv}", row.id,
                                      {"timeout": ("u", self.patience * 1_000)}), (), "WaitRequest")
        self.compare_result(row, values[0])
        if row.call:
            client, serial = row.call
            row.call = None
            reply = self.clients[client].connection.wait(serial)
            self.compare_result(row, self.expect(reply, (), f"OpenURL of {row.id}")[0])

    def compare_result(self, row, result):
        self.same((result["id"], result["outcome"], result["application"], result["attempts"]),
                  (row.id, row.outcome, row.application, row.attempts), f"I6: the result of {row.id}")
        code = result.get("error-code", "")
        if code != row.code and not (row.code == "called-off" and code == ""):
            raise Wrong(f"the error-code of {row.id} is {code!r}, the model has {row.code!r}")
        self.same(result.get("items"), None if row.reply is None else plain([row.reply]), f"the reply to {row.id}")

    # Requests

    def op_open(self, client, number, scheme, queue, application=None, texts=None, board=None, source=None, path="x"):
        """Queues a request, or sends one and leaves its sender waiting."""
        id = f"campaign-request-{number:04}"
        if id in self.requests.rows:
            return
        url = f"{scheme}:{path}"
        options = {"id": ("s", id), "queue": ("b", queue), "desktop": ("b", False)}
        options |= {"application": ("s", application)} if application else {}
        options |= {"items": ("aa(sv)", items(texts))} if texts is not None else {}
        options |= {"pasteboard": ("s", board)} if board is not None else {}
        options |= {"source-application": ("s", source)} if source else {}
        options |= {} if queue else {"timeout": ("u", 3_600_000)}
        target = application or self.claims.handler(scheme)[0]
        proof = self.source(client, source)
        errors = self.reasons(target, queue, proof, board, texts)
        if not errors and not queue and target in self.requests.paused:
            return
        connection = self.clients[client].connection
        serial = connection.broker("URLs1", "OpenURL", "sa{sv}", url, options)
        sender = proof if source else self.clients[client].bus.name
        row = model.Request(id, url, target, proof, (sender,), queue, texts, (url, options))
        if errors or queue:
            try:
                values = self.expect(connection.wait(serial), errors, f"OpenURL of {url} to {target or 'nobody'}")
            except TimeoutError:
                raise Wrong(f"I18: OpenURL of {url} got no answer")
            if values is None:
                return
            self.same((values[0]["id"], values[0]["outcome"], values[0]["application"]), (id, "queued", target), "OpenURL")
        else:
            row.call = client, serial
            # The calls of one connection take effect in their order.
            self.ask(client, "Pasteboards1", "ListPasteboards", "a{sv}", {"limit": ("u", 1)})
        self.requests.rows[id] = row
        if board is not None:
            self.bind(row, client, board, texts, source)

    def reasons(self, target, queue, proof, board, texts):
        errors = set()
        if not target:
            errors |= {"NoHandler"}
        elif not self.policies.allows(target, proof):
            errors |= {"AccessDenied"}
        if target and not queue and target not in self.handlers:
            errors |= {"HandlerUnavailable"}
        if board is not None and texts is None and board not in self.boards.boards:
            errors |= {"NoSuchPasteboard"}
        return errors

    def bind(self, row, client, board, texts, source):
        """The payload is set on a pasteboard, or is its current version."""
        target = self.boards.boards.get(board)
        if texts is None:
            row.items = list(target.current.items)
            row.keeps = target.current.is_kept
            if target.current.once:
                target.replace(model.Version([]))
                self.learn_empty(board)
            return
        if target is None:
            target = model.Board(board, True)
            self.boards.add(target)
        target.push(model.Version(texts, source=self.source(client, source)))
        self.learn_versions(board)

    def row(self, number):
        rows = list(self.requests.rows.values())
        return rows[number % len(rows)] if rows else None

    def op_cancel(self, client, number):
        row = self.row(number)
        if row is None:
            self.expect(self.ask(client, "URLs1", "CancelRequest", "sa{sv}", "0" * 20, {}), {"NoSuchRequest"}, "Cancel")
            return
        self.expect(self.ask(client, "URLs1", "CancelRequest", "sa{sv}", row.id, {}), (), "CancelRequest")
        if row.state == "waiting":
            row.end("cancelled", "called-off")
            values = self.expect(self.ask(client, "URLs1", "WaitRequest", "sa{sv}", row.id, {"timeout": ("u", 0)}), (),
                                 "WaitRequest")
            self.same(values[0]["outcome"], "cancelled", f"I1, I6: the outcome of {row.id} after CancelRequest")
            self.compare_facts(client, row)
            self.await_end(row)
        elif row.state == "delivered":
            row.cancelled = True
            try:
                call = self.handlers[row.application].wait_call("CancelURL", self.patience)
            except TimeoutError:
                raise Wrong(f"the handler of {row.id} gets no CancelURL")
            self.same(call.values, [row.id], "CancelURL")

    def op_get(self, client, number):
        row = self.row(number)
        if row:
            self.compare_facts(client, row)
            values = self.expect(self.ask(client, "URLs1", "WaitRequest", "sa{sv}", row.id, {"timeout": ("u", 0)}), (),
                                 "WaitRequest")
            self.same(values[0]["outcome"], row.outcome, f"the outcome of {row.id}")

    def compare_facts(self, client, row):
        got = self.expect(self.ask(client, "URLs1", "GetRequest", "sa{sv}", row.id, {}), (), "GetRequest")[0]
        self.same(
            (got["url"], got["application"], got["state"], got["outcome"], got["queue"], got["attempts"],
             got["source-application"], got["source-strength"], got.get("retried-as")),
            (row.url, row.application, row.state, row.outcome, int(row.queue), row.attempts, *row.source, row.retried),
            f"the facts of {row.id}")
        if row.queue and row.outcome != "handled":
            self.same(got.get("item-count"), None if row.items is None else len(row.items), f"the payload of {row.id}")

    def op_drop(self, client, number):
        row = self.row(number)
        if row is None:
            return
        errors = () if row.ended else {"InvalidArguments"}
        if self.expect(self.ask(client, "URLs1", "DropRequest", "sa{sv}", row.id, {}), errors, "DropRequest") is not None:
            del self.requests.rows[row.id]
            for suspects in self.requests.suspects.values():
                suspects.discard(row.id)
            reply = self.ask(client, "URLs1", "GetRequest", "sa{sv}", row.id, {})
            self.expect(reply, {"NoSuchRequest"}, "GetRequest after DropRequest")

    def op_retry(self, client, number, new):
        row, id = self.row(number), f"campaign-request-{new:04}"
        if row is None or id in self.requests.rows:
            return
        errors = set()
        if not row.ended:
            errors |= {"InvalidArguments"}
        elif row.outcome == "handled" or not getattr(row, "keeps", True):
            errors |= {"NoSuchItem"}
        if not self.policies.allows(row.application, row.source):
            errors |= {"AccessDenied"}
        reply = self.ask(client, "URLs1", "RetryRequest", "sa{sv}", row.id, {"id": ("s", id)})
        values = self.expect(reply, errors, f"RetryRequest of {row.id}")
        if values:
            self.same(values, [id], "RetryRequest")
            row.retried = id
            self.requests.rows[id] = model.Request(
                id, row.url, row.application, row.source, row.sender, True, row.items, ("retry", row.id))

    def op_repeat(self, client, number, changed):
        """Calls OpenURL again with the id of an earlier request (I10)."""
        row = self.row(number)
        if row is None or (not row.ended and not row.queue):
            return
        if row.arguments[0] == "retry":
            if row.arguments[1] in self.requests.rows:
                reply = self.ask(client, "URLs1", "RetryRequest", "sa{sv}", row.arguments[1], {"id": ("s", row.id)})
                self.same(self.expect(reply, (), f"I10: a repeated RetryRequest as {row.id}"), [row.id], "RetryRequest")
            return
        url, options = row.arguments
        reply = self.ask(client, "URLs1", "OpenURL", "sa{sv}", url + ("y" if changed else ""), options)
        values = self.expect(reply, {"InvalidArguments"} if changed else (), f"I10: a repeated OpenURL of {row.id}")
        if values and row.ended:
            self.compare_result(row, values[0])
        elif values:
            self.same((values[0]["id"], values[0]["outcome"]), (row.id, "queued"), "I10: a repeated OpenURL")

    def requests_of_leaver(self, client):
        """What happens to the requests of a sender that leaves while it waits."""
        for row in self.requests.rows.values():
            if row.call and row.call[0] == client:
                row.call = None
                if row.state == "waiting":
                    row.end("cancelled", "called-off")
                    row.left = True

    # The broker

    def op_restart(self, number):
        """Ends the broker with a signal, and starts the next one. Not while a sender waits: it would have to repeat."""
        if any(not row.queue and not row.ended for row in self.requests.rows.values()):
            return
        self.place.kill_broker(number)
        self.place.start_broker()
        for client in self.clients.values():
            client.connect()
        self.boards.restart()
        self.requests.restart()
        windows = dict(self.requests.windows)
        for name in sorted(self.handlers, key=lambda name: min(
                claims[name]["live"] for claims in self.claims.schemes.values() if "live" in claims.get(name, {}))
                if "live" in self.claims.kinds(name) else 0):
            self.register(name, windows[name])
        rows = self.expect(self.ask(self.witness, "Pasteboards1", "ListPasteboards", "a{sv}", {}), (), "List")[0]
        # New empty versions replace what was in memory, in any order.
        for name, _, _ in sorted(rows, key=lambda row: row[1]):
            if name in self.boards.boards and self.boards.boards[name].current.count is None:
                self.learn_empty(name)
        self.boards.forgotten = self.boards.last

    def op_observe(self, client):
        """Compares the whole state."""
        rows = self.expect(self.ask(client, "Pasteboards1", "ListPasteboards", "a{sv}", {}), (), "ListPasteboards")[0]
        got = [(name, count, facts["persistent"], facts["item-count"], facts["versions"], facts["history-limit"])
               for name, count, facts in rows]
        boards = sorted(self.boards.boards.values(), key=lambda board: board.name.encode())
        self.same(got, [(one.name, one.current.count, int(one.persistent), len(one.current.items), len(one.versions),
                         one.limit) for one in boards], "the list of pasteboards")
        for board in boards:
            self.learn_versions(board.name)
            for place, version in enumerate(board.versions):
                if not version.once:
                    self.op_read(client, board.name, version=place)
        self.observe_claims(client)
        rows = self.expect(self.ask(client, "URLs1", "ListRequests", "a{sv}", {"limit": ("u", 1_000)}), (), "List")[0]
        self.same([(row["id"], row["state"], row["outcome"], row["attempts"]) for row in rows],
                  [(row.id, row.state, row.outcome, row.attempts) for row in self.requests.rows.values()],
                  "the list of requests")

    def observe_claims(self, client):
        rows = self.expect(self.ask(client, "Schemes1", "ListHandlers", "sa{sv}", "", {}), (), "ListHandlers")[0]
        got = {(scheme.lower(), row["application"], row["handler"], row["stored"], row["default"], row["running"])
               for scheme, row in rows}
        wanted = {(scheme, name, int(name == self.claims.handler(scheme)[0]), int("persistent" in kinds),
                   int(self.claims.defaults.get(scheme) == name), int(name in self.handlers))
                  for scheme, claims in self.claims.schemes.items() for name, kinds in claims.items()}
        self.same(got, wanted, "I21: the list of claims")
        rows = self.expect(self.ask(client, "Schemes1", "ListDefaults", "a{sv}", {}), (), "ListDefaults")[0]
        self.same({scheme: row["application"] for scheme, row in rows}, self.claims.defaults, "I21: the user's choices")
        rows = self.expect(self.ask(client, "Schemes1", "ListPolicies", "a{sv}", {}), (), "ListPolicies")[0]
        self.same({name: (row["default"], row["allow"], row["deny"]) for name, row in rows}, self.policies.rows,
                  "the list of policies")
