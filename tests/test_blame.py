"""Whose is a failing test? Run again alone, in company and on the files of the start, it says so itself."""

from world import World

SHOP = "def total(prices):\n    return sum(prices)\n"
BROKEN = "def total(prices):\n    return 0\n"
# a test that fails when it runs first, and when it runs as often as `flaky.txt` says
FLAKY = """import pathlib

RUNS = pathlib.Path("runs.txt")


def test_flaky():
    runs = RUNS.read_text() if RUNS.exists() else ""
    RUNS.write_text(runs + ".")
    assert len(runs) not in [int(one) for one in pathlib.Path("flaky.txt").read_text().split()]
"""
ORDER = """seen = []


def test_first():
    seen.append(1)


def test_order():
    assert not seen
"""
FILES = {
    ".gitignore": "runs.txt\n__pycache__\n.untilgreen\n",
    "shop.py": SHOP,
    "flaky.txt": "0",
    "conftest.py": "",
    "tests/test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    "tests/test_old.py": "def test_old():\n    assert 1 == 2\n",
    "tests/test_flaky.py": FLAKY,
    "tests/test_order.py": ORDER,
}


def begin(world: World, *options: str, without: tuple[str, ...] = ()) -> None:
    world.write({name: text for name, text in FILES.items() if not name.endswith(without or ("nothing",))})
    world.commit()
    world.start("mend it", "--tests-pass", *options)


def verdicts(world: World) -> dict[str, str]:
    return {key.rpartition("::")[2]: verdict for key, verdict in world.state["blame"].items()}


def left(world: World) -> list[str]:
    return [item["rule"] for item in world.state["snapshots"][-1]["items"]]


def test_yours_old_flaky_and_order_are_told_apart(world: World) -> None:
    begin(world)
    world.write({"shop.py": BROKEN})
    held = world.stop()
    print(held, verdicts(world))
    assert verdicts(world) == {"test_total": "yours", "test_old": "old", "test_flaky": "flaky", "test_order": "order"}
    assert left(world) == ["test_old", "test_total"]
