import sys
import unittest


class Inner(unittest.TestCase):
    def runTest(self):
        self.fail("of the inner run")


class TestRunner(unittest.TestCase):
    def test_runs(self):
        unittest.TextTestRunner(sys.stderr).run(Inner())

    def test_own(self):
        self.fail("of the outer run")


def load_tests(loader, tests, pattern):
    return loader.loadTestsFromTestCase(TestRunner)
