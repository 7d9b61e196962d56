def double(number: int) -> int:
    return number * 2


reveal_type(double(2))
