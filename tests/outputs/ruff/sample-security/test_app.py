from app import run


def test_run():
    assert run("true")
    exec("pass")
