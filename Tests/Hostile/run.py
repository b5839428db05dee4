#!/usr/bin/python3
"""Runs hostile programs against a broker and reports which bounds they broke.

    Tests/Hostile/run.py [--programs FOLDER] [--size small|full] [--json] [--list] [ATTACK …]

Each attack has a private bus, a broker, a handler and four honest clients. The bounds, unless the attack sets others:
the same broker process keeps serving, every client stays connected, no honest client waits longer than 250 ms, and
broker and bus each grow by at most 64 MiB. Without names, the controls and then all attacks run. Each control breaks a
bound, and must be noticed. The exit code is 1 if a bound was broken, or a control was not noticed.
"""

import argparse
import importlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import traceback

import scene

HERE = pathlib.Path(__file__).resolve().parent
NOBODY = 65_534


def names():
    """All attacks, the controls first."""
    found = [path.stem for path in (HERE / "attacks").glob("*.py") if path.stem != "__init__"]
    return sorted(found, key=lambda name: (not name.startswith("control_"), name))


def run(name, programs, size):
    attack = importlib.import_module(f"attacks.{name}")
    if getattr(attack, "UNPRIVILEGED", False) and os.geteuid() == 0:
        with tempfile.TemporaryDirectory(prefix="hostile-", dir="/var/tmp") as folder:
            copy_reachable(programs, pathlib.Path(folder))
            return carry_out(name, attack, folder, folder, size, drop=True)
    return carry_out(name, attack, programs, HERE, size, drop=False)


def copy_reachable(programs, folder):
    """Copies the programs and the observer to a folder that every user can enter, unlike the folders of root."""
    folder.chmod(0o755)
    for file in [*pathlib.Path(programs).glob("ipc-*"), *HERE.glob("*.py")]:
        if file.is_file():
            shutil.copy(file, folder)


def carry_out(name, attack, programs, tools, size, drop):
    # The attack runs in a separate process, because it may change its user and its limits, and may fail in any way.
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        if drop:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        try:
            with scene.Scene(programs, tools, attack, size) as place:
                try:
                    attack.attack(place)
                    found = place.result()
                except Exception:
                    found = dict(attack=name, broken=place.broken_programs())
                    found["broken"].append(f"the attack did not finish: {traceback.format_exc()}")
        except Exception:
            found = dict(attack=name, broken=[traceback.format_exc()])
        with os.fdopen(writer, "w") as out:
            json.dump(judged(found, attack), out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as text:
        found = json.load(text)
    os.waitpid(child, 0)
    return found


def judged(found, attack):
    """A control must break its expected bound; it does not matter whether it breaks others."""
    expected = getattr(attack, "EXPECTED", None)
    if expected is None:
        return found
    noticed = any(expected in sentence for sentence in found["broken"])
    return found | dict(broken=[] if noticed else [f"nothing noticed that \"{expected}\" had to be found"])


def line(found):
    state = "held" if not found["broken"] else "BROKEN"
    figures = {key: value for key, value in found.items() if key not in ("attack", "broken", "waits")}
    return f"{found['attack']:24} {state:7} {json.dumps(figures)}" + "".join(f"\n    {b}" for b in found["broken"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=str(HERE.parents[1] / ".build/release"))
    parser.add_argument("--size", choices=["small", "full"], default=os.environ.get("IPC_TEST_SIZE", "full"))
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--list", action="store_true", help="print the names of the attacks")
    parser.add_argument("attack", nargs="*")
    options = parser.parse_args()
    if options.list:
        print("\n".join(names()))
        return 0
    is_broken = False
    for name in options.attack or names():
        found = run(name, options.programs, options.size)
        print(json.dumps(found) if options.json else line(found), flush=True)
        is_broken |= bool(found["broken"])
    return 1 if is_broken else 0


sys.exit(main())
