"""10,000 connections come and go, on the bus and direct ones: some leave with calls in flight, others in the middle of
the handshake."""

import os
import socket

import children
import wire


def hello(path):
    wire.Connection(path).close()


def call(path):
    wire.Connection(path).ask("Broker1", "Describe", "a{sv}", {})


def leave(path):
    """Leaves with calls in flight: they read, watch, create and claim."""
    caller = wire.Connection(path)
    caller.pasteboard("observer", "GetItems", "a{sv}", {})
    caller.broker("Pasteboards1", "WaitForChange", "asta{sv}", [], 0, {})
    caller.broker("Pasteboards1", "CreateUniquePasteboard", "a{sv}", {})
    caller.broker("Broker1", "Connect", "a{sv}", {})
    caller.broker("URLs1", "OpenURL", "sa{sv}", "ipcserver.demo:x", {"timeout": ("u", 5_000)})
    caller.close()


def own(path):
    """Claims a scheme, and leaves."""
    caller = wire.Connection(path)
    caller.request(*wire.BUS, "RequestName", "su", "com.example.Coming", 4)
    caller.ask("Schemes1", "Register", "sasa{sv}", "com.example.Coming", ["coming"], {})


def direct(path):
    wire.Connection(path).direct().ask("Broker1", "Describe", "a{sv}", {})


def leave_direct(path):
    caller = wire.Connection(path).direct()
    caller.pasteboard("observer", "GetItems", "a{sv}", {})
    caller.broker("Pasteboards1", "WaitForChange", "asta{sv}", [], 0, {})
    caller.close()


def half_direct(path):
    """Connects to the broker, and leaves before the handshake."""
    caller = wire.Connection(path)
    descriptor = caller.ask("Broker1", "Connect", "a{sv}", {}).descriptors[0]
    with socket.socket(socket.AF_UNIX) as half:
        half.connect(f"/proc/self/fd/{descriptor}")
        half.sendall(b"\0AUTH EXT")
    os.close(descriptor)


KINDS = (hello, call, leave, own, direct, leave_direct, half_direct)


def attack(scene):
    count = scene.full(10_000, 560) // 4

    def come_and_go(first):
        def work(tell):
            for number in range(count):
                KINDS[(first + number) % len(KINDS)](scene.path)
            tell(count)
        return work

    done = children.together(*(come_and_go(first) for first in range(4)))
    scene.note(connections=sum(map(int, done)))
