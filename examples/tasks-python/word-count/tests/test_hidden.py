import unittest

from words.count import count_words


class CountTest(unittest.TestCase):
    def test_case_and_punctuation(self):
        self.assertEqual(count_words("Dog, dog. DOG!"), [("dog", 3)])

    def test_inner_marks_stay(self):
        self.assertEqual(count_words("don't re-do 'don't'"), [("don't", 2), ("re-do", 1)])

    def test_order(self):
        self.assertEqual(count_words("b a c a"), [("a", 2), ("b", 1), ("c", 1)])

    def test_only_punctuation(self):
        self.assertEqual(count_words("-- ... !"), [])
