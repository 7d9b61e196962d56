import unittest


class TestA(unittest.TestCase):
    def test_one(self):
        """One is one."""
        self.assertEqual(1, 1)

    @unittest.skip("not now")
    def test_skipped(self):
        self.fail()

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(1, 2)
