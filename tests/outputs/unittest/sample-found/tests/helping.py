def fail(number):
    raise ValueError(f"two lines\n{number}")
