"""Operations on a real broker, each compared with the model. A run is a list of (operation, arguments), all JSON.

An operation that does not fit the state, such as an answer while nothing is delivered, does nothing. So any part of a
list is a list that can run, which is what a shrinker needs.
"""

import contextlib

import wire
from campaign import model
from campaign.board_operations import BoardOperations
from campaign.model_calls import APPLICATIONS, BOARDS, CLIENTS, SCHEMES  # noqa: F401
from campaign.claim_operations import ClaimOperations
from campaign.request_operations import RequestOperations


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


class World(BoardOperations, ClaimOperations, RequestOperations):
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
        self.pump()

    # Programs

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
