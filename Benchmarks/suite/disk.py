"""P8: the size of the programs on disk, as "make build" leaves them."""

from .rows import Row
from .world import RELEASE

# Megabytes.
GOALS = {"ipc-broker": 25, "ipc-client": 20, "ipc-server": 20}


def measure(sizes):
    return [
        Row("P8", f"size of {program} on disk : {goal} MB", "MB", most=1.0).add((RELEASE / program).stat().st_size / 1e6, goal)
        for program, goal in GOALS.items()
    ]
