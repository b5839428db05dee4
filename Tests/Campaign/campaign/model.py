"""A model of the broker's state, written from dbus/*.xml alone: pasteboards, claims, policies, and requests.

It does no input or output. Change counts and generated names come from the broker; the model says how they compare.
"""

import dataclasses

TEXT = "text/plain;charset=utf-8"
# How many earlier versions a pasteboard keeps (HistoryLimit).
EARLIER_VERSIONS = 1


class Wrong(Exception):
    """The broker and the model disagree."""


# Pasteboards (org.swiftipc.Pasteboards1, Pasteboard1)

@dataclasses.dataclass
class Version:
    items: list
    once: bool = False
    sensitive: bool = False
    source: tuple = ("", "unknown")
    # Not known until the broker reports it.
    count: int | None = None

    @property
    def is_kept(self):
        """Whether it becomes an earlier version when the next one is set."""
        return not self.once and not self.sensitive


@dataclasses.dataclass
class Board:
    name: str
    persistent: bool
    limit: int = dataclasses.field(default_factory=lambda: EARLIER_VERSIONS)
    versions: list = dataclasses.field(default_factory=list)
    # The client whose departure removes it.
    owner: str | None = None

    @property
    def current(self):
        return self.versions[-1]

    def push(self, version):
        if self.versions and not self.current.is_kept:
            self.versions.pop()
        self.versions.append(version)
        self.trim()

    def replace(self, version):
        """The current version is consumed, taken or expired: nobody can read it again."""
        self.versions[-1] = version

    def trim(self):
        self.versions = self.versions[max(0, len(self.versions) - 1 - self.limit):]


class Boards:
    def __init__(self):
        self.boards = {"general": Board("general", False, 20, [Version([])])}
        # The highest change count that the broker has reported.
        self.last = 0
        # The names and counts of removals, and names whose removal the broker need not remember.
        self.removed, self.vanished = {}, set()
        # Before this count, the broker may not know all removals, because pasteboards in memory end with a broker.
        self.forgotten = 0
        # For each id of a repeatable call: its arguments, its result, and whether only the memory of the broker has it.
        # None: it is not specified whether the next broker knows the id, and `unsure` has such ids after a restart.
        self.calls, self.unsure = {}, set()

    def learn(self, count, what):
        """A new count is higher than each earlier one (I11)."""
        if count <= self.last:
            raise Wrong(f"I11: {what} has the change count {count}, and {self.last} is used already")
        self.last = count
        return count

    def add(self, board):
        self.boards[board.name] = board
        self.removed.pop(board.name, None)
        self.vanished.discard(board.name)

    def remove(self, name):
        del self.boards[name]

    def vanish(self, names):
        for name in list(names):
            del self.boards[name]
            self.vanished.add(name)

    def restart(self):
        """What a broker finds in the store of an earlier one."""
        self.vanish(name for name, board in self.boards.items() if not board.persistent)
        self.boards["general"] = Board("general", False, 20, [Version([])])
        self.vanished.discard("general")
        for board in self.boards.values():
            if board.current.sensitive:
                board.replace(Version([]))
        self.unsure |= {id for id, call in self.calls.items() if call[2] is None}
        self.calls = {id: call for id, call in self.calls.items() if call[2] is False}


# Claims (org.swiftipc.Schemes1)

class Claims:
    def __init__(self):
        # For each scheme in lower case: for each application, the age of its claim of each kind.
        self.schemes, self.defaults, self.age = {}, {}, 0
        self.running = set()

    def register(self, application, schemes, kind):
        for scheme in schemes:
            self.age += 1
            self.schemes.setdefault(scheme.lower(), {}).setdefault(application, {}).setdefault(kind, self.age)

    def unregister(self, application, schemes, kinds):
        for scheme in list(self.schemes) if not schemes else {scheme.lower() for scheme in schemes}:
            claims = self.schemes.get(scheme, {})
            for kind in kinds:
                claims.get(application, {}).pop(kind, None)
            if not claims.get(application, True):
                del claims[application]
            if scheme in self.schemes and not claims:
                del self.schemes[scheme]

    def kinds(self, application):
        return {kind for claims in self.schemes.values() for kind in claims.get(application, {})}

    def order(self, scheme):
        """The claims, the first without a choice of the user first: lasting ones before live ones, then by age."""
        claims = self.schemes.get(scheme.lower(), {})
        return sorted(claims, key=lambda name: (
            "persistent" not in claims[name], claims[name].get("persistent") or claims[name]["live"]))

    def handler(self, scheme):
        """The application that gets a URL, and the rule by which it does."""
        chosen, order = self.defaults.get(scheme.lower()), self.order(scheme)
        if chosen in order:
            return chosen, "default"
        if not order:
            return "", "no-handler"
        lasting = "persistent" in self.schemes[scheme.lower()][order[0]]
        return order[0], "oldest-persistent" if lasting else "oldest-live"


