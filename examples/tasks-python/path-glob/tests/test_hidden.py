import unittest

from globs.match import matches


class MatchTest(unittest.TestCase):
    def test_star_stays_in_its_folder(self):
        self.assertTrue(matches("*.py", "a.py"))
        self.assertFalse(matches("*.py", "src/a.py"))

    def test_dots_are_dots(self):
        self.assertFalse(matches("*.py", "a_py"))
        self.assertFalse(matches("a.py", "a.pyc"))

    def test_two_stars(self):
        for path in ("src/a.py", "src/x/a.py", "src/x/y/a.py"):
            self.assertTrue(matches("src/**/a.py", path))
        self.assertFalse(matches("src/**/a.py", "srca.py"))

    def test_question_mark(self):
        self.assertTrue(matches("a?c", "abc"))
        self.assertFalse(matches("a?c", "a/c"))
