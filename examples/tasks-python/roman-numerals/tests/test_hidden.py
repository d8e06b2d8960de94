import unittest

from roman import from_roman, to_roman


class RomanTest(unittest.TestCase):
    def test_subtraction(self):
        expected = {4: "IV", 9: "IX", 40: "XL", 90: "XC", 400: "CD", 900: "CM", 1994: "MCMXCIV"}
        self.assertEqual({number: to_roman(number) for number in expected}, expected)

    def test_there_and_back(self):
        for number in range(1, 4000):
            self.assertEqual(from_roman(to_roman(number)), number)

    def test_bounds(self):
        for number in (0, -1, 4000):
            with self.assertRaises(ValueError):
                to_roman(number)
