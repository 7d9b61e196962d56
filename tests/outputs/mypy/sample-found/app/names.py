from typing import overload


def name(number: int) -> str:
    return number


class Shape:
    def area(self):
        return self.side


@overload
def pick(value: int) -> int: ...
@overload
def pick(value: str) -> str: ...
def pick(value: int | str) -> int | str:
    return value


pick(b"")
name("a: error: b")
