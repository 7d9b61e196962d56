def pytest_runtest_protocol(item):
    raise ValueError("a plugin's fault")
