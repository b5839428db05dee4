"""Runs dbus-broker where systemd is not running; the tests in Swift use the same (see BrokerLauncher.swift)."""

import os, socket, subprocess, sys, threading

subprocess.check_call(["mount", "-t", "tmpfs", "none", "/run/systemd"])
os.makedirs("/run/systemd/system")
os.makedirs("/run/systemd/journal")
journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
journal.bind("/run/systemd/journal/socket")

def forward():
    while entry := journal.recv(65536):
        for line in entry.split(b"\n"):
            if line.startswith(b"MESSAGE="):
                sys.stderr.write(line[8:].decode("utf-8", "replace") + "\n")

forwarding = threading.Thread(target=forward, daemon=True)
forwarding.start()
path = os.environ["XDG_RUNTIME_DIR"] + "/ready"
if os.path.exists(path):
    os.unlink(path)
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(path)
manager = subprocess.Popen(
    ["/lib/systemd/systemd", "--user", "--unit=private-bus.target"],
    env=dict(os.environ, NOTIFY_SOCKET=path))

def wait():
    while b"READY=1" not in notify.recv(65536):
        pass
    print("ready", flush=True)

threading.Thread(target=wait, daemon=True).start()
status = manager.wait()
# An empty datagram is the end of the journal.
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"", "/run/systemd/journal/socket")
forwarding.join()
print("systemd ended:", status, file=sys.stderr)
sys.exit(1)
