"""What was clean and untouched is not asked again where something else holds the stop; no verdict rests on it."""

import os
import random
import subprocess

from world import BIN, World

SHOP, BROKEN, UNUSED = (
    "def total(prices):\n    return sum(prices)\n",
    "def total(prices):\n    return 0\n",
    "import json\n\n\n",
)
FLAKY = (
    "import os\nfrom pathlib import Path\n\n\ndef test_flaky():\n    ran = Path(os.environ['HOME']) / 'flaky'\n"
    "    number = int(ran.read_text()) if ran.exists() else 0\n    ran.write_text(str(number + 1))\n"
    "    assert number % 3\n"
)
FILES = {
    ".gitignore": "rate.txt\n__pycache__\n",
    "ruff.toml": "",
    "pytest.ini": "[pytest]\npythonpath = .\n",
    "shop.py": SHOP,
    "tests/test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    "tests/test_rates.py": (
        "from pathlib import Path\n\nimport taxlib\n\n\ndef test_rates():\n"
        "    assert Path('rate.txt').read_text() == '1'\n    assert taxlib.RATE == 1\n"
    ),
}
OPTIONS = ("--max-iterations", "1000", "--stagnation-limit", "0")


def begun(world: World) -> None:
    """A loop in a project whose programs tell when they run."""
    for name in ("ruff", "pytest"):
        program = world.programs / name
        program.unlink()
        program.write_text(f'#!/bin/sh\necho {name} >> "$HOME/ran"\nexec "{BIN / name}" "$@"\n')
        program.chmod(0o755)
    (world.home / "lib").mkdir()
    (world.home / "lib/taxlib.py").write_text("RATE = 1\n")
    world.env |= {"PYTHONPATH": str(world.home / "lib"), "PYTHONDONTWRITEBYTECODE": "1"}
    world.write(FILES | {"rate.txt": "1"})
    world.commit()
    again(world)


def again(world: World) -> None:
    started = world.run("start-loop", "mend it", "--session", world.session, *OPTIONS)
    assert started.code == 0, started


def ran(world: World) -> list[str]:
    """The programs that ran since this was asked last."""
    path = world.home / "ran"
    found = path.read_text().split() if path.exists() else []
    path.write_text("")
    return sorted({*found})


def test_what_was_clean_is_as_before_until_something_is_touched_and_never_for_a_green(world: World) -> None:
    begun(world)
    world.write({"shop.py": UNUSED + SHOP})
    assert (world.stop().held, ran(world)) == (True, ["pytest", "ruff"])
    for _ in range(2):
        held = world.stop()
        assert ("pytest ✓ as before" in held.stderr, ran(world)) == (True, ["ruff"]), held
        assert "pytest" not in held.stderr.split("\n")[0]
    world.env["MORE"] = "1"
    assert (world.stop().held, ran(world)) == (True, ["pytest", "ruff"])
    # another ruff says that all is well: nobody holds, so the tests run
    (world.programs / "ruff").write_text('#!/bin/sh\necho ruff >> "$HOME/ran"\necho "[]"\n')
    world.stop()
    assert ran(world) == ["pytest", "ruff"]


def test_nothing_is_as_before_where_a_loop_ends_by_a_limit(world: World) -> None:
    begun(world)
    world.write({"shop.py": UNUSED + SHOP})
    world.run("start-loop", "mend it", "--session", world.session, "--replace", "--max-iterations", "2")
    assert (world.stop().held, ran(world)) == (True, ["pytest", "ruff"])
    assert (world.stop().held, ran(world)) == (False, ["pytest", "ruff"])
    assert world.state["stop_reason"] == "max-iterations"


def is_red(world: World) -> bool:
    """What the programs themselves say, without the test that says it now and then."""
    alone = ("pytest", "-q", "--deselect", "tests/test_flaky.py::test_flaky")
    lines = (("ruff", "check", "--no-cache"), alone)
    ends = [subprocess.run(line, cwd=world.project, env=world.env, capture_output=True, check=False) for line in lines]
    ran(world)
    return any(one.returncode for one in ends)


def touch(world: World, any_: random.Random) -> str:
    """Do what an agent does between two stops: edits, reverts, renames; what is around the tree; or nothing."""
    one = any_.choice(
        ["nothing"] * 6 + ["text", "text", "name", "rate", "package", "config", "flaky", "program", "env"]
    )
    on = any_.random() < 0.5
    if one == "text":
        world.write({"shop.py": any_.choice(["", UNUSED]) + any_.choice([SHOP, SHOP, BROKEN])})
    elif one == "name":
        moved = [world.project / "tests" / name for name in ("test_rates.py", "test_taxes.py")]
        old, new = moved if moved[0].exists() else moved[::-1]
        old.rename(new)
    elif one == "rate":
        (world.project / "rate.txt").write_text("1" if on else "2")
    elif one == "package":
        (world.home / "lib/taxlib.py").write_text("RATE = 1\n" if on else "RATE = 2\n")
    elif one == "config":
        world.write({"ruff.toml": 'lint.ignore = ["F401"]\n' if on else ""})
    elif one == "flaky":
        path = world.project / "tests/test_flaky.py"
        path.write_text(FLAKY) if on else path.unlink(missing_ok=True)
    elif one == "program":
        program = world.programs / "ruff"
        program.write_text(program.read_text() + "# another\n")
    elif one == "env":
        world.env["MORE"] = str(any_.randrange(2))
    return f"{one} {on}"


def test_no_verdict_differs_from_that_of_a_fresh_run(world: World) -> None:
    any_, did, stood = random.Random(int(os.environ.get("SEED", "5"))), list[str](), 0
    begun(world)
    world.write({"shop.py": UNUSED + SHOP})
    for _ in range(int(os.environ.get("STEPS", "6"))):
        did.append(touch(world, any_))
        said = world.stop()
        stood += "as before" in said.stderr
        assert said.held == is_red(world), (did, said)
        assert said.held or "as before" not in said.notice
        if not world.state["active"]:
            again(world)
    assert stood, did
