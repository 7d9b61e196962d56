import os


def first(names: list[str]) -> int:
    return names[0]


def second(names: list[str]) -> str:
    other = "ä\u2028"
    return names[1] + undefined


class Base:
    def size(self) -> int:
        return 0


class Child(Base):
    def size(self) -> str:
        return ""


os.nothing()
reveal_type(first)
LIMIT: int = 3  # type: ignore
