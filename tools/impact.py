"""What the map of tests and functions costs and brings: `python tools/impact.py [PROJECT PYTEST]`.

The cost is CPU of whole runs with and without the plugin, by turns: of a made suite of 5,000 tests, or of PROJECT by
its PYTEST (of Python 3.12 or newer). Of the made suite, whose tests sleep for a minute in all, it also says when the
first red test after an edit is known.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from test_affected import provided
from untilgreen.project.files import templates_folder
from world import World

MODULES, EACH, RUNS = 100, 50, 5


def suite(seconds: float) -> dict[str, str]:
    """The files of 5,000 tests of 5,000 functions, which sleep that long in all; and one test that is red."""
    files = {"pytest.ini": "[pytest]\npythonpath = .\n", "test_old.py": "def test_old():\n    assert 0\n"}
    for number in range(MODULES):
        functions = (f"def f{one}(x):\n    return x + {one}\n" for one in range(EACH))
        files[f"m{number}.py"] = "\n\n".join(functions)
        wait = f"    time.sleep({seconds / MODULES / EACH})\n"
        tests = (f"def test_{one}():\n{wait}    assert m{number}.f{one}(1) == {one + 1}\n" for one in range(EACH))
        files[f"test_m{number}.py"] = "\n\n".join((f"import time\n\nimport m{number}\n", *tests))
    return files


def cpu(words: list[str], project: Path, env: dict[str, str]) -> float:
    """The seconds of CPU that a process takes, with all that it waits for."""
    null = subprocess.DEVNULL
    process = subprocess.Popen(words, cwd=project, env=env, stdin=null, stdout=null, stderr=null)
    used = os.wait4(process.pid, 0)[2]
    process.returncode = 0
    return used.ru_utime + used.ru_stime


def cost(project: Path, words: list[str], env: dict[str, str]) -> None:
    """Print what the map adds to a whole run."""
    taken: tuple[list[float], list[float]] = ([], [])
    with tempfile.TemporaryDirectory() as folder:
        plugin = {"PYTHONPATH": f"{templates_folder()}/impact", "IMPACT_MAP": f"{project}\n{folder}"}
        for _ in range(RUNS):
            taken[0].append(cpu(words, project, env))
            taken[1].append(cpu(words, project, env | plugin))
        sizes = [path.stat().st_size for path in Path(folder).iterdir()]
    plain, mapped = map(statistics.median, taken)
    print(
        f"whole run: {plain:.2f} s of CPU, with the map {mapped:.2f} s ({mapped / plain - 1:+.0%}), {sizes[:1]} bytes"
    )


def main() -> None:
    """Print the lines."""
    if sys.argv[1:]:
        project, tool = (Path(one).absolute() for one in sys.argv[1:3])
        cost(project, [str(tool), "-q"], dict(os.environ))
        return
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = ""
        began = time.monotonic()
        provided(world, suite(60))
        print(f"5,000 tests: a held stop of {time.monotonic() - began:.0f} s")
        for number in range(3):
            path, began = f"m{number}.py", time.monotonic()
            world.edit(path, (world.project / path).read_text().replace("x + 20\n", "x - 20\n"))
            answered = time.monotonic() - began
            while not (world.folder / "affected.json").exists() and time.monotonic() - began < 20:
                time.sleep(0.01)
            red = time.monotonic() - began
            print(f"edit: answered after {answered:.2f} s, the first red test known after {red:.2f} s")
        world.write(suite(0))
        cost(world.project, [str(world.project / ".venv" / "bin" / "pytest"), "-q"], world.env)


if __name__ == "__main__":
    main()
