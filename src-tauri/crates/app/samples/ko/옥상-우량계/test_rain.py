import unittest
from datetime import date, datetime

from rain import by_day, in_kst


def rows(*lines):
    return [(datetime.fromisoformat(time), mm) for time, mm in lines]


class Clock(unittest.TestCase):
    def test_시계가_뒤로_가지_않으면_그대로_둔다(self):
        july = rows(("2026-07-08T05:00", 2.5), ("2026-07-08T06:00", 1.0))
        self.assertEqual(by_day(in_kst(july)), {date(2026, 7, 8): 3.5})

    def test_뒤로_간_줄부터는_아홉_시간을_더한다(self):
        july = rows(("2026-07-09T10:00", 1.0), ("2026-07-09T02:00", 4.0), ("2026-07-09T20:00", 8.0))
        self.assertEqual(by_day(in_kst(july)), {date(2026, 7, 9): 5.0, date(2026, 7, 10): 8.0})

    def test_배터리를_갈기_전_새벽_비는_옮기지_않는다(self):
        july = rows(("2026-07-09T04:00", 3.0), ("2026-07-09T10:00", 1.0), ("2026-07-09T04:00", 6.0))
        self.assertEqual(by_day(in_kst(july)), {date(2026, 7, 9): 10.0})

    def test_같은_시각이_두_번_나와도_뒤로_간_것이다(self):
        july = rows(("2026-07-09T10:00", 1.0), ("2026-07-09T10:00", 2.0))
        self.assertEqual([reading.time.hour for reading in in_kst(july)], [10, 19])


if __name__ == "__main__":
    unittest.main()
