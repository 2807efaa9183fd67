"""7월 하루 강수량을 관측소 값과 나란히 그린다."""

import csv
from datetime import date
from pathlib import Path

from rain import by_day, read

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, STEP = 960, 540, 60, 80, 50, 20


def station(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {date.fromisoformat(row["day"]): float(row["mm"]) for row in csv.DictReader(file)}


def chart(title, ours, theirs):
    top = STEP * (int(max([*ours.values(), *theirs.values()]) // STEP) + 1)
    height = lambda mm: (HEIGHT - TOP - BOTTOM) * mm / top
    wide = (WIDTH - LEFT - 30) / 31
    base = HEIGHT - BOTTOM
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Noto Sans CJK KR" font-size="14">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="38" font-size="24" fill="#1f2937">{title}</text>',
        f'<rect x="{WIDTH - 230}" y="24" width="14" height="14" fill="#5b8def"/>',
        f'<text x="{WIDTH - 208}" y="36" fill="#1f2937">옥상</text>',
        f'<circle cx="{WIDTH - 143}" cy="31" r="5" fill="#d9480f"/>',
        f'<text x="{WIDTH - 128}" y="36" fill="#1f2937">관측소</text>',
    ]
    for mm in range(0, top + 1, STEP):
        y = base - height(mm)
        svg.append(f'<line x1="{LEFT}" x2="{WIDTH - 30}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e5e7eb"/>')
        svg.append(f'<text x="{LEFT - 10}" y="{y + 5:.1f}" text-anchor="end" fill="#6b7280">{mm}</text>')
    for number in range(1, 32):
        day, x = date(2026, 7, number), LEFT + (number - 1) * wide
        if mm := ours.get(day):
            svg.append(
                f'<rect x="{x + wide * 0.15:.1f}" y="{base - height(mm):.1f}" width="{wide * 0.7:.1f}" '
                f'height="{height(mm):.1f}" fill="#5b8def"/>'
            )
        if mm := theirs.get(day):
            svg.append(f'<circle cx="{x + wide / 2:.1f}" cy="{base - height(mm):.1f}" r="5" fill="#d9480f"/>')
        if number % 5 == 1:
            svg.append(f'<text x="{x + wide / 2:.1f}" y="{base + 24}" text-anchor="middle" fill="#6b7280">{number}일</text>')
    svg.append("</svg>")
    return "\n".join(svg) + "\n"


if __name__ == "__main__":
    ours = by_day(read("data/옥상-2026-07.csv"))
    drawn = chart("7월 하루 강수량 (mm)", ours, station("data/관측소-2026-07.csv"))
    Path("docs/7월-그래프.svg").write_text(drawn, encoding="utf-8")
