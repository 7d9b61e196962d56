import unittest


class TestBugs(unittest.TestCase):
    @unittest.expectedFailure
    def test_known(self):
        self.fail()

    @unittest.expectedFailure
    def test_mended(self):
        """A bug
        that is none."""

    @unittest.expectedFailure
    def test_mended_too(self):
        pass
