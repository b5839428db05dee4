"""Requests that clients sent, the handler that gets them, and whether a broker that was killed still has them
(I1, I2, I6, I7, I10)."""

import wire
from campaign import values
from campaign.calls import Call, Items, identifier
from campaign.ledger import Shared
from campaign.shard import Broken

APPLICATION, SCHEME = "org.example.Campaign", "campaign"
ANNOTATION = "text/plain"


class Handler:
    """A program that gets the requests. It answers most at once, and some only at its next turn; none if it holds."""

    def __init__(self, load):
        self.load, self.held, self.isholding = load, [], False
        self.connection = load.place.connect()
        self.connection.request(*wire.BUS, "RequestName", "su", APPLICATION, 4)

    def fileno(self):
        return self.connection.fileno()

    def register(self):
        """Claims the scheme, as a program does at its start and after each restart of the broker."""
        options = {"persistent": ("b", True), "fd": ("b", True), "window": ("u", 8)}
        reply = self.connection.wait(self.connection.broker(
            "Schemes1", "Register", "sasa{sv}", APPLICATION, [SCHEME], options, flags=wire.NO_START))
        if reply.kind == wire.ERROR:
            raise Broken(f"the handler cannot register: {reply.text}")
        self.serve(reads=False)

    def serve(self, reads=True):
        if reads:
            self.connection.receive()
        self.connection.sort()
        calls, self.connection.others = self.connection.others, []
        self.answer_all()
        for call in calls:
            if call.kind == wire.CALL and call.member == "OpenURL":
                self.load.books.requests.delivered(call)
                if self.isholding or self.load.random.random() < 0.2:
                    self.held.append(call)
                else:
                    self.answer(call)

    def answer(self, call):
        identity, url, _ = call.values
        self.connection.reply(call, "sa{sv}", outcome_of(url), {"items": ("aa(sv)", [[(ANNOTATION, ("s", identity))]])})

    def answer_all(self):
        """Answers what it has."""
        while self.held and not self.isholding:
            self.answer(self.held.pop(0))

    def close(self):
        self.answer_all()
        # From here on, no call reaches the broker before the news that the name has no owner. dbus-broker may notice
        # the end of a connection only after later calls of other clients.
        self.connection.request(*wire.BUS, "ReleaseName", "s", APPLICATION)
        self.connection.close()


def outcome_of(url):
    """The outcome that the handler answers with. It is the last part of the URL."""
    return url.rsplit(":", 1)[1]


