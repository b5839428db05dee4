"""What was measured, as rows of one table: ours, the floor in the same run, their ratio, and whether the goal is met."""

import json
import statistics


class Row:
    """One comparison, measured in several rounds; in each round the one right after the other."""

    def __init__(self, goal, what, unit, most=None, least=None):
        """most, least: what the ratio of ours to the floor may be; neither where there is no goal."""
        self.goal, self.what, self.unit, self.most, self.least = goal, what, unit, most, least
        self.ours, self.floor = [], []

    def add(self, ours, floor=None):
        self.ours.append(ours)
        self.floor.append(floor)
        return self

    @property
    def ratios(self):
        return [ours / floor for ours, floor in zip(self.ours, self.floor) if floor]

    @property
    def met(self):
        """None where there is no goal."""
        if self.most is None and self.least is None:
            return None
        if self.most is not None and not self.ratios:
            # A floor of nothing, such as no wake-ups.
            return statistics.median(self.ours) <= 0
        ratio = statistics.median(self.ratios)
        return ratio <= self.most if self.most is not None else ratio >= self.least

    @property
    def object(self):
        floor = [value for value in self.floor if value is not None]
        return {
            "goal": self.goal, "what": self.what, "ours": significant(statistics.median(self.ours)),
            "floor": significant(statistics.median(floor)) if floor else None,
            "ratio": significant(statistics.median(self.ratios)) if self.ratios else None,
            "unit": self.unit, "met": self.met,
        }

    @property
    def cells(self):
        row = self.object
        ratio = ""
        if self.ratios:
            ratio = f"{statistics.median(self.ratios):.2f} ({min(self.ratios):.2f} to {max(self.ratios):.2f})"
        bound = f"≤ {self.most:g}" if self.most is not None else f"≥ {self.least:g}" if self.least is not None else ""
        met = {True: "met", False: "MISSED", None: ""}[row["met"]]
        return [
            self.goal, self.what, f"{readable(row['ours'])} {self.unit}".strip(),
            "" if row["floor"] is None else readable(row["floor"]), ratio, bound, met,
        ]


HEAD = ["goal", "what", "ours", "floor or peer", "ratio (least to greatest)", "goal", ""]


def significant(number):
    return float(f"{number:.4g}")


def readable(number):
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def text(rows):
    """A table for the terminal."""
    lines = [HEAD] + [row.cells for row in rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def markdown(rows):
    """The same table for a document."""
    lines = [HEAD, ["---"] * len(HEAD)] + [row.cells for row in rows]
    return "\n".join("| " + " | ".join(cell for cell in line) + " |" for line in lines)


def write_json(rows, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump([row.object for row in rows], file, ensure_ascii=False, indent=1)
        file.write("\n")
