"""Libraries in C that a row loads into the programs of the debug build, which are linked dynamically."""

import pathlib
import subprocess

from campaign.shard import ROOT

HERE = pathlib.Path(__file__).resolve().parent / "preload"


def library(name):
    """Compiles preload/NAME.c unless it is compiled already; returns the path of the library."""
    source = HERE / f"{name}.c"
    target = ROOT / ".build/campaign" / f"{name}.so"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Shards that run at the same time compile it each on their own; the last one to finish wins.
        temporary = target.with_name(f"{name}.{pathlib.Path('/proc/self').resolve().name}.so")
        subprocess.run(
            ["cc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", temporary, source, "-ldl"], check=True)
        temporary.rename(target)
    return target
