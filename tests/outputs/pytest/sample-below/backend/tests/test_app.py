class TestApp:
    def test_it(self):
        assert False
