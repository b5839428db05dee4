"""Describes the machine and the source, and writes figures into a document."""

import datetime
import os
import pathlib
import platform
import subprocess

from .world import ROOT


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(": ")[2]
    return platform.machine()


def system():
    release = pathlib.Path("/etc/os-release")
    names = dict(line.split("=", 1) for line in release.read_text().splitlines() if "=" in line) if release.exists() else {}
    return names.get("PRETTY_NAME", platform.system()).strip('"')


def version(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()[0]


def description():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{datetime.date.today()}, commit {commit()}: {processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, Linux {platform.release()}, "
        f"{system()}, {version('dbus-daemon', '--version')}.")


def commit():
    """The commit of the source if this is a clone, with "-dirty" if files have changed since."""
    found = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"], capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def write_between(name, content, path):
    """Replaces the text of a document between the markers with this name."""
    first, last = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(first)
    after = rest.split(last)[1]
    path.write_text(f"{before}{first}\n{content}\n{last}{after}", encoding="utf-8")
