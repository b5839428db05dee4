"""Draws SVG charts: line charts with a common time axis, one above the other, and a bar for each row with a goal."""

import html
import math

WIDTH, HEIGHT, LEFT, TOP, GAP = 860, 120, 90, 66, 46
# The chart of the goals: the edge of the page, the width for bars, the height of a row, and the mean width of a letter.
MARGIN, BARS, ROW, LETTER = 16, 240, 20, 6.5
COLOURS = ["#1f6feb", "#d1242f", "#8250df", "#1a7f37"]

STYLE = """<style>
.page { fill: #fff } text { fill: #1f2328 } .note { fill: #59636e } .frame { fill: none; stroke: #999 }
.met { fill: #4ac26b } .missed { fill: #e5534b } .miss { fill: #b3261e }
.rounds { fill: none; stroke: #1f2328 } .grid { stroke: #d1d9e0 } .goal { stroke: #1f2328; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117 } text { fill: #e6edf3 } .note { fill: #9da7b1 }
.met { fill: #2b7a3d } .missed { fill: #da3633 } .miss { fill: #ff8a80 }
.rounds, .goal { stroke: #e6edf3 } .grid { stroke: #30363d }
}
</style>"""


def escape(text):
    return html.escape(text, quote=False)


def top_of(values):
    """The end of an axis: 1, 2 or 5 times a power of ten."""
    most = max(max(values, default=0), 1e-9)
    power = 10 ** math.floor(math.log10(most))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= most)


def line(points, end, top, y, colour):
    path = " ".join(
        f"{LEFT + time / end * WIDTH:.1f},{y + HEIGHT - min(value / top, 1) * HEIGHT:.1f}" for time, value in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def panel(title, unit, series, end, y):
    """One chart: series is a list of (name, [(time, value)])."""
    top = top_of([value for _, points in series for _, value in points])
    parts = [
        f'<text x="{LEFT}" y="{y - 8}" font-weight="bold">{title}</text>',
        f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{HEIGHT}" class="frame"/>',
        f'<text x="{LEFT - 8}" y="{y + 10}" text-anchor="end">{top:,g} {unit}</text>',
        f'<text x="{LEFT - 8}" y="{y + HEIGHT}" text-anchor="end">0</text>',
    ]
    for number, (name, points) in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(line(points, end, top, y, colour))
        if len(series) > 1:
            parts.append(f'<text x="{LEFT + WIDTH - 60 * (len(series) - number)}" y="{y - 8}" style="fill: {colour}">{name}</text>')
    return parts


def document(width, height, title, notes, description, parts):
    """A whole picture, for light and dark pages. Title and notes are on top; the description is for screen readers."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title desc" '
        'font-family="sans-serif" font-size="12">',
        f'<title id="title">{escape(title)}</title>', f'<desc id="desc">{escape(description)}</desc>', STYLE,
        '<rect class="page" width="100%" height="100%"/>',
        f'<text x="{MARGIN}" y="22" font-size="15" font-weight="bold">{escape(title)}</text>',
        *[f'<text class="note" x="{MARGIN}" y="{40 + 16 * place}">{escape(note)}</text>' for place, note in enumerate(notes)],
        *parts, "</svg>", ""])


def svg(title, subtitle, panels, end):
    """panels: a list of (title, unit, series)."""
    parts = []
    y = TOP + 8
    for name, unit, series in panels:
        parts += panel(name, unit, series, end, y)
        y += HEIGHT + GAP
    for step in range(7):
        x = LEFT + WIDTH * step / 6
        parts.append(f'<text x="{x:.0f}" y="{y - GAP + 16}" text-anchor="middle">{end * step / 6:.0f} s</text>')
    description = "Over time: " + "; ".join(name for name, _, _ in panels) + "."
    return document(LEFT + WIDTH + 20, TOP + len(panels) * (HEIGHT + GAP), title, [subtitle], description, parts)


def bar(row, x, y, scale):
    """Draws the bar of one row, and a thin line from its least to its greatest result in all rounds."""
    share, least, greatest = row.shares
    parts = [f'<rect class="{"met" if row.met else "missed"}" x="{x}" y="{y + 4}" width="{share * scale:.1f}" height="12"/>']
    if least != greatest:
        parts.append(f'<path class="rounds" d="M{x + least * scale:.1f} {y + 6}v8m0 -4H{x + greatest * scale:.1f}m0 -4v8"/>')
    return parts


def goals(rows, machine):
    """Draws a bar for each row: the result as a share of what the goal of the row allows."""
    notes = [
        machine, "Shorter is better. A bar beyond the thick line misses its goal. Thin lines span the rounds."]
    # The widths of texts are estimates.
    left = round(2 * MARGIN + 28 + LETTER * max(len(row.subject) for row in rows))
    right = left + BARS + MARGIN
    width = round(right + LETTER * max(len(row.result) for row in rows) + MARGIN)
    halves = math.ceil(2 * max(1.5, *(row.shares[2] for row in rows)))
    scale, top, parts, goal = BARS / halves * 2, 40 + 16 * len(notes) + 26, [], rows[0].goal
    y = top
    for row in rows:
        y += ROW // 2 if row.goal != goal else 0
        goal = row.goal
        result = escape(row.result).replace("MISSED", '<tspan font-weight="bold">MISSED</tspan>')
        parts += [
            f'<text x="{MARGIN}" y="{y + 14}" font-weight="bold">{escape(goal)}</text>',
            f'<text x="{MARGIN + 28}" y="{y + 14}">{escape(row.subject)}</text>',
            *bar(row, left, y, scale),
            f'<text class="{"result" if row.met else "miss"}" x="{right}" y="{y + 14}">{result}</text>',
        ]
        y += ROW
    for half in range(halves + 1):
        x, kind, word = left + half / 2 * scale, *(("goal", "goal") if half == 2 else ("grid", f"{half / 2:g}"))
        line_down = f'<path class="{kind}" d="M{x:.1f} {top - 4}V{y + 4}"/>'
        # Draw the line of the goal in front of the bars, and the other lines behind them.
        parts = [*parts, line_down] if half == 2 else [line_down, *parts]
        parts.append(f'<text x="{x:.1f}" y="{top - 10}" text-anchor="middle">{word}</text>')
    missed = "; ".join(f"{row.goal}, {row.subject}, {row.result}" for row in rows if not row.met)
    description = f"{sum(row.met for row in rows)} of {len(rows)} rows meet their goal. Not met: {missed or 'none'}."
    return document(width, y + MARGIN, "Measured figures as a share of what their goals allow", notes, description, parts)
