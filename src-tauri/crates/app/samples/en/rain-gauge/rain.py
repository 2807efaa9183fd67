"""Reads the gauge's files and adds the rain up by week and by month, in millimetres."""

import csv
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta

# What a 1 in the files means, in millimetres, from which day on. See docs/firmware-note.pdf.
UNITS = [
    (date.min, 1.0),
    (date(2026, 3, 3), 0.1),
]


@dataclass(frozen=True)
class Reading:
    day: date
    mm: float


def millimetres(day, written):
    """The amount that the gauge meant on that day."""
    unit = next(unit for since, unit in reversed(UNITS) if since <= day)
    return round(written * unit, 1)


def read(path):
    """The readings of a file, one a day, as the gauge wrote them."""
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            day = date.fromisoformat(row["day"])
            yield Reading(day, millimetres(day, float(row["rain"])))


def by_week(readings):
    """Sums by week; a week is named by its Monday."""
    return added_up(readings, lambda day: day - timedelta(days=day.weekday()))


def by_month(readings):
    """Sums by month; a month is named by its first day."""
    return added_up(readings, lambda day: day.replace(day=1))


def added_up(readings, start):
    sums = defaultdict(float)
    for reading in readings:
        sums[start(reading.day)] += reading.mm
    return {day: round(mm, 1) for day, mm in sorted(sums.items())}


if __name__ == "__main__":
    for month, mm in by_month(read(sys.argv[1])).items():
        print(f"{month:%B %Y}  {mm:6.1f} mm")
