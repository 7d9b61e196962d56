"""tsc and eslint as they are installed, through the installed executables: held, told, mended, released."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping

import pytest

import tables
from node import installed
from test_green import outcomes
from world import World, listed

pytestmark = pytest.mark.needs("npm")

# the native one takes a fifth of the time; an older one where projects build one another
TSC, OLDER, ESLINT = "typescript@7.0.2", "typescript@5.9.3", "eslint@9.39.5"
# without what browsers declare, which takes longer than the rest
CONFIG = '{ "compilerOptions": { "strict": true, "types": [], "lib": ["es5"] } }\n'
LINT = 'export default [{ rules: { "no-unused-vars": "error", eqeqeq: "warn" } }];\n'


def project(world: World, files: Mapping[str, str], *packages: str, folder: str = ".") -> None:
    """A repository with these files, and these packages in the node_modules of `folder`."""
    world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which("node") or "")
    world.write({".gitignore": "node_modules\nout\n*.tsbuildinfo\n", **files})
    if packages:
        (world.project / folder / "node_modules").symlink_to(installed(*packages) / "node_modules")
    world.commit()


def new_files(world: World) -> str:
    """What git does not know yet, ignored files too."""
    words = ["git", "status", "--porcelain", "--ignored", "--untracked-files=all"]
    status = subprocess.run(words, cwd=world.project, env=world.env, capture_output=True, text=True, check=True).stdout
    return "\n".join(line for line in status.splitlines() if "node_modules" not in line and ".untilgreen" not in line)


def test_a_type_error_is_held_a_syntax_error_no_progress_and_both_mended_released(world: World) -> None:
    files = {"tsconfig.json": CONFIG, "src/a.ts": 'export const a: number = "1";\n', "src/b.ts": "export {};\n"}
    project(world, files, TSC)
    world.start()
    held = world.stop()
    assert listed(held) == ["src/a.ts:1: TS2322 Type 'string' is not assignable to type 'number'."]
    world.write({"src/b.ts": "export function b( {\n"})
    assert listed(world.stop())[0].startswith("src/b.ts:2: TS1005 ")
    assert world.state["snapshots"][-1]["scores"] == {"static": None}
    world.write({"src/a.ts": "export const a: number = 1;\n", "src/b.ts": "export {};\n"})
    released = world.stop()
    assert (released.code, world.state["final_status"], world.state["verified"]) == (0, "COMPLETE", True), released
    assert new_files(world).split() == ["M", "src/a.ts"]


APP = """{
  // as a template has it
  "compilerOptions": { "noEmit": true, "strict": true, "types": [], "lib": ["es5"] },
  "include": ["src"],
}
"""


@pytest.mark.wide
@pytest.mark.parametrize("version", ["typescript@5.0.4", "typescript@7.0.2"])
def test_every_configuration_that_is_referenced_is_checked_and_nothing_is_written(world: World, version: str) -> None:
    files = {
        "tsconfig.json": '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }, { "path": "node" }] }\n',
        "tsconfig.app.json": APP,
        "src/a.ts": "export const a: number = 1;\n",
        "node/tsconfig.json": CONFIG,
        "node/b.ts": "export const b: string = 1;\n",
    }
    project(world, files, version)
    world.start()
    assert listed(world.stop()) == ["node/b.ts:1: TS2322 Type 'number' is not assignable to type 'string'."]
    assert outcomes(world) == {"tsc": "found"}
    assert new_files(world) == ""


LIBRARY = tables.text("real-javascript", "library")


@pytest.mark.wide
def test_a_project_that_imports_from_another_is_green_once_that_is_built_again(world: World) -> None:
    files = {
        "tsconfig.json": '{ "files": [], "references": [{ "path": "app" }] }\n',
        "lib/tsconfig.json": LIBRARY,
        "lib/src/index.ts": "export const n: number = 1;\n",
        "app/tsconfig.json": LIBRARY.replace('"include"', '"references": [{ "path": "../lib" }],\n  "include"'),
        "app/src/main.ts": 'import { n } from "../../lib/src/index";\nexport const m: number = n;\n',
    }
    project(world, files, OLDER)
    build = [str(world.project / "node_modules" / ".bin" / "tsc"), "-b"]
    world.start()
    expected = "app/src/main.ts:1: TS6305 run `tsc -b` in .: Output file "
    assert listed(world.stop())[0].startswith(expected)
    subprocess.run(build, cwd=world.project, env=world.env, check=True)
    world.write({"lib/src/index.ts": "export const n: number = 2;\nexport const text = 'x';\n"})
    stale = world.stop()
    assert listed(stale)[0].startswith(
        "check tsc: checked against what was built before the last change: run `tsc -b` in ."
    )
    subprocess.run(build, cwd=world.project, env=world.env, check=True)
    world.stop()
    assert (world.state["final_status"], world.state["verified"]) == ("COMPLETE", True)


def test_a_configured_tsc_that_is_not_installed_is_said_in_the_release(world: World) -> None:
    project(world, {"tsconfig.json": CONFIG, "a.ts": "export {};\n", "b.py": "import os\n"})
    world.start()
    assert listed(world.stop()) == ["b.py:1: F401 `os` imported but unused"]
    world.write({"b.py": ""})
    released = world.stop()
    assert (world.state["stop_reason"], world.state["verified"]) == ("complete", False)
    assert " tsc is not installed" in released.notice


def test_types_that_are_asked_for_and_not_there_keep_a_loop_from_starting(world: World) -> None:
    project(world, {"tsconfig.json": CONFIG, "a.ts": "export {};\n"})
    answer = world.run("start-loop", "fix it", "--session", world.session, "--criteria", "type_check")
    assert (answer.code, " tsc is not installed" in answer.stderr) == (64, True), answer


def test_eslint_errors_hold_and_warnings_do_when_clean_lint_is_asked_for(world: World) -> None:
    project(world, {"eslint.config.mjs": LINT, "src/a.js": "const a = 1;\nif (1 == 2) {\n}\n"}, ESLINT)
    world.start("fix it", "--criteria", "lint_clean")
    assert listed(world.stop()) == [
        "src/a.js:1: no-unused-vars 'a' is assigned a value but never used.",
        "src/a.js:2: eqeqeq Expected '===' and instead saw '=='.",
    ]
    world.write({"src/a.js": "if (1 == 2) {\n}\n"})
    assert listed(world.stop())[0] == "src/a.js:2: eqeqeq Expected '===' and instead saw '=='.".replace(":2:", ":1:")
    world.write({"src/a.js": "export const a = 1;\n"})
    world.stop()
    assert (world.state["final_status"], outcomes(world)) == ("COMPLETE", {"eslint": "clean"})


def test_an_eslint_configuration_that_throws_is_never_green(world: World) -> None:
    project(world, {"eslint.config.mjs": 'throw new Error("not today");\n', "a.js": "export {};\n"}, ESLINT)
    world.start()
    first = listed(world.stop())[0].removesuffix(" (was so before the loop)")  # where the start had an answer in time
    assert first == "check eslint: exit code 2: Error: not today"
    assert outcomes(world) == {"eslint": "broken"}


@pytest.mark.wide
@pytest.mark.parametrize("version", ["eslint@8.57.1", ESLINT, "eslint@10.15.0"])
def test_a_flat_configuration_further_down_judges_what_is_below_it(world: World, version: str) -> None:
    files = {
        "package.json": '{ "type": "module" }\n',
        "eslint.config.js": 'export default [{ rules: { "no-var": "error" } }];\n',
        "r.js": "if (1) {}\n",
        "apps/web/eslint.config.js": 'export default [{ rules: { "no-empty": "error" } }];\n',
        "apps/web/w.js": "if (1) {}\nvar w = 1;\n",
    }
    project(world, files, version)
    world.start()
    assert listed(world.stop()) == ["apps/web/w.js:1: no-empty Empty block statement."]
    assert outcomes(world) == {"eslint": "clean", "eslint@apps/web": "found"}
    edited = world.edit("apps/web/w.js", "var w = 1;\nif (2) {}\n").context
    assert ("apps/web/w.js:2:8: no-empty" in edited, "no-var" in edited) == (True, False)
    world.write({"apps/web/w.js": "var w = 1;\n", "r.js": "var r = 1;\n"})
    assert listed(world.stop()) == ["r.js:1: no-var Unexpected var, use let or const instead."]
    world.write({"r.js": "const r = 1;\n"})
    world.stop()
    assert (world.state["final_status"], world.state["verified"]) == ("COMPLETE", True)


def test_an_edit_without_a_loop_is_judged_by_the_nearest_flat_configuration(world: World) -> None:
    files = {
        "package.json": '{ "type": "module" }\n',
        "eslint.config.js": 'export default [{ rules: { "no-var": "error" } }];\n',
        "apps/web/eslint.config.js": 'export default [{ rules: { "no-empty": "error" } }];\n',
        "apps/web/src/w.js": "export {};\n",
    }
    project(world, files, ESLINT)
    world.init()
    assert world.run("untilgreen", "trust").code == 0
    said = world.edit("apps/web/src/w.js", "if (1) {}\nvar w = 1;\n").context
    assert ("apps/web/src/w.js:1:8: no-empty" in said, "no-var" in said) == (True, False)


def test_a_root_where_only_its_flat_configuration_is_left_is_no_obstacle(world: World) -> None:
    files = {
        "eslint.config.mjs": LINT,
        "vitest.workspace.ts": "export default [];\n",
        "web/eslint.config.mjs": LINT,
        "web/w.js": "const w = 1;\n",
    }
    project(world, files, ESLINT)
    world.start()
    assert listed(world.stop()) == ["web/w.js:1: no-unused-vars 'w' is assigned a value but never used."]
    world.write({"web/w.js": "export {};\n"})
    world.stop()
    assert (world.state["final_status"], outcomes(world)) == ("COMPLETE", {"eslint": "clean", "eslint@web": "clean"})


@pytest.mark.wide
def test_each_part_of_a_repository_is_checked_in_its_own_folder_with_its_own_tools(world: World) -> None:
    files = {
        "backend/pyproject.toml": "",
        "backend/app.py": "import os\n",
        "frontend/package.json": "{}\n",
        "frontend/tsconfig.json": CONFIG,
        "frontend/eslint.config.mjs": LINT,
        "frontend/src/a.ts": 'export const a: number = "1";\n',
        "frontend/src/b.js": "const b = 1;\n",
    }
    project(world, files, TSC, ESLINT, folder="frontend")
    world.start()
    assert sorted(listed(world.stop())) == [
        "backend/app.py:1: F401 `os` imported but unused",
        "frontend/src/a.ts:1: TS2322 Type 'string' is not assignable to type 'number'.",
        "frontend/src/b.js:1: no-unused-vars 'b' is assigned a value but never used.",
    ]
    assert outcomes(world) == {"ruff@backend": "found", "tsc@frontend": "found", "eslint@frontend": "found"}
    world.write({"backend/app.py": "", "frontend/src/a.ts": "export {};\n", "frontend/src/b.js": "export {};\n"})
    world.stop()
    assert (world.state["final_status"], world.state["verified"]) == ("COMPLETE", True)


def test_an_edit_is_told_what_eslint_and_tsc_have_to_say_about_the_file(world: World) -> None:
    files = {"tsconfig.json": CONFIG, "eslint.config.mjs": LINT, "a.js": "export {};\n", "b.ts": "export {};\n"}
    project(world, files, TSC, ESLINT)
    world.start()
    assert "a.js:1:7: no-unused-vars" in world.edit("a.js", "const a = 1;\n").context
    payload = json.dumps(world.edited("b.ts", 'export const b: number = "1";\n', "export {};\n"))
    world.write({"b.ts": 'export const b: number = "1";\n'})
    types = world.run("post-tool-lsp", "--deadline", "120", stdin=payload)  # as long as a busy machine needs
    assert "b.ts:1:14: TS2322" in types.context


STRICT = (
    '{ "compilerOptions": { "strict": true, "types": [], "lib": ["es5"], "module": "esnext", %s }, "include": ["src"] }'
)
AROUND = {
    "tsconfig.json": STRICT % '"moduleResolution": "bundler"',
    "src/shared.ts": "interface Shared { n: number }\n",
    "src/setup.ts": 'import "marked";\n',
    "src/lib.ts": "/** export nothing */\nexport const one: number = 1;\n",
    "aside/b.ts": "export {};\n",
}
USES = 'import { one } from "./lib";\nexport const all: Shared & Marked = { n: one, ok: true };\n'
MARKED = "declare global { interface Marked { ok: %s } }\nexport {};\n"
# what changed before the edit of src/a.ts (None: it is gone), and what that file holds then
EDITS: dict[str, tuple[dict[str, str | None], str]] = {
    "what others declare for everybody": ({}, USES),
    "a wrong type": ({}, USES + 'export const e = "é𝕏", no: number = "é𝕏" + one;\n'),
    "a syntax error": ({}, USES + "export const = 1;\n"),
    "a file that breaks its dependents": ({"src/lib.ts": "export const two: number = 1;\n"}, USES),
    "a file that is gone": ({"src/lib.ts": None}, USES),
    "another dependency": ({"node_modules/marked/index.d.ts": MARKED % "false"}, USES),
    "another configuration": ({"tsconfig.json": STRICT % '"noUnusedLocals": true'}, USES + "const unused = 1;\n"),
}


def with_typescript(world: World, version: str = OLDER) -> None:
    """A trusted project with TypeScript and nothing else, in which edits are heard."""
    modules = world.project / "node_modules"
    modules.mkdir()
    for name in ("typescript", ".bin"):
        (modules / name).symlink_to(installed(version) / "node_modules" / name)
    assert world.run("untilgreen", "trust").code == 0
    (world.project / ".untilgreen").mkdir(mode=0o700)


@pytest.mark.parametrize("version", [OLDER, TSC])
def test_of_the_file_of_an_edit_typescript_says_alone_what_it_says_of_it_in_the_whole(
    world: World, version: str
) -> None:
    project(world, AROUND)
    with_typescript(world, version)
    told, wanted = {}, {}
    for name, (changes, text) in EDITS.items():
        world.write({**AROUND, "node_modules/marked/index.d.ts": MARKED % "true"})
        world.write({path: new for path, new in {**changes, "src/a.ts": text}.items() if new is not None})
        for path in (path for path, new in changes.items() if new is None):
            (world.project / path).unlink()
        payload = world.edited("src/a.ts", text, None)
        del payload["session_id"]
        said = world.run("post-tool-lsp", "--deadline", "120", stdin=json.dumps(payload)).context
        told[name] = re.findall(r"(?m)^src/a\.ts:(\d+):(\d+): TS(\d+) ", said)
        words = ["node_modules/.bin/tsc", "--noEmit", "--pretty", "false"]
        whole = subprocess.run(words, cwd=world.project, env=world.env, capture_output=True, text=True, check=False)
        wanted[name] = re.findall(r"(?m)^src/a\.ts\((\d+),(\d+)\): error TS(\d+): ", whole.stdout)
    assert told == wanted
    assert [name for name, found in told.items() if not found] == [*EDITS][:1]
    types = world.project / ".untilgreen" / "types"
    assert not types.exists(), "nothing but the file was looked at"
    text = "export const b: number = '';\n"
    payload = world.edited("aside/b.ts", text, None)
    world.write({"aside/b.ts": text})
    assert world.run("post-tool-lsp", "--deadline", "120", stdin=json.dumps(payload)).context == ""
    assert types.exists(), "a file that the configuration leaves out is for the whole to judge"


def test_an_edit_builds_nothing_and_leaves_to_the_stop_what_only_a_build_can_say(world: World) -> None:
    project(world, {"package.json": '{"scripts": {"types": "tsc -b"}}', "src/a.ts": ""})
    with_typescript(world)
    options, text = '"strict": true, "lib": ["es5"], "outDir": "out"', "export const n: number = '';\n"
    told = list[int]()
    for config in (f'{{"compilerOptions": {{{options}}}}}', '{"files": [], "references": [{"path": "src"}]}'):
        world.write({"tsconfig.json": config, "src/a.ts": text})
        world.write({"src/tsconfig.json": f'{{"compilerOptions": {{{options}, "composite": true}}}}'} if told else {})
        payload = world.edited("src/a.ts", text, None)
        del payload["session_id"]
        told.append(world.run("post-tool-lsp", "--deadline", "120", stdin=json.dumps(payload)).context.count("TS2322"))
    assert (told, [*world.project.rglob("out"), *world.project.rglob("*.tsbuildinfo")]) == ([1, 0], [])


PACKAGES = {
    "package.json": '{"private": true, "workspaces": ["packages/*"], "scripts": {"types": "tsc -b"}}\n',
    "tsconfig.json": '{ "files": [], "references": [{ "path": "packages/lib" }, { "path": "packages/app" }] }\n',
    "packages/lib/package.json": '{"name": "@x/lib", "exports": {"types": "./out/index.d.ts"}}\n',
    "packages/lib/tsconfig.json": LIBRARY,
    "packages/lib/src/index.ts": "export const n: number = 1;\n",
    "packages/app/package.json": '{"name": "@x/app"}\n',
    "packages/app/tsconfig.json": LIBRARY,
    "packages/app/src/main.ts": 'import { n } from "@x/lib";\nexport const m: number = n;\n',
}


def workspace(world: World, files: Mapping[str, str] = {}) -> None:
    """Two packages, of which one finds the other in node_modules as it was built."""
    project(world, PACKAGES | dict(files))
    modules = world.project / "node_modules"
    modules.mkdir()
    for one in (installed(OLDER) / "node_modules").iterdir():
        (modules / one.name).symlink_to(one)
    (modules / "@x").mkdir()
    (modules / "@x" / "lib").symlink_to("../../packages/lib")
    build = [str(modules / ".bin" / "tsc"), "-b", "packages/lib", "packages/app"]
    subprocess.run(build, cwd=world.project, env=world.env, check=True)


@pytest.mark.wide
def test_a_package_that_another_one_reads_as_it_was_built_must_be_its_newest_text(world: World) -> None:
    workspace(world, {"package.json": '{"private": true, "workspaces": ["packages/*"]}\n'})
    world.run("start-loop", "-t", "mend it", "--session", world.session)
    world.write({"packages/lib/src/index.ts": "export const n: string = 'one';\n"})
    assert (
        world.stop()
        .stderr.splitlines()[1]
        .startswith("check:tsc could not be judged: checked against what was built before the last change: run `tsc")
    )


@pytest.mark.wide
def test_a_build_that_the_project_calls_is_run_as_it_is(world: World) -> None:
    refers = LIBRARY.replace('"include"', '"references": [{ "path": "../lib" }],\n  "include"')
    workspace(
        world,
        {
            "packages/app/tsconfig.json": refers,
            ".github/workflows/ci.yml": "on: push\njobs: {t: {steps: [{run: npm run types}]}}\n",
        },
    )
    world.run("start-loop", "-t", "mend it", "--session", world.session)
    world.write({"packages/lib/src/index.ts": "export const n: string = 'one';\n"})
    told = "packages/app/src/main.ts:2:14 tsc TS2322: Type 'string' is not assignable to type 'number'."
    assert world.stop().stderr.splitlines()[1] == told
    world.write({"packages/app/src/main.ts": 'import { n } from "@x/lib";\nexport const m: string = n;\n'})
    world.stop()
    assert (world.state["final_status"], world.state["verified"]) == ("COMPLETE", True)


def test_a_build_that_the_tests_begin_with_is_not_done_beside_them(world: World) -> None:
    """Without what was built before a build of what lies beside its sources is another one."""
    beside = '{"checkJs": true, "declaration": true, "emitDeclarationOnly": true, "lib": ["es5"], "types": []}'
    test = 'import {one} from "./a.js";\nif (one > 1) throw new Error("one");\n'
    scripts = '{"build": "tsc --build --clean && tsc --build", "test": "npm run build && node test.js"}'
    files = {
        ".gitignore": "node_modules\n*.d.ts\n*.tsbuildinfo\n",
        "package.json": f'{{"type": "module", "scripts": {scripts}}}\n',
        "tsconfig.json": f'{{"compilerOptions": {beside}, "include": ["*.js"]}}\n',
        "a.js": "export const one = 1;\n",
        "test.js": test,
    }
    project(world, files, TSC)
    subprocess.run(["npm", "run", "build"], cwd=world.project, env=world.env, check=True)
    world.run("start-loop", "-t", "mend it", "--session", world.session)
    world.write({"a.js": "export const one = 1;\nexport const two = 2;\n", "test.js": test.replace("one", "two")})
    held = world.stop()
    assert "Error: two" in held.stderr, held
    world.write({"test.js": test.replace("one", "two").replace("1", "2")})
    released = world.stop()
    assert (world.state["final_status"], world.state["verified"]) == ("COMPLETE", True), released
