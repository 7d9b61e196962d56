import sys
import unittest

from tests.helping import fail


class TestNumbers(unittest.TestCase):
    def test_fails(self):
        """One is
        not two."""
        print("FAIL: test_printed (tests.test_app.TestNumbers)")
        self.assertEqual(1, 2, "numbers\nFAIL: differ")

    def test_errs(self):
        fail(3)

    def test_passes(self):
        print("a word on stderr", file=sys.stderr)

    def test_exits(self):
        sys.exit(0)

    @unittest.skip("not now")
    def test_skipped(self):
        self.fail()

    def test_parts(self):
        for number in range(3):
            with self.subTest("number", n=number):
                self.assertEqual(number, 1)

    def test_caused(self):
        try:
            fail(1)
        except ValueError as error:
            raise RuntimeError("outer") from error


class TestTorn(unittest.TestCase):
    def tearDown(self):
        raise OSError("gone")

    def test_torn(self):
        self.fail("first")
