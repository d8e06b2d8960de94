import unittest

from money.split import split


class SplitTest(unittest.TestCase):
    def test_nothing_is_lost(self):
        for cents in (0, 1, 7, 1000, 99999):
            for parts in (1, 2, 3, 7):
                self.assertEqual(sum(split(cents, parts)), cents)

    def test_the_first_are_larger(self):
        self.assertEqual(split(1000, 3), [334, 333, 333])
        self.assertEqual(split(5, 3), [2, 2, 1])

    def test_negative(self):
        self.assertEqual(split(-1000, 3), [-334, -333, -333])

    def test_parts(self):
        with self.assertRaises(ValueError):
            split(10, 0)
