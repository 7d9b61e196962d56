from django.test import SimpleTestCase, TestCase


class Totals(TestCase):
    def test_total(self):
        """A title of its own."""
        self.assertEqual(1 + 1, 3)

    def test_fine(self):
        print("FAIL: test_printed (shop.tests.Totals.test_printed)")


class Prices(SimpleTestCase):
    def test_price(self):
        raise KeyError("price")
