"""Loops of Go projects, with the go command of this machine."""

import os
import shutil
from pathlib import Path

import pytest

from rust import with_cargo
from test_green import CI, begun, left, outcomes, workflow
from world import REPOSITORY, World

pytestmark = pytest.mark.needs("go")

MODULE = "module example.com/shop\n\ngo 1.19\n"
CART = "package cart\n\n// Total adds prices.\nfunc Total(prices []int) int {\n\ttotal := 0\n\tfor _, price := range prices {\n\t\ttotal += price\n\t}\n\treturn total\n}\n"  # noqa: E501
TEST = 'package cart\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total([]int{1, 2}); got != 3 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n'  # noqa: E501


@pytest.fixture
def gopher(world: World) -> World:
    """A world in which the go command works; what it compiles of the standard library is kept between tests."""
    folder = os.path.dirname(shutil.which("go") or "")
    world.env["PATH"] += os.pathsep + folder
    world.env |= {"GOCACHE": str(REPOSITORY / ".cache" / "go-build"), "GOTOOLCHAIN": "local", "GOPROXY": "off"}
    return world


def check_stop(world: World, held: bool, ended: dict[str, str], *lines: str) -> None:
    """The agent stops: whether it is held, what its checks come to, and what it is told among other things."""
    answer = world.stop()
    assert (answer.held, outcomes(world)) == (held, ended), answer
    for line in lines:
        assert line in answer.stderr


def test_a_loop_holds_until_a_go_module_compiles_and_its_tests_pass(gopher: World) -> None:
    wrong = CART.replace("total += price", "total -= price")
    gopher.write({"go.mod": MODULE, "cart/cart.go": wrong.replace("return total", 'return "total"')})
    gopher.write({"cart/cart_test.go": TEST})
    gopher.commit()
    gopher.start("mend it", "--tests-pass", "--criteria", "type_check")
    check_stop(gopher, True, {"go-vet": "found", "go-test": "found"}, "cart/cart.go:9: compile ")
    gopher.write({"cart/cart.go": wrong})
    check_stop(gopher, True, {"go-vet": "clean", "go-test": "found"}, "cart/cart_test.go:7: TestTotal got -3")
    gopher.write({"cart/cart.go": CART})
    check_stop(gopher, False, {"go-vet": "clean", "go-test": "clean"})
    assert (gopher.state["stop_reason"], gopher.state["verified"]) == ("complete", True)


def test_a_test_that_ends_the_process_is_not_green(gopher: World) -> None:
    escape = TEST.replace('import "testing"', 'import (\n\t"syscall"\n\t"testing"\n)').replace("got != 3", "got != 4")
    gopher.write({"go.mod": MODULE, "cart/cart.go": CART})
    gopher.write({"cart/cart_test.go": escape.replace("\tif got", "\tsyscall.Exit(0)\n\tif got")})
    gopher.commit()
    gopher.start("mend it", "--tests-pass")
    gopher.write({"note.txt": "changed\n"})
    check_stop(gopher, True, {"go-vet": "clean", "go-test": "broken"})


def test_deleting_the_tests_is_not_green(gopher: World) -> None:
    gopher.write({"go.mod": MODULE, "cart/cart.go": CART, "cart/cart_test.go": TEST.replace("!= 3", "!= 4")})
    gopher.commit()
    gopher.start("mend it", "--tests-pass")
    assert gopher.stop().held
    (gopher.project / "cart" / "cart_test.go").unlink()
    answer = gopher.stop()
    assert (answer.held, "no tests were collected" in answer.stderr) == (True, True), answer


def test_what_go_vet_finds_holds_where_ci_calls_it(gopher: World) -> None:
    wrong = 'package cart\n\nimport "fmt"\n\nfunc One() {\n\tfmt.Printf("%d", "one")\n}\n'
    gopher.write({"go.mod": MODULE, "cart/cart.go": wrong, CI: workflow("go vet ./...")})
    begun(gopher)
    assert gopher.stop().held
    assert left(gopher) == ['cart/cart.go:6: printf fmt.Printf format %d has arg "one" of wrong type string']


def test_what_go_vet_finds_holds_nobody_where_ci_tests_without_it(gopher: World) -> None:
    odd = 'package cart\n\nimport "sync"\n\nfunc One(m sync.Mutex) {}\n'
    files = {"go.mod": MODULE, "cart/cart.go": CART, "cart/cart_test.go": TEST, "cart/odd.go": odd}
    gopher.write({**files, CI: workflow("go test ./...")})
    begun(gopher)
    check_stop(gopher, False, {"go-vet": "clean", "go-test": "clean"})
    gopher.write({"cart/odd.go": odd.replace("sync.Mutex", "sync.Mute")})
    begun(gopher, "--replace", "--only", "lint")
    check_stop(gopher, True, {"go-vet": "found"}, "cart/odd.go:5:17 go-vet compile: ")
    gopher.write({"cart/odd.go": odd})
    gopher.write({CI: workflow("go build ./...")})
    begun(gopher, "--replace")
    check_stop(gopher, True, {"go-vet": "found", "go-test": "clean"}, "cart/odd.go:5:12 go-vet copylocks: ")


