"""A private message bus for one shard: dbus-daemon or dbus-broker, with stock limits or with small ones."""

import fcntl
import os
import pathlib
import re
import signal
import subprocess
import time

from campaign.shard import ROOT

# The limits of the stock system bus (system.conf of dbus-daemon), which are the smallest that a distribution installs.
SMALL = dict(
    max_incoming_bytes=133_169_152, max_outgoing_bytes=133_169_152, max_message_size=33_554_432,
    max_incoming_unix_fds=64, max_outgoing_unix_fds=64, max_completed_connections=2_048, max_incomplete_connections=64,
    max_connections_per_user=256, max_pending_service_starts=512, max_names_per_connection=512,
    max_match_rules_per_connection=512, max_replies_per_connection=128)

# Read at once: an attack that changes its user can no longer enter the folders of root.
CONFIGURATION = (ROOT / "dbus/test-session.conf.in").read_text()


class Bus:
    """A bus in a folder. `path` is its socket, which stays the same when the bus starts again."""

    def __init__(self, kind, limits, folder, environment):
        self.kind, self.folder, self.environment = kind, pathlib.Path(folder), environment
        self.path = str(self.folder / "bus")
        self.services = self.folder / "services"
        self.services.mkdir(exist_ok=True)
        self.log = self.folder / "bus.log"
        self.configuration = self.folder / "bus.conf"
        self.configuration.write_text(configuration(self.path, self.services, limits))
        self.process = self.pid = None
        # Locked while the bus is away (see `wait_for`).
        self.gate = open(f"{self.path}.gate", "w")

    def add_service(self, name, *command):
        """Lets the bus start a program when its name is needed. The bus reads the file at its start."""
        words = " ".join(str(word) for word in command)
        (self.services / f"{name}.service").write_text(f"[D-BUS Service]\nName={name}\nExec={words}\n")

    def start(self):
        """Returns when the bus accepts connections."""
        if self.kind == "daemon":
            command = ["dbus-daemon", f"--config-file={self.configuration}", "--nofork", "--nopidfile",
                       "--print-address=1"]
        else:
            self.write_units()
            command = ["unshare", "--mount", "--", "python3", "-u", ROOT / "Tests/Campaign/campaign/launcher.py"]
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        if not self.process.stdout.readline():
            raise RuntimeError(f"the bus did not start: {self.log.read_text()[-2_000:]}")
        self.pid = self.process.pid if self.kind == "daemon" else self.child("dbus-broker")
        fcntl.flock(self.gate, fcntl.LOCK_UN)

    def child(self, name):
        """The process below the launcher that has this name; it starts after the launcher says that it is ready."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for pid in descendants(self.process.pid):
                if command(pid) == name:
                    return pid
            time.sleep(0.005)
        raise RuntimeError(f"{name} did not start: {self.log.read_text()[-2_000:]}")

    def kill(self):
        """Kills the bus and everything that belongs to it."""
        if not self.process:
            return
        fcntl.flock(self.gate, fcntl.LOCK_EX)
        # The user manager would start the bus again, so all of its processes are stopped first.
        below = [] if self.kind == "daemon" else [self.process.pid, *descendants(self.process.pid)]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in below:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process = None
        pathlib.Path(self.path).unlink(missing_ok=True)

    def write_units(self):
        """The units with which the launcher's user manager starts dbus-broker (see BrokerLauncher.swift)."""
        units = self.folder / "config/systemd/user"
        units.mkdir(parents=True, exist_ok=True)
        head = "[Unit]\nDefaultDependencies=no\n"
        for name, text in {
            # Replaces Debian's target, which would start other sockets as well.
            "basic.target": "",
            "private-bus.target": "Requires=dbus.socket dbus.service\nAfter=dbus.service\n",
            "dbus.socket": f"[Socket]\nListenStream={self.path}\n",
            "dbus.service":
                "Requires=dbus.socket\nAfter=dbus.socket\n[Service]\nType=notify\nSockets=dbus.socket\n"
                f"ExecStart=dbus-broker-launch --scope user --config-file {self.configuration}\n",
        }.items():
            (units / name).write_text(head + text)


def wait_for(path):
    """Returns when a bus that was killed is there again. Any process may wait; `path` is the socket of the bus."""
    with open(f"{path}.gate") as gate:
        fcntl.flock(gate, fcntl.LOCK_SH)


def configuration(path, services, limits):
    """The configuration of a stock session bus, with other limits if `limits` is `small`."""
    text = CONFIGURATION.replace("@ADDRESS@", f"unix:path={path}").replace("@SERVICES@", str(services))
    if limits == "small":
        text = re.sub(r" *<limit name=.*\n", "", text)
        rows = "".join(f'  <limit name="{name}">{value}</limit>\n' for name, value in SMALL.items())
        text = text.replace("</busconfig>", rows + "</busconfig>")
    return text


def descendants(pid):
    """All processes below a process."""
    found = []
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return found
    for child in children:
        found += [int(child), *descendants(int(child))]
    return found


def command(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except FileNotFoundError:
        return ""