class Requests:
    """All requests of the clients. A request is `settled` once its outcome was read after two restarts."""

    KINDS = dict(queue=70, wait=30)
    MOST = 60

    def __init__(self, sizes):
        self.sizes, self.calls, self.number, self.settled = sizes, {}, 0, set()
        self.round = 0

    def next(self, client):
        if self.round >= self.MOST:
            return None
        self.round += 1
        kind, = client.random.choices(list(self.KINDS), self.KINDS.values())
        return self.request(client, kind, self.value(client.random))

    def value(self, random):
        self.number += 1
        return values.named("request", self.number, self.sizes(random))

    def request(self, client, kind, value, **more):
        """A call that opens a URL with a payload of one item."""
        identity = identifier(client.random)
        url = f"{SCHEME}:{value}:{client.random.choice(('handled', 'handled', 'declined'))}"
        options = {"id": ("s", identity), "items": ("aa(sv)", Items([value]))}
        options |= {"timeout": ("u", 60_000)} if kind == "wait" else {"queue": ("b", True)}
        options |= more.pop("options", {})
        facts = dict(ledger=self, kind=kind, value=value, identity=identity, url=url) | more
        call = Call("URLs1", "OpenURL", "sa{sv}", url, options, refusals=("HandlerUnavailable",), **facts)
        call.attempt, call.outcome = 0, None
        self.calls[identity] = call
        return call

    # Answers and deliveries

    def done(self, call):
        if call.state != "done":
            return
        result, = call.reply.values
        if call.kind == "wait" and result["outcome"] == "queued":
            raise Broken(f"I6: {call} ended as queued")
        if result["outcome"] != "queued":
            self.ended(call, result)

    def ended(self, call, facts):
        """Compares an outcome with the answer of the handler, and with the outcome that was read before (I6)."""
        outcome = facts["outcome"]
        if call.outcome not in (None, outcome):
            raise Broken(f"I6: the outcome of {call} was {call.outcome}, and is now {outcome}")
        call.outcome = outcome
        if not call.attempt:
            raise Broken(f"I6: {call} ended as {outcome}, but no handler ever got it")
        if outcome != outcome_of(call.url):
            raise Broken(f"I6: {call} ended as {facts}, but its handler answered {outcome_of(call.url)}")
        if facts.get("items") != [[(ANNOTATION, call.identity)]]:
            raise Broken(f"I1: {call} ended with the reply {facts.get('items')}, not with that of its handler")

    def delivered(self, message):
        identity, url, context = message.values
        call = self.calls.get(identity)
        if not call or call.url != url:
            raise Broken(f"I7: the handler got {url} as {identity}, which no client sent")
        if call.state == "refused":
            raise Broken(f"I2: the handler got {call}, which was refused with {call.error}")
        if context["attempt"] <= call.attempt:
            raise Broken(f"I7: the handler got attempt {context['attempt']} of {call} after {call.attempt}")
        if call.outcome:
            raise Broken(f"I6: the handler got {call} again after it had ended as {call.outcome}")
        call.attempt = context["attempt"]
        names = values.names_in(message, context["items"])
        if names != (call.value,):
            raise Broken(f"I7: the handler got {names} with {call}")

    # After a restart

    def look(self, client, call):
        """What the broker knows of a request; nothing if it does not know it."""
        reply = client.ask("URLs1", "GetRequest", "sa{sv}", call.identity, {}, refusals=("NoSuchRequest",))
        return None if reply.kind == wire.ERROR else reply.values[0]

    def check(self, client):
        """Every accepted request is there, as it was sent or with its outcome; then repeats those without an answer."""
        open_calls = [call for call in self.calls.values() if call.identity not in self.settled]
        for call in open_calls:
            self.check_one(client, call)
        if client.beside:
            self.repeat(client, open_calls)
        self.round = 0

    def check_one(self, client, call):
        facts = self.look(client, call)
        if facts is None:
            if call.state == "done" or call.outcome:
                raise Broken(f"I1: {call} was accepted, and the broker has lost it")
            return
        if call.state == "refused":
            raise Broken(f"I2: {call} was refused with {call.error}, but the broker has it as {facts}")
        if facts["url"] != call.url:
            raise Broken(f"I2: the URL of {call} is {facts['url']}")
        if facts["state"] == "ended":
            if call.outcome:
                self.settled.add(call.identity)
            self.ended(call, facts)
        elif call.outcome:
            raise Broken(f"I6: {call} had ended as {call.outcome}, and is now {facts['state']}")
        # The broker stores the payload of a waiting request at its end; before, the repeated call brings it again.
        elif call.kind == "queue" and (facts.get("item-count"), facts.get("size")) != (1, values.size(call.value)):
            raise Broken(f"I2: the payload of {call} is incomplete: {facts}")

    def repeat(self, client, calls):
        """Repeats what got no answer (I10). With its handler there, a request that waits reaches its outcome."""
        again = [call for call in calls if call.state == "done" and call.kind == "queue"]
        again = client.random.sample(again, min(2, len(again)))
        for call in [call for call in calls if call.state == "unknown" and call.ledger is self] + again:
            client.perform(call, repeated=("b", True))
            if call.state == "refused":
                raise Broken(f"I10: the repetition of {call} failed with {call.error}")
            self.done(call)

    def finish(self, client, handler):
        """Waits until every accepted request has reached its outcome (I6)."""
        handler.answer_all()
        for call in self.calls.values():
            if call.state == "done" and not call.outcome:
                facts = {"outcome": "queued"}
                while facts["outcome"] == "queued":
                    facts = client.ask("URLs1", "WaitRequest", "sa{sv}", call.identity, {}).values[0]
                self.ended(call, facts)


class Sent(Shared):
    """A persistent pasteboard that requests set. The request and the version exist together, or neither does (I2)."""

    KINDS = dict(send=60, set=20, add=10, get=10)

    def __init__(self, name, counts, sizes, requests):
        super().__init__(name, counts, sizes)
        self.requests = requests

    def change(self, client, kind, wanted=None):
        if kind != "send":
            return super().change(client, kind, wanted)
        call = self.requests.request(
            client, "queue", self.value(client.random), options={"pasteboard": ("s", self.name)}, ledger=self,
            floor=self.counts.greatest, expected=None, effect=None)
        self.writers[call.value] = call
        self.calls.append(call)
        return call

    def done(self, call):
        if call.kind == "queue":
            self.requests.done(call)
        super().done(call)

    def count_in(self, call):
        return call.reply.values[0]["change-count"] if call.kind == "queue" else super().count_in(call)

    def judge(self, client, read):
        super().judge(client, read)
        for call in self.calls:
            if call.kind == "queue" and call.state == "unknown":
                isknown = self.requests.look(client, call) is not None
                if isknown != (call.effect is not None):
                    raise Broken(f"I2: of {call}, the broker has {'only the request' if isknown else 'no request'}; "
                                 f"its version is {call.effect}")
