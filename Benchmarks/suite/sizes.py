"""How much is measured."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Sizes:
    rounds: int = 5
    # Whole processes of one kind in one round.
    processes: int = 40
    # Operations in one round: one at a time, and with many on their way.
    singles: int = 2_000
    many: int = 20_000
    # Large values: the size in MiB, how often in one round, and the most rounds.
    values: tuple = ((64, 5, 5), (1024, 5, 3))
    # P5: so many schemes, and so many stored items.
    schemes: tuple = (1, 1_000, 100_000)
    items: tuple = (10, 10_000, 1_000_000)
    watchers: tuple = (1, 100, 1_000)
    watches: int = 20
    # P7: seconds without work, pasteboards, and starts of the broker.
    idle_seconds: int = 10
    boards: int = 10_000
    starts: int = 5


FULL = Sizes()
# Within two minutes: fewer rounds of fewer operations. The figures scatter more.
QUICK = Sizes(
    rounds=2, processes=12, singles=400, many=4_000, values=((64, 5, 2), (1024, 3, 1)), watches=5, idle_seconds=3, starts=2)
