import unittest


class Totals(unittest.TestCase):
    def test_total(self):
        self.assertEqual(1 + 1, 3)

    def test_fine(self):
        pass
