"""Operations on pasteboards, each compared with the model."""

import wire
from campaign import model
from campaign.model_calls import CLIENTS, Calls, items, path, plain
from campaign.model import TEXT, Wrong


class BoardOperations(Calls):
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
        def call():
            return self.ask(client, "Pasteboard1", member, "aa(sv)a{sv}", items(texts), options, board=board)

        arguments = (board, member, tuple(texts), condition.get("if-change-count"), once, sensitive)
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
            before.items + texts, once or before.once, sensitive or before.sensitive,
            self.source(client, source), self.boards.learn(values[0], f"{member} on {board}")))
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
        def call():
            return self.ask(client, "Pasteboard1", "GetItems", "a{sv}", options, board=board)

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
            # Sensitive content is gone after a restart, but a persistent pasteboard knows that it was taken.
            is_fleeting = None if row.sensitive and target.persistent else not target.persistent
            self.boards.calls[id] = arguments, values[:2], is_fleeting
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
