"""Draws the weeks of a file for the noticeboard."""

import sys
from pathlib import Path

from rain import by_week, read

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 960, 540, 70, 70, 60


def step_for(highest):
    """The distance of the lines: round, and at most six of them."""
    return next(step for step in (5, 10, 20, 50, 100) if highest / step <= 6)


def chart(title, weeks):
    step = step_for(max(weeks.values()))
    top = step * (int(max(weeks.values()) // step) + 1)
    height = lambda mm: (HEIGHT - TOP - BOTTOM) * mm / top
    wide = (WIDTH - LEFT - 30) / len(weeks)
    base = HEIGHT - BOTTOM
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="DejaVu Sans" font-size="15">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fffdf7"/>',
        f'<text x="{LEFT}" y="40" font-size="24" fill="#243b53">{title}</text>',
    ]
    for mm in range(0, top + 1, step):
        y = base - height(mm)
        svg.append(f'<line x1="{LEFT}" x2="{WIDTH - 30}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d9d2c3"/>')
        svg.append(f'<text x="{LEFT - 10}" y="{y + 5:.1f}" text-anchor="end" fill="#52606d">{mm}</text>')
    for place, (monday, mm) in enumerate(weeks.items()):
        x = LEFT + place * wide
        svg.append(
            f'<rect x="{x + wide * 0.15:.1f}" y="{base - height(mm):.1f}" width="{wide * 0.7:.1f}" '
            f'height="{height(mm):.1f}" fill="#3b7ea1"/>'
        )
        svg.append(
            f'<text x="{x + wide / 2:.1f}" y="{base + 25}" text-anchor="middle" fill="#52606d">'
            f"{monday.day} {monday:%b}</text>"
        )
    svg.append("</svg>")
    return "\n".join(svg) + "\n"


if __name__ == "__main__":
    weeks = by_week(read(sys.argv[1]))
    Path("docs/noticeboard.svg").write_text(chart("Rain by week, in mm", weeks), encoding="utf-8")
