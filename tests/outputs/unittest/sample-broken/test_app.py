import os
import unittest


class TestEnd(unittest.TestCase):
    def test_a_passes(self):
        pass

    def test_b_ends_the_process(self):
        os._exit(0)
