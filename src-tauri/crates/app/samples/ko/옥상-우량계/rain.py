"""우량계 기록을 읽어 하루 강수량으로 더한다. 날짜는 모두 한국 시각 기준이다."""

import csv
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

KST = timezone(timedelta(hours=9))


@dataclass(frozen=True)
class Reading:
    time: datetime
    mm: float


def read(path):
    """파일의 기록을 적힌 순서대로 읽는다."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = [(datetime.fromisoformat(row["time"]), float(row["mm"])) for row in csv.DictReader(file)]
    return in_kst(rows)


def in_kst(rows):
    """장치의 시계를 한국 시각으로 맞춘다.

    배터리를 갈면 시계가 UTC로 돌아간다. 기록은 시간순으로만 쌓이므로, 시각이 뒤로 가는 줄부터 UTC다.
    """
    zone, before = KST, None
    for time, mm in rows:
        if before is not None and time <= before:
            zone = timezone.utc
        before = time
        yield Reading(time.replace(tzinfo=zone).astimezone(KST), mm)


def by_day(readings):
    """하루 강수량. 비가 오지 않은 날은 없다."""
    sums = defaultdict(float)
    for reading in readings:
        sums[reading.time.date()] += reading.mm
    return {day: round(mm, 1) for day, mm in sorted(sums.items())}


if __name__ == "__main__":
    for day, mm in by_day(read(sys.argv[1])).items():
        print(f"{day.month}월 {day.day}일  {mm:5.1f} mm")
