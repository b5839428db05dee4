"""P9: the longest wait of an honest client while one client misbehaves, for each hostile program of the tests."""

import json
import subprocess
import sys

from .rows import Row
from .world import RELEASE, ROOT, Failure

GOAL = 250


def measure(sizes):
    run = subprocess.run(
        [sys.executable, "-B", str(ROOT / "Tests/Hostile/run.py"), "--programs", str(RELEASE), "--json", "--size", "full"],
        stdout=subprocess.PIPE, text=True)
    attacks = [json.loads(line) for line in run.stdout.splitlines()]
    if not attacks:
        raise Failure("the hostile programs did not run")
    rows = []
    for found in attacks:
        if found["attack"].startswith("control_"):
            continue
        row = Row("P9", f"worst wait of another client, {found['attack']} : {GOAL} ms", "ms", most=1.0)
        # If the attack ends the broker, no client gets an answer before its deadline.
        rows.append(row.add(found.get("wait", 60_000), GOAL))
    return rows
