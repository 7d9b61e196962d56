def double(number: int) -> int:
    return number * 2