class Policies:
    def __init__(self):
        self.rows = {}

    def allows(self, application, source):
        default, allow, deny = self.rows.get(application, ("allow", [], []))
        name, strength = source
        if name and name in deny:
            return False
        if strength == "owned" and name in allow:
            return True
        return default == "allow"


# Requests (org.swiftipc.URLs1)

@dataclasses.dataclass
class Request:
    id: str
    url: str
    application: str
    source: tuple
    # The requests with the same key are delivered in order.
    sender: tuple
    queue: bool
    items: list | None
    # The arguments of the call, for a repeated call.
    arguments: tuple
    state: str = "waiting"
    outcome: str = "queued"
    attempts: int = 0
    crashes: int = 0
    cancelled: bool = False
    code: str = ""
    retried: str | None = None
    reply: str | None = None
    # The call whose sender waits, as (client, serial number).
    call: tuple | None = None

    @property
    def ended(self):
        return self.state == "ended"

    def end(self, outcome, code="", reply=None):
        self.state, self.outcome, self.code, self.reply = "ended", outcome, code, reply


class Requests:
    MOST_CRASHES = 3

    def __init__(self):
        # In the order of acceptance.
        self.rows = {}
        # For each application: the requests that its handler has, and those that must be delivered one at a time.
        # An application in `paused` has returned a request, and gets nothing until it registers again.
        self.held, self.suspects, self.paused = {}, {}, set()
        self.windows = {}
        # The windows of handlers that have left, and how many requests more than its window a handler may still get,
        # because it owned its bus name before it registered with a smaller window than its predecessor.
        self.former, self.early = {}, {}

    def waiting(self, application):
        return [row for row in self.rows.values() if row.application == application and row.state == "waiting"]

    def heads(self, application):
        """The requests that may be delivered next: the first of each sender."""
        found = {}
        for row in self.waiting(application):
            found.setdefault(row.sender, row)
        return list(found.values())

    def due(self, application):
        """How many more deliveries the handler must get now."""
        if application in self.paused or application not in self.windows:
            return 0
        suspects = [id for id in self.suspects.get(application, ()) if not self.rows[id].ended]
        window = 1 if suspects else self.windows[application]
        held = len(self.held.setdefault(application, []))
        return max(0, min(window - held, len(self.waiting(application))))

    def deliver(self, application, id):
        row = self.rows.get(id)
        if row not in self.heads(application):
            raise Wrong(f"I8: {application} gets {id}, which is {row and row.state}, before "
                        f"{[head.id for head in self.heads(application)]}")
        row.state = "delivered"
        row.attempts += 1
        self.held[application].append(id)
        return row

    def answer(self, application, id, outcome, code="", reply=None):
        self.held[application].remove(id)
        self.rows[id].end(outcome, code, reply)

    def hand_back(self, application, id):
        """The handler returns a request unread. It gets nothing until it registers again."""
        self.held[application].remove(id)
        row = self.rows[id]
        if row.cancelled:
            row.end("cancelled", "called-off")
        else:
            row.state = "waiting"
        self.paused.add(application)

    def comes(self, application, window):
        """A handler owns its bus name, before it registers with a window."""
        self.early[application] = max(0, self.former.get(application, 0) - window)

    def leave(self, application):
        """The handler leaves the bus with all that it has. Returns the requests that this concerns."""
        held = self.held.pop(application, [])
        self.former[application] = self.windows.pop(application)
        self.paused.discard(application)
        suspects = self.suspects.setdefault(application, set())
        suspects.update(id for id in held if self.rows[id].queue)
        for id in held:
            row = self.rows[id]
            row.crashes += len(held) == 1
            if not row.queue:
                row.end("failed", "handler-ended")
            elif row.crashes >= self.MOST_CRASHES:
                row.end("failed", "parked")
            elif row.cancelled:
                row.end("cancelled", "called-off")
            else:
                row.state = "waiting"
        # The bus cannot start this handler, so requests whose senders wait end.
        unavailable = [row for row in self.waiting(application) if not row.queue]
        for row in unavailable:
            row.end("unavailable")
        return [self.rows[id] for id in held] + unavailable

    def restart(self):
        """Queued requests are delivered again by the next broker; the row drives no restart while a sender waits."""
        self.held, self.suspects, self.paused = {name: [] for name in self.windows}, {}, set()
        self.former, self.early = {}, {}
        for row in self.rows.values():
            if row.state == "delivered":
                row.state, row.cancelled = "waiting", False
