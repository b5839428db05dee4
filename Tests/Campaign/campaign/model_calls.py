"""Calls of the programs in a run of operations, and the comparison of their answers with the model."""

import wire
from campaign import contract
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


class Calls:
    """What the operations have in common. `World` has the programs and the model."""

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