def test_go_test_without_packages_is_of_its_own_folder_alone(gopher: World) -> None:
    top = {"top.go": "package shop\n", "top_test.go": TEST.replace("package cart", "package shop")}
    top["top.go"] = CART.replace("package cart", "package shop")
    files = {"go.mod": MODULE, "cart/cart.go": CART, "cart/cart_test.go": TEST.replace("!= 3", "!= 4"), **top}
    gopher.write({**files, CI: workflow("go vet", "go test -v")})
    begun(gopher)
    check_stop(gopher, False, {"go-vet": "clean", "go-test": "clean"})
    gopher.write({CI: workflow("go vet", "go test", "go test ./...")})
    begun(gopher, "--replace")
    check_stop(gopher, True, {"go-vet": "clean", "go-test": "found"}, "cart/cart_test.go:7 TestTotal")


ASKED = 'if [ -n "$(gofmt -l .)" ]; then\n            gofmt -d .\n            exit 1\n          fi'
WRITTEN = "go fmt ./...\n          git diff --exit-code"


@pytest.mark.parametrize(
    ("lines", "call"),
    [
        (['test -z "$(gofmt -l .)"'], "-l ."),
        (['test -z "$(gofmt -d -s . | tee /dev/stderr)"'], "-d -s ."),
        (['[ -z "$(gofmt -l cart/*.go)" ]'], "-l cart/*.go"),
        (["gofmt -l -e . | (! grep .)"], "-l ."),
        (["diff -u <(echo -n) <(gofmt -d ./)"], "-d ./"),
        (["files=$(gofmt -l $(git ls-files))\n          test -z $files"], "-l ./..."),
        (["go generate ./...", "gofmt -w .", "git diff --exit-code"], "-l ."),
        ([WRITTEN], "-l ./..."),
        ([ASKED], "-l ."),
    ],
)
def test_a_list_of_gofmt_that_ci_asks_for_is_a_check(gopher: World, lines: list[str], call: str) -> None:
    (gopher.programs / "gofmt").symlink_to(shutil.which("gofmt") or "")
    ci = workflow(*(f"|\n          {line}" for line in lines))
    gopher.write({"go.mod": MODULE, "cart/cart.go": "package cart\nfunc  One( ) {}\n", CI: ci})
    assert f"gofmt {call} ({CI}: check)" in begun(gopher)
    plan = gopher.run("untilgreen", "check", "--explain-plan").stdout
    assert ": not read: " not in plan
    assert gopher.stop().held
    assert left(gopher) == ["cart/cart.go: format it would be reformatted"]
    gopher.write({"cart/cart.go": "package cart\n\nfunc One() {}\n"})
    assert gopher.stop().code == 0


def test_a_list_of_gofmt_that_nobody_asks_for_is_none(gopher: World) -> None:
    gopher.write({"go.mod": MODULE, "cart/cart.go": "package cart\n", CI: workflow("gofmt -l .", "gofmt -w .")})
    assert [one for one in begun(gopher) if one.startswith("gofmt")] == []


@pytest.mark.needs("cargo")
def test_parts_in_two_languages_are_checked_each_in_its_own_folder(gopher: World) -> None:
    with_cargo(gopher)
    gopher.write(
        {
            "service/go.mod": MODULE,
            "service/main.go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Printf("%d\\n", "text")\n}\n',
            "engine/Cargo.toml": '[package]\nname = "engine"\nversion = "0.1.0"\nedition = "2021"\n',
            "engine/src/lib.rs": 'pub fn total() -> i32 {\n    "text"\n}\n',
            ".gitignore": "target\nCargo.lock\n",
        }
    )
    gopher.commit()
    gopher.start("mend both")
    lines = ("service/main.go:6: printf ", "engine/src/lib.rs:2: E0308 mismatched types")
    check_stop(gopher, True, {"go-vet@service": "found", "cargo-check@engine": "found"}, *lines)
    gopher.write({"service/main.go": "package main\n\nfunc main() {}\n"})
    gopher.write({"engine/src/lib.rs": "pub fn total() -> i32 {\n    1\n}\n"})
    check_stop(gopher, False, {"go-vet@service": "clean", "cargo-check@engine": "clean"})


def test_go_that_is_not_there_is_said_and_left_out(world: World, tmp_path: Path) -> None:
    programs = tmp_path / "without go"
    programs.mkdir()
    for name in ("git", "env"):
        (programs / name).symlink_to(shutil.which(name) or name)
    world.env["PATH"] = str(programs)
    world.write({"go.mod": MODULE, "main.go": "package main\n\nfunc main() {}\n"})
    world.commit()
    started = world.start("mend it", "--allow-absent")
    limits = "limits: 10 rounds, 60 min of work, 3 rounds without improvement"
    lines = ["criteria: zero_errors", limits, "checks: none applies here yet", "left out: go is not installed"]
    assert started.stdout.splitlines()[2:] == [*lines, "at the start: nothing to measure"]
    world.write({"main.go": "package main\n\nfunc main() { }\n"})
    line = "\n  check none: no check could run: go is not installed\n"
    check_stop(world, True, {"go-vet": "absent", "none": "broken"}, line)
