"""Operations of handlers, and on requests, each compared with the model."""

import contextlib
import time

import wire
from campaign import contract, model
from campaign.model_calls import APPLICATIONS, Calls, items, plain
from campaign.model import Wrong


class RequestOperations(Calls):
    # Handlers

    def op_hire(self, application, window):
        """A handler starts, or registers again."""
        if application not in self.handlers:
            self.handlers[application] = self.place.connect()
            self.handlers[application].request(*wire.BUS, "RequestName", "su", application, 4)
            self.requests.comes(application, window)
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
            self.await_return(row)

    def pump(self):
        """Takes the deliveries that the model expects, and no other."""
        for application, connection in self.handlers.items():
            while True:
                due = self.requests.due(application)
                call = self.early(connection, due or self.requests.early.get(application, 0))
                if not due and not call:
                    break
                if not due:
                    self.requests.early[application] -= 1
                try:
                    call = call or connection.wait_call("OpenURL", self.patience)
                except TimeoutError:
                    heads = [row.id for row in self.requests.heads(application)]
                    raise Wrong(f"I7: {application} does not get {heads}")
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
            handled=("handled", {}, "handled", ""),
            reply=("handled", {"items": ("aa(sv)", items(["reply"]))}, "handled", ""),
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

    def await_return(self, row):
        """Waits until the broker takes for waiting what a handler had when it left. It asks the bus first which
        deliveries were lost on the way, so it does so soon after the handler has left."""
        if row.state == "waiting":
            self.await_state(row.id, {"waiting"}, "its handler has left")

    def await_state(self, id, states, reason):
        """No event tells another program that a request is accepted, or waits again."""
        end = time.monotonic() + self.patience
        while True:
            reply = self.ask(self.witness, "URLs1", "GetRequest", "sa{sv}", id, {})
            state = "unknown" if reply.kind == wire.ERROR else reply.values[0]["state"]
            if state in states:
                return
            if time.monotonic() > end:
                raise Wrong(f"{id} is {state}, although {reason}")

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
            got = values[0]["id"], values[0]["outcome"], values[0]["application"]
            self.same(got, (id, "queued", target), "OpenURL")
        else:
            row.call = client, serial
            # The broker may ask the bus about the source first, and answer later calls of the client meanwhile.
            self.await_state(id, {"waiting", "delivered"}, f"{client} has opened it")
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
        elif board is not None and texts is None and queue and self.boards.boards[board].current.sensitive:
            errors |= {"InvalidArguments"}
        return errors

    def bind(self, row, client, board, texts, source):
        """The payload is set on a pasteboard, or is its current version."""
        target = self.boards.boards.get(board)
        if texts is None:
            row.items = list(target.current.items)
            # A queued request has its payload on disk from the start.
            row.keeps = row.queue or target.current.is_kept
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
        reply = self.ask(client, "URLs1", "DropRequest", "sa{sv}", row.id, {})
        if self.expect(reply, errors, "DropRequest") is not None:
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
            sender = row.source if row.source[0] else self.clients[client].bus.name
            self.requests.rows[id] = model.Request(
                id, row.url, row.application, row.source, (sender,), True, row.items, ("retry", row.id))

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
