import unittest
from datetime import date

from rain import Reading, by_month, by_week, millimetres


class Units(unittest.TestCase):
    def test_the_day_before_the_switch_is_in_millimetres(self):
        self.assertEqual(millimetres(date(2026, 3, 2), 1.2), 1.2)

    def test_the_day_of_the_switch_is_in_tenths(self):
        self.assertEqual(millimetres(date(2026, 3, 3), 12), 1.2)

    def test_a_dry_day_is_dry_in_any_unit(self):
        self.assertEqual(millimetres(date(2026, 3, 3), 0), 0)


class Sums(unittest.TestCase):
    READINGS = [Reading(date(2026, 3, 1), 0.3), Reading(date(2026, 3, 2), 1.2), Reading(date(2026, 3, 8), 0.1)]

    def test_a_week_begins_on_monday(self):
        self.assertEqual(by_week(self.READINGS), {date(2026, 2, 23): 0.3, date(2026, 3, 2): 1.3})

    def test_tenths_add_up_without_a_tail(self):
        self.assertEqual(by_month(self.READINGS), {date(2026, 3, 1): 1.6})


if __name__ == "__main__":
    unittest.main()
