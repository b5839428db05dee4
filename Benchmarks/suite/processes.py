"""P1: whole processes, from start to exit, while the bus, the broker and the handler are already running."""

import pathlib
import subprocess

from .rows import Row
from .world import BROKER, LOAD, FLOOR, World

ECHO = "floor.Handler"
CLIENT = pathlib.Path(__file__).with_name("python_client.py")


def peers(world):
    """Programs that make one call, either to a service that does nothing or to the one that opens URLs."""
    return {
        "dbus-send": ["dbus-send", "--print-reply", f"--dest={ECHO}", "/", "floor.Echo.Echo"],
        "busctl call": ["busctl", "--user", "call", ECHO, "/", "floor.Echo", "Echo"],
        "gdbus call": ["gdbus", "call", "--session", "--dest", ECHO, "--object-path", "/", "--method", "floor.Echo.Echo"],
        "gio open": ["gio", "open", "ipcbench:hello"],
        "C with libdbus": [FLOOR / "echo", "once", ECHO],
    }


def register_for_gio(world):
    """Registers a program that does nothing for the scheme ipcbench, as a desktop would."""
    folder = world.folder / "data/applications"
    folder.mkdir(parents=True)
    (folder / "ipcbench.desktop").write_text(
        "[Desktop Entry]\nType=Application\nName=Nothing\nExec=/bin/true %u\nMimeType=x-scheme-handler/ipcbench;\n")
    (folder / "mimeapps.list").write_text("[Default Applications]\nx-scheme-handler/ipcbench=ipcbench.desktop\n")


def measure(sizes):
    with World() as world:
        register_for_gio(world)
        world.start_broker()
        world.start("ipc-server", word="listening", stdout=subprocess.DEVNULL)
        world.start_floor("echo", "server", ECHO)
        send = ["ipc-client", "send", "hello"]
        what = "ipc-client send hello, whole process (durable, answered)"
        to_dbus_send = Row("P1", f"{what} : one dbus-send call", "ms", most=1.5)
        to_busctl = Row("P1", f"{what} : busctl call", "ms", most=1.0)
        others = {
            name: Row("", f"{what} : {name}", "ms")
            for name in ["gdbus call", "gio open", "C with libdbus", "the same request in Python"]
        }
        parts = {
            "process start and option parsing (--version)": ["ipc-client", "--version"],
            "a process that uses the library only to connect": [LOAD, "connect-only"],
            "connect and make one query (scheme can-open)": ["ipc-client", "scheme", "can-open", "IPCServer.demo:"],
        }
        split = {name: Row("", f"of that: {name} : one dbus-send call", "ms") for name in parts}
        commands = peers(world) | {"the same request in Python": ["/usr/bin/python3", CLIENT]}
        for _ in range(sizes.rounds):
            ours = world.times(sizes.processes, *send)
            theirs = {name: world.times(sizes.processes, *command) for name, command in commands.items()}
            to_dbus_send.add(ours, theirs["dbus-send"])
            to_busctl.add(ours, theirs["busctl call"])
            for name, row in others.items():
                row.add(ours, theirs[name])
            for name, command in parts.items():
                split[name].add(world.times(sizes.processes, *command), theirs["dbus-send"])
        return [to_dbus_send, to_busctl, *split.values(), *others.values()]
