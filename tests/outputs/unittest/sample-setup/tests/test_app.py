import unittest


class TestServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no server")

    def test_one(self):
        pass

    def test_two(self):
        pass


class TestSkipped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("no server either")

    def test_three(self):
        pass


class TestFine(unittest.TestCase):
    def test_four(self):
        pass
