"""Rows of a table: our result, that of a minimal program in the same run (the floor), their ratio, and the goal."""

import json
import statistics


class Row:
    """One comparison, measured in several rounds. In each round, one side runs right after the other."""

    def __init__(self, goal, what, unit, most=None, least=None):
        """most, least: the bounds of our result divided by the one to compare with (floor); none if there is no goal."""
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
        """Whether the goal is met; None if there is no goal."""
        if self.most is None and self.least is None:
            return None
        if self.most is not None and not self.ratios:
            # The result to compare with, the floor, is zero: no wake-ups, for example.
            return statistics.median(self.ours) <= 0
        ratio = statistics.median(self.ratios)
        return ratio <= self.most if self.most is not None else ratio >= self.least

    @property
    def shares(self):
        """Median, least and greatest ratio as a share of what the goal allows: 1 just meets the goal, and less is better."""
        if not self.ratios:
            return (0, 0, 0) if self.met else (1, 1, 1)
        shares = [ratio / self.most if self.most is not None else self.least / ratio for ratio in self.ratios]
        return statistics.median(shares), min(shares), max(shares)

    @property
    def subject(self):
        """What was measured, without what it is compared with."""
        return self.what.partition(" : ")[0]

    @property
    def result(self):
        """The measured figure and its goal."""
        floor, (_, _, ours, _, ratio, bound, met) = self.what.partition(" : ")[2], self.cells
        mark = "" if met == "met" else f"{met} "
        if not ratio:
            return f"{mark}{ours}, goal 0"
        # Some rows are compared not with another program, but with the goal itself, such as "250 ms".
        if floor.endswith(f" {self.unit}"):
            return f"{mark}{ours}, goal {floor}"
        return f"{mark}{ratio.partition(' ')[0]} × {floor}, goal {bound}"

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


def goals(rows):
    """The rows with a goal, for a document without machine-specific figures. Of P9, only the worst row."""
    worst = max((row for row in rows if row.goal == "P9"), key=lambda row: row.shares, default=None)
    lines = [["goal", "what", "compared with", "ratio (least to greatest)", "allowed", ""]]
    lines.append(["---"] * len(lines[0]))
    for row in rows:
        if row.met is not None and (row.goal != "P9" or row is worst):
            floor = row.what.partition(" : ")[2]
            lines.append([row.goal, row.subject, floor, *row.cells[4:]])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_json(rows, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump([row.object for row in rows], file, ensure_ascii=False, indent=1)
        file.write("\n")
