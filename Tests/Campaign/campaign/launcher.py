"""Runs dbus-broker where systemd is not running. The tests in Swift use this too (`BrokerLauncher.swift`)."""

import contextlib, glob, os, shutil, socket, subprocess, sys, threading

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

def own_cgroup():
    """Moves this process to a cgroup of its own, which becomes the root of the manager's cgroups. In a shared one, a
    manager removes the cgroup that another has just made for a program of the same name. That program then fails at its
    start, which dbus-broker 33 does not report (https://github.com/bus1/dbus-broker/issues/314).
    Also removes the cgroups of launchers that have ended, in each hierarchy."""
    path = [line[3:].rstrip() for line in open("/proc/self/cgroup") if line.startswith("0::")][0]
    trees = ["/sys/fs/cgroup", *glob.glob("/sys/fs/cgroup/*")]
    for former in [each for tree in trees for each in glob.glob(f"{tree}{path}/ipc-bus-*")]:
        if not os.path.exists("/proc/" + former.rpartition("-")[2]):
            for folder, _, _ in os.walk(former, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
    mounted = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"]
    tree = [each for each in mounted if os.path.exists(f"{each}{path}/cgroup.procs")][0]
    own = f"{tree}{path}/ipc-bus-{os.getpid()}"
    os.makedirs(own, exist_ok=True)
    with open(own + "/cgroup.procs", "w") as processes:
        processes.write(str(os.getpid()))

# Where cgroups cannot be changed, the manager uses the shared one.
with contextlib.suppress(OSError, IndexError):
    own_cgroup()
# A manager that was killed leaves the units of the programs that the bus had started. The next manager would read them,
# and refuse to create a unit with the same name: "activation request failed: unit is invalid".
shutil.rmtree(os.environ["XDG_RUNTIME_DIR"] + "/systemd", ignore_errors=True)
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
