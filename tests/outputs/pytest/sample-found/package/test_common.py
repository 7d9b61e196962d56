from .common import Common


class TestHere(Common):
    pass
