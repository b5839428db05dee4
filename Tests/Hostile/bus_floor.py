#!/usr/bin/python3
"""Measures how long a flood delays the callers of a service that does nothing, on dbus-daemon and on dbus-broker.

    Tests/Hostile/bus_floor.py [SECONDS]

Programs flood a C service (`Benchmarks/Floor/echo.c`), which answers each call at once with nothing, and read no
answers. "One by one" means that each waits, before its next message, until the service has read the last one. Another
program calls the service one call at a time. This is the delay that the bus itself causes, because it puts the calls of
others behind the flood. No service can be better, so it is the limit of what this project promises.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FLOOR = HERE.parents[1] / "Benchmarks/Floor"
sys.path.append(str(HERE.parent / "Campaign"))

import children  # noqa: E402
import wire  # noqa: E402
from campaign import buses  # noqa: E402

NAME = "floor.Echo"
KINDS = {
    "calls": dict(),
    "pings without a reply": dict(flags=wire.NO_REPLY),
    "calls of 1 MiB": dict(size=1 << 20, programs=4),
    "calls of 1 MiB, one by one": dict(size=1 << 20, programs=4, is_paced=True),
    "calls of 15 MiB": dict(size=15 << 20),
    "calls of 15 MiB, one by one": dict(size=15 << 20, programs=4, is_paced=True)}


def message(flags, size):
    """A call of the service."""
    body = wire.body("ay", bytes(size)) if size else b""
    return wire.message(
        1, wire.CALL, "ay" if size else "", body, flags, destination=NAME, path="/", interface=NAME, member="Echo")


def waits(path, seconds):
    """The waits of the honest program in milliseconds, and how its connection ended if the bus cut it off."""
    found, end = [], time.monotonic() + seconds
    try:
        caller = wire.Connection(path)
        while time.monotonic() < end:
            begin = time.monotonic()
            caller.request(NAME, "/", NAME, "Echo")
            found.append((time.monotonic() - begin) * 1_000)
            time.sleep(0.005)
    except (wire.Gone, OSError) as error:
        return found, f", then disconnected ({type(error).__name__})"
    return found, ""


def measure(kind, title, seconds, program, flags=0, size=0, programs=2, is_paced=False):
    with tempfile.TemporaryDirectory(prefix="floor-", dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        environment = os.environ | dict(
            HOME=folder, XDG_RUNTIME_DIR=folder, XDG_CONFIG_HOME=f"{folder}/config",
            DBUS_SESSION_BUS_ADDRESS=f"unix:path={folder}/bus")
        bus = buses.Bus(kind, "stock", folder, environment)
        bus.start()
        service = subprocess.Popen([program, "server", NAME], env=environment, stdout=subprocess.PIPE)
        service.stdout.readline()

        def flood(tell):
            connection, paced = wire.Connection(bus.path), bus.path if is_paced else None
            tell(children.pour(connection, message(flags, size), seconds, paced, service=NAME))

        floods = [children.Child(flood) for _ in range(programs)]
        found, end = waits(bus.path, seconds)
        for child in floods:
            child.end()
        service.kill()
        service.wait()
        bus.kill()
    found = sorted(found) or [0]
    print(f"dbus-{kind:6}  {title:27}  {len(found):5} calls, p99 {found[len(found) * 99 // 100]:6.0f} ms, the longest "
          f"{found[-1]:6.0f} ms{end}", flush=True)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/echo"
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "dbus-1"], check=True, capture_output=True, text=True).stdout.split()
        subprocess.run(["cc", "-O2", FLOOR / "echo.c", "-o", program, *flags], check=True)
        for kind in ("daemon", "broker"):
            for title in KINDS:
                measure(kind, title, seconds, program, **KINDS[title])


main()
