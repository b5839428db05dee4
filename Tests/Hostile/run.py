#!/usr/bin/python3
"""Runs hostile programs against a broker and reports which bounds they broke.

    Tests/Hostile/run.py [--programs FOLDER] [--size small|full] [--seconds N] [--bus daemon|broker]
                         [--limits stock|small] [--json] [--list] [ATTACK …]

Each attack has a private bus, a broker, a handler and six honest clients. The bounds, unless the attack sets others:
the same broker process keeps serving, every client stays connected, no honest client waits longer than 250 ms, broker
and bus each grow by at most 64 MiB, and the attack leaves no connections, descriptors or threads. Without names, the controls and then all attacks run. Each control breaks a
bound, and must be noticed. The exit code is 1 if a bound was broken, or a control was not noticed.
"""

import argparse
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
# The scene starts its bus as the campaign does.
sys.path.append(str(HERE.parent / "Campaign"))

import trials  # noqa: E402


def line(found):
    state = "BROKEN" if found["broken"] else "held"
    figures = {key: value for key, value in found.items() if key not in ("attack", "broken", "waits", "noticed")}
    return f"{found['attack']:24} {state:7} {json.dumps(figures)}" + "".join(f"\n    {b}" for b in found["broken"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default=str(HERE.parents[1] / ".build/release"))
    parser.add_argument("--size", choices=["small", "full"], default=os.environ.get("IPC_TEST_SIZE", "full"))
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--bus", choices=["daemon", "broker"], default="daemon")
    parser.add_argument("--limits", choices=["stock", "small"], default="stock", help="limits of the bus")
    parser.add_argument("--seconds", type=float, default=0, help="repeat each attack for this long")
    parser.add_argument("--list", action="store_true", help="print the names of the attacks")
    parser.add_argument("attack", nargs="*")
    options = parser.parse_args()
    if options.list:
        print("\n".join(trials.names()))
        return 0
    is_broken = False
    for name in options.attack or trials.names():
        found = trials.run(
            name, options.programs, options.size, options.seconds, options.bus, options.limits)
        print(json.dumps(found) if options.json else line(found), flush=True)
        is_broken |= bool(found["broken"])
    return 1 if is_broken else 0


sys.exit(main())
