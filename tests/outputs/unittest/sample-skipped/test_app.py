import sys
import unittest


@unittest.skip("not now")
class TestOne(unittest.TestCase):
    def test_one(self):
        pass


class TestTwo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("no server")

    def test_two(self):
        pass


class TestThree(unittest.TestCase):
    def test_three(self):
        print("a word before", file=sys.stderr)
        self.skipTest("not now")
