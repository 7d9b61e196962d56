import unittest

from django.test import TestCase


class Totals(TestCase):
    def test_total(self):
        """A title of its own."""
        self.assertEqual(1 + 1, 2)

    @unittest.skip("not now")
    def test_later(self):
        raise AssertionError
