"""One plot, as SVG: the share of faults that are found after reading so many lines, a curve for each ranking."""
import html
import math

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 860, 420, 60, 20, 250, 50
TICKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
COLOURS = ("#1b6ca8", "#c44536", "#3a7d44", "#8a5a9e", "#b7791f", "#2a9d8f", "#6b705c", "#d1495b", "#577590", "#9c6644")


def across(lines):
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log(max(lines, 1)) / math.log(TICKS[-1])


def up(share):
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def curve(ranks):
    """The corners of a staircase: at each rank that occurs, the share of faults found by then."""
    found = sorted(min(r, TICKS[-1]) for r in ranks if r is not None)
    corners, share = [(across(1), up(0))], 0.0
    for number, value in enumerate(found):
        corners += [(across(value), up(share)), (across(value), up((number + 1) / len(ranks)))]
        share = (number + 1) / len(ranks)
    return corners + [(across(TICKS[-1]), up(share))], share


def text(x, y, words, anchor="start"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{html.escape(words)}</text>'


def axes():
    parts = []
    for tick in TICKS:
        parts.append(f'<line x1="{across(tick):.1f}" y1="{up(0):.1f}" x2="{across(tick):.1f}" y2="{up(1):.1f}" stroke="#ddd"/>')
        parts.append(text(across(tick), up(0) + 18, str(tick), "middle"))
    for tenth in range(0, 11, 2):
        parts.append(f'<line x1="{across(1):.1f}" y1="{up(tenth / 10):.1f}" x2="{across(TICKS[-1]):.1f}" y2="{up(tenth / 10):.1f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, up(tenth / 10) + 4, f"{tenth * 10}%", "end"))
    parts.append(text(across(30), HEIGHT - 10, "lines read", "middle"))
    return parts


def found_by_lines(rankings):
    """`rankings`: name -> the rank of each fault (None: not found). The first is drawn thick: it is the one of interest."""
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', *axes()]
    for number, (name, ranks) in enumerate((n, r) for n, r in rankings.items() if r):
        corners, share = curve(ranks)
        colour, wide = COLOURS[number % len(COLOURS)], 3 if number == 0 else 1.5
        dashes = ' stroke-dasharray="5 3"' if number >= len(COLOURS) or name.startswith("explain ") else ""
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="{wide}"{dashes} points="{points}"/>')
        y = TOP + 16 + 20 * number
        parts.append(f'<line x1="{WIDTH - RIGHT + 15}" y1="{y - 4}" x2="{WIDTH - RIGHT + 40}" y2="{y - 4}" stroke="{colour}" stroke-width="{wide}"{dashes}/>')
        parts.append(text(WIDTH - RIGHT + 46, y, f"{name} ({share:.0%})"))
    return "\n".join([*parts, "</svg>"]) + "\n"
