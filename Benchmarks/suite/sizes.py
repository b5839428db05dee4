"""How much to measure."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Sizes:
    rounds: int = 5
    # The number of whole processes of each kind per round.
    processes: int = 40
    # The number of operations per round: when made one at a time, and with many in flight.
    singles: int = 2_000
    many: int = 20_000
    # Large values: the size in MiB, the transfers per round, and the maximum number of rounds.
    values: tuple = ((64, 5, 5), (1024, 5, 3))
    # P5: the numbers of schemes and of stored items.
    schemes: tuple = (1, 1_000, 100_000)
    items: tuple = (10, 10_000, 1_000_000)
    watchers: tuple = (1, 100, 1_000)
    watches: int = 20
    # P7: the seconds without work, and the numbers of pasteboards and of broker starts.
    idle_seconds: int = 10
    boards: int = 10_000
    starts: int = 5


FULL = Sizes()
# Takes about two minutes: fewer rounds with fewer operations, so the figures scatter more.
QUICK = Sizes(
    rounds=2, processes=12, singles=400, many=4_000, values=((64, 5, 2), (1024, 3, 1)), watches=5, idle_seconds=3, starts=2)
