"""P9: the longest time that an honest client waits while another client misbehaves, for each hostile program."""

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
        row = Row("P9", f"longest wait of another client, attack {found['attack']} : {GOAL} ms", "ms", most=1.0)
        # If the attack stops the broker, no client gets an answer before its deadline.
        rows.append(row.add(found.get("wait", 60_000), GOAL))
    return rows
