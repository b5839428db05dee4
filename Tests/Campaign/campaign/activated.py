#!/usr/bin/python3
"""A handler that the bus starts: it notes what it gets, and ends or waits at the moment that its plan names.

    activated.py BUS APPLICATION FOLDER

FOLDER/plan.json has a behaviour for each start; further starts behave well. FOLDER/log gets a line for each event:
`start NUMBER PID TIME`, `own`, `got ID ATTEMPT URL`, `answer ID`. Each line is one write, so it is whole even after a
crash.
"""

import json
import os
import pathlib
import signal
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "Hostile")]
import wire  # noqa: E402


class Handler:
    def __init__(self, bus, application, folder):
        self.bus, self.application, self.folder = bus, application, pathlib.Path(folder)
        self.log = os.open(self.folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        own = f"start {os.getpid()} {time.monotonic() * 1_000:.0f}"
        self.note(own)
        starts = [line for line in (self.folder / "log").read_text().splitlines() if line.startswith("start ")]
        plan = json.loads((self.folder / "plan.json").read_text())
        place = starts.index(own)
        self.plan = plan[place] if place < len(plan) else {}

    def note(self, line):
        os.write(self.log, line.encode() + b"\n")

    def crash(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def run(self):
        time.sleep(self.plan.get("sleep", 0))
        match self.plan.get("start"):
            case "crash": self.crash()
            case "exit": os._exit(0)
            case "fail": os._exit(3)
        if self.plan.get("twin"):
            self.note(f"start {os.getpid()} 0")
        connection = wire.Connection(self.bus)
        connection.request(*wire.BUS, "RequestName", "su", self.application, 4)
        self.note("own")
        if self.plan.get("start") == "crash-with-name":
            self.crash()
        while True:
            self.handle(connection, connection.wait_call("OpenURL", 1e6))

    def handle(self, connection, call):
        """Handles one request as the plan says; a URL with `crash` always crashes the handler."""
        identifier, url, context = call.values
        mode = self.plan.get("mode")
        if mode != "lie":
            self.note(f"got {identifier} {context['attempt']} {url}")
        if mode == "crash-with-request" or "crash" in url:
            self.crash()
        body = wire.body("sa{sv}", "handled", {})
        message = wire.header(
            wire.RETURN, connection.next_serial(), len(body), destination=call.sender, reply_serial=call.serial,
            signature="sa{sv}") + body
        if mode == "crash-in-answer":
            connection.send(message[:len(message) // 2])
            self.crash()
        self.note(f"answer {identifier}")
        connection.send(message)
        if mode == "crash-after-answer":
            self.crash()


if __name__ == "__main__":
    try:
        Handler(*sys.argv[1:]).run()
    except (wire.Gone, BrokenPipeError, ConnectionError):
        pass
