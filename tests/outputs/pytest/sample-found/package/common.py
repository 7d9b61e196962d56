class Common:
    def test_inherited(self):
        assert 0
