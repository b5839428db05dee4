"""The rows of the campaign, and how each is divided into shards.

A row is a module in `rows/` with:

- a docstring, whose first line says what the row proves;
- INVARIANTS: the numbers of the promises that it tests, such as (1, 2);
- UNIT, SIZES: what is counted, and how many of it `small` and `full` take, for example dict(small=4, full=1_000);
- SHARD: how many units one shard takes at most, so that it ends within 30 minutes on two cores;
- BUSES: whether it runs on both message buses and with both sets of limits. The units are divided among the four;
- ALONE: whether nothing else may run beside a shard, because it measures time or memory (optional);
- run(shard): tests `shard.count` units, and calls `shard.done()` for each; see `shard.Shard`;
- control_NAME(shard): the same check of something defective. It must raise `Broken`.
"""

import dataclasses
import hashlib
import importlib
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
VARIANTS = tuple(f"{bus}-{limits}" for bus in ("daemon", "broker") for limits in ("stock", "small"))


@dataclasses.dataclass(frozen=True)
class Part:
    """One shard of a row, or one of its controls."""
    row: "Row"
    variant: str
    number: int
    count: int
    control: str | None = None

    @property
    def name(self):
        return f"{self.row.name}/{self.variant}/{self.number}"

    @property
    def title(self):
        return self.name + (f" control {self.control}" if self.control else "")


class Row:
    def __init__(self, name):
        self.name = name
        self.module = importlib.import_module(f"rows.{name.lower()}")

    def digest(self, number):
        """Identifies the text of a shard: it runs again after a change to the row, or to the files that the row names
        for it."""
        files = [pathlib.Path(self.module.__file__)]
        if hasattr(self.module, "files"):
            files += self.module.files(number)
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:10]

    @property
    def what(self):
        return self.module.__doc__.splitlines()[0].removesuffix(".")

    @property
    def is_alone(self):
        return getattr(self.module, "ALONE", False)

    @property
    def variants(self):
        return VARIANTS if self.module.BUSES else ("none",)

    def units(self, size):
        return self.module.SIZES[size]

    def controls(self, size):
        names = [name.removeprefix("control_") for name in vars(self.module) if name.startswith("control_")]
        return [Part(self, self.variants[0], 0, self.units(size), name) for name in names]

    def shards(self, size):
        """The units are divided among the variants, and each share into shards of about the same size."""
        parts = []
        for place, variant in enumerate(self.variants):
            share = divided(self.units(size), len(self.variants))[place]
            shards = -(-share // self.module.SHARD)
            parts += [Part(self, variant, number, count) for number, count in enumerate(divided(share, shards))]
        return parts

    def description(self, size):
        numbers = ", ".join(f"I{number}" for number in self.module.INVARIANTS)
        return (f"{self.name:4} {self.units(size):>9,} {self.module.UNIT}, {len(self.shards(size))} shards, "
                f"{len(self.controls(size))} controls: {self.what} ({numbers})")


def divided(total, count):
    """Divides a number into parts that differ by one at most."""
    return [total // count + (place < total % count) for place in range(count)]


def all_names():
    return sorted(path.stem.upper() for path in (HERE.parent / "rows").glob("[a-z][0-9].py"))


def named(names):
    unknown = {name.upper() for name in names} - set(all_names())
    if unknown:
        raise SystemExit(f"There is no row {', '.join(sorted(unknown))}. The rows are {', '.join(all_names())}.")
    return [Row(name.upper()) for name in names or all_names()]


def part(text, size, control):
    """The shard named ROW/VARIANT/NUMBER, or the control of its row."""
    name, variant, number = text.split("/")
    row = named([name])[0]
    if control:
        found = [part for part in row.controls(size) if part.control == control]
    else:
        found = [part for part in row.shards(size) if (part.variant, part.number) == (variant, int(number))]
    if not found:
        raise SystemExit(f"There is no shard {text}{f' with the control {control}' if control else ''} of this size.")
    return found[0]
