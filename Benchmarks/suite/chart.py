"""Line charts as SVG, one below the other, over the same time."""

import math

WIDTH, HEIGHT, LEFT, TOP, GAP = 860, 120, 90, 60, 46
COLOURS = ["#1f6feb", "#d1242f", "#8250df", "#1a7f37"]


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
        f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>',
        f'<text x="{LEFT - 8}" y="{y + 10}" text-anchor="end">{top:,g} {unit}</text>',
        f'<text x="{LEFT - 8}" y="{y + HEIGHT}" text-anchor="end">0</text>',
    ]
    for number, (name, points) in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(line(points, end, top, y, colour))
        if len(series) > 1:
            parts.append(f'<text x="{LEFT + WIDTH - 60 * (len(series) - number)}" y="{y - 8}" fill="{colour}">{name}</text>')
    return parts


def svg(title, subtitle, panels, end):
    """panels: a list of (title, unit, series)."""
    height = TOP + len(panels) * (HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-size="15" font-weight="bold">{title}</text>',
        f'<text x="{LEFT}" y="34" fill="#555">{subtitle}</text>',
    ]
    y = TOP + 8
    for name, unit, series in panels:
        parts += panel(name, unit, series, end, y)
        y += HEIGHT + GAP
    for step in range(7):
        x = LEFT + WIDTH * step / 6
        parts.append(f'<text x="{x:.0f}" y="{y - GAP + 16}" text-anchor="middle">{end * step / 6:.0f} s</text>')
    return "\n".join(parts + ["</svg>", ""])
