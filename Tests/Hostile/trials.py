"""Carries out attacks, each in a process and a scene of its own."""

import importlib
import json
import os
import pathlib
import shutil
import tempfile
import time
import traceback

import scene

HERE = pathlib.Path(__file__).resolve().parent
NOBODY = 65_534


def names():
    """All attacks, the controls first."""
    found = [path.stem for path in (HERE / "attacks").glob("*.py") if path.stem != "__init__"]
    return sorted(found, key=lambda name: (not name.startswith("control_"), name))


def run(name, programs, size, seconds=0, bus="daemon", limits="stock"):
    """Carries out an attack once, and again until `seconds` have passed. Returns its result, a dictionary with the
    sentences `broken`."""
    attack = importlib.import_module(f"attacks.{name}")
    if getattr(attack, "UNPRIVILEGED", False) and os.geteuid() == 0:
        with tempfile.TemporaryDirectory(prefix="hostile-", dir="/var/tmp") as folder:
            copy_reachable(programs, pathlib.Path(folder))
            return apart(lambda: carry_out(attack, seconds, folder, folder, attack, size, bus, limits), drop=True)
    bus = getattr(attack, "BUS", bus)
    return apart(lambda: carry_out(attack, seconds, programs, HERE, attack, size, bus, limits))


def copy_reachable(programs, folder):
    """Copies the programs and the observer to a folder that every user can enter, unlike the folders of root."""
    folder.chmod(0o755)
    for file in [*pathlib.Path(programs).glob("ipc-*"), *HERE.glob("*.py")]:
        if file.is_file():
            shutil.copy(file, folder)


def apart(work, drop=False):
    """Runs an attack in a separate process, because it may change its user and its limits, and may fail in any way."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        if drop:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            # The saved user stays root, so that the scene can count the descriptors of the broker.
            os.setresuid(NOBODY, NOBODY, 0)
        with os.fdopen(writer, "w") as out:
            json.dump(work(), out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as text:
        found = json.load(text)
    os.waitpid(child, 0)
    return found


def carry_out(attack, seconds, *arguments):
    """Carries out an attack in a scene that is made with `arguments`."""
    try:
        with scene.Scene(*arguments) as place:
            try:
                repeat(attack, place, seconds)
                found = place.result()
            except Exception:
                found = dict(broken=place.broken + place.broken_programs())
                found["broken"].append(f"the attack did not finish: {traceback.format_exc()}")
    except Exception:
        found = dict(broken=[traceback.format_exc()])
    return judged(dict(attack=attack.__name__.split(".")[-1]) | found, attack)


def repeat(attack, place, seconds):
    begin, times = time.monotonic(), 0
    while times == 0 or time.monotonic() < begin + seconds:
        attack.attack(place)
        times += 1
    if times > 1:
        place.note(times=times)


def judged(found, attack):
    """A control must break its expected bound; it does not matter whether it breaks others."""
    expected = getattr(attack, "EXPECTED", None)
    if expected is None:
        return found
    noticed = [sentence for sentence in found["broken"] if expected in sentence]
    return found | dict(
        noticed=noticed, broken=[] if noticed else [f"nothing noticed that \"{expected}\" had to be found"])
