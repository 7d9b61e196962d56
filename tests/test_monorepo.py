"""A repository of four languages, checked whole in one stop: each part by its own tools, all at once."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from node import installed
from rust import with_cargo
from world import BIN, REPOSITORY, World

PYTHON = "def total(prices: list[float]) -> float:\n    return sum(prices)\n"
SCRIPT = "export function total(prices: number[]): number {\n  return prices.reduce((a, b) => a + b, 0);\n}\n"
GO = "package cart\n\n// Total adds prices.\nfunc Total(prices ...int) (total int) {\n\treturn len(prices)\n}\n"
RUST = "/// Adds prices.\npub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum()\n}\n"
FILES = {
    ".gitignore": "node_modules\ntarget\n.venv\nCargo.lock\n",
    "backend/pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n\n[tool.mypy]\nstrict = true\n',
    "backend/shop.py": PYTHON,
    "backend/test_shop.py": (
        "from shop import total\n\n\ndef test_total() -> None:\n    assert total([1.0, 2.0]) == 3.0\n"
    ),
    "frontend/package.json": json.dumps({"name": "f", "private": True, "scripts": {"test": "node --test"}}),
    "frontend/tsconfig.json": json.dumps({"compilerOptions": {"strict": True, "types": [], "lib": ["es5"]}}),
    "frontend/src/shop.ts": SCRIPT,
    "frontend/shop.test.mjs": 'import { test } from "node:test";\ntest("is there", () => {});\n',
    "services/cart/go.mod": "module example.com/cart\n\ngo 1.19\n",
    "services/cart/cart.go": GO,
    "services/cart/cart_test.go": (
        'package cart\n\nimport "testing"\n\n'
        'func TestTotal(t *testing.T) {\n\tif Total(1) != 1 {\n\t\tt.Error("no")\n\t}\n}\n'
    ),
    "engine/Cargo.toml": '[package]\nname = "engine"\nversion = "0.1.0"\nedition = "2021"\n',
    "engine/src/lib.rs": RUST + "\n#[test]\nfn adds() {\n    assert_eq!(total(&[1, 2]), 3);\n}\n",
}
CHECKS = (
    *("ruff@backend", "mypy@backend", "tsc@frontend", "go-vet@services/cart", "cargo-check@engine"),
    *("pytest@backend", "go-test@services/cart", "cargo-test@engine", "npm-test@frontend"),
)


@pytest.fixture
def monorepo(world: World) -> World:
    """Four parts in subfolders, nothing at the root; the Python one has an environment of its own."""
    with_cargo(world)
    folders = (os.path.dirname(shutil.which(name) or "") for name in ("go", "npm"))
    world.env["PATH"] = os.pathsep.join(("/usr/bin", "/bin", *folders, *world.env["PATH"].split(os.pathsep)[3:]))
    world.env |= {"GOCACHE": str(REPOSITORY / ".cache" / "go-build"), "GOTOOLCHAIN": "local", "GOPROXY": "off"}
    world.write(FILES)
    (world.project / "frontend" / "node_modules").symlink_to(installed("typescript@7.0.2") / "node_modules")
    programs = world.project / "backend" / ".venv" / "bin"
    programs.mkdir(parents=True)
    for tool in ("ruff", "mypy", "pytest"):
        (programs / tool).symlink_to(BIN / tool)
    (programs / "python").symlink_to(sys.executable)
    world.commit()
    return world


@pytest.mark.needs("npm", "go", "cargo")
def test_four_languages_are_checked_in_one_stop_each_with_the_tools_of_its_part(monorepo: World) -> None:
    monorepo.start("mend all of it", "--tests-pass")
    plan = {check["name"]: check["tool"] for check in monorepo.state["plan"]}
    assert (*plan,) == CHECKS
    assert plan["mypy@backend"] == str(monorepo.project / "backend/.venv/bin/mypy")
    assert plan["tsc@frontend"] == str(monorepo.project / "frontend/node_modules/.bin/tsc")

    monorepo.write(
        {
            "backend/shop.py": PYTHON.replace("sum(prices)", '"much"'),
            "frontend/src/shop.ts": SCRIPT.replace("0);", '"0");'),
            "services/cart/cart.go": GO.replace("len(prices)", '"much"'),
            "engine/src/lib.rs": FILES["engine/src/lib.rs"].replace("&[1, 2]), 3", "&[1, 2]), 4"),
        }
    )
    held = monorepo.stop()
    assert held.held
    told = [line.strip().split(" ")[0] for line in held.stderr.splitlines() if line.startswith("  ")]
    assert {"backend/shop.py:2:", "frontend/src/shop.ts:2:", "services/cart/cart.go:5:"} <= {*told}
    assert any(line.startswith("engine/src/lib.rs:") for line in told)
    outcomes = monorepo.state["snapshots"][0]["outcomes"]
    assert outcomes == dict.fromkeys(CHECKS, "found") | {
        **dict.fromkeys(("ruff@backend", "cargo-check@engine", "npm-test@frontend"), "clean")
    }

    monorepo.write(FILES)
    released = monorepo.stop()
    assert (released.code, monorepo.state["stop_reason"], monorepo.state["verified"]) == (0, "complete", True), released
    newest = monorepo.state["snapshots"][-1]
    assert (newest["outcomes"], newest["tests_run"]) == (dict.fromkeys(CHECKS, "clean"), 4)


def test_checks_of_a_stop_run_at_the_same_time(green: World) -> None:
    # each waits until the other has begun
    wait = "touch {}; for i in $(seq 200); do [ -e {} ] && exit 0; sleep 0.05; done; exit 1"
    checks = [f"one=sh -c '{wait.format('../one', '../two')}'", f"two=sh -c '{wait.format('../two', '../one')}'"]
    green.start("go on", *(word for check in checks for word in ("--check", check)))
    green.write({"app.py": "VALUE = 2\n"})
    assert green.stop().code == 0
    assert green.state["stop_reason"] == "complete"


def test_a_linked_worktree_uses_the_environment_of_the_main_one(green: World) -> None:
    programs = green.project / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "mypy").symlink_to(BIN / "mypy")
    (programs / "python").symlink_to(sys.executable)
    modules = green.project / "node_modules" / ".bin"
    modules.mkdir(parents=True)
    (modules / "tsc").write_text("#!/bin/sh\nexit 0\n")
    (modules / "tsc").chmod(0o755)
    green.write({".gitignore": ".venv\nnode_modules\n", "mypy.ini": "[mypy]\n", "tsconfig.json": "{}", "a.ts": "1;\n"})
    green.commit()
    linked = green.project.parent / "linked"
    subprocess.run(
        ["git", "worktree", "add", "-q", "-b", "side", str(linked)], cwd=green.project, env=green.env, check=True
    )
    answer = green.run("start-loop", "x", "--session", green.session, "--project", str(linked), cwd=linked)
    assert answer.code == 0, answer
    state = json.loads((linked / ".untilgreen" / "sessions" / green.session / "loop_state.json").read_text())
    plan = {check["name"]: check["tool"] for check in state["plan"]}
    assert (plan["mypy"], plan["tsc"]) == (str(programs / "mypy"), str(modules / "tsc"))
