"""The whole repositories of JavaScript and TypeScript, workspaces most of them.

They were played with Node 22, pnpm 10 and yarn 1 first on PATH, CI=true, and pnpm told to stay the one that it is
(npm_config_manage_package_manager_versions=false).
"""

from collections.abc import Mapping

from repositories_table import Edit, Repository


def _npm(
    name: str,
    commit: str,
    commands: tuple[str, ...],
    bug: Edit,
    faults: Mapping[str, str],
    feature: tuple[Edit, ...],
    *,
    install: tuple[str, ...] = ("npm install",),
) -> Repository:
    """A repository whose other faults are new ends of the file of its bug."""
    ends = {fault: (Edit(bug.file, "", end),) for fault, end in faults.items()}
    return Repository(name, commit, install, commands, {"bug": (bug,), **ends}, feature)


def _unified(name: str, commit: str, bug: Edit, test: str, *, feature: str) -> Repository:
    """One of the unified collective: `npm test` builds, mends the form, and runs the tests, which cover every line.

    `feature`: the file of the new function; `test`: that of its test.
    """
    called = "\ntest('untilgreen', async function (t) {\n  await t.test('should double', async function () {\n"
    called += f"    const made = await import('./{feature}')\n    assert.equal(made.untilgreen(2), 4)\n"
    source = "/**\n * Double.\n *\n * @param {number} value\n *   Number.\n * @returns {number}\n *   Twice it.\n */\n"
    source += "export function untilgreen(value) {\n  return value * 2\n}\n"
    faults = {
        "type error": "\n/** @type {number} */\nexport const untilgreen = ''\n",
        "lint": "\nconst untilgreen = 1\n",
    }
    return _npm(
        name, commit, ("npm test",), bug, faults, (Edit(feature, "", source), Edit(test, "", f"{called}  }})\n}})\n"))
    )


_UTILS = "packages/utils/src"
_BEARER = "packages/oauth2-bearer"
_STAT = "packages/fs/fs.stat/src"
_SEQUENCE = "fluent-sequence"
REPOSITORIES = (
    Repository("standard-schema/standard-schema", "e5d70a6e36ba45e65210d791b8360acbbff948c1",
        ("pnpm install",),
        ("cd packages/spec && pnpm exec biome ci ./src", "cd packages/utils && pnpm exec biome ci ./src",
         "cd packages/utils && CI=1 pnpm test"),
        {
            "bug": (Edit(f"{_UTILS}/getDotPath/getDotPath.ts", "dotPath += `.${key}`", "dotPath += `/${key}`"),),
            "lint": (Edit(f"{_UTILS}/index.ts", "", "\nexport const untilgreen = `1`;\n"),),
            "format": (Edit(f"{_UTILS}/index.ts", "", "\nexport const untilgreen  =  1\n"),),
        },
        (Edit(f"{_UTILS}/untilgreen.ts", "",
              "export function untilgreen(n: number): number {\n  return n * 2;\n}\n"),
         Edit(f"{_UTILS}/untilgreen.test.ts", "", 'import { expect, test } from "vitest";\n'
              'import { untilgreen } from "./untilgreen.ts";\n\n'
              'test("doubles", () => {\n  expect(untilgreen(2)).toBe(4);\n});\n'))),
    Repository("pmndrs/zustand", "f094eebe9bd3b4b0d77b997f69ab1d273f69a877",
        ("pnpm install",),
        ("CI=1 pnpm run test:format", "pnpm run test:types", "pnpm run test:lint", "CI=1 pnpm run test:spec"),
        {
            "bug": (Edit("src/vanilla.ts", "if (!Object.is(nextState, state))", "if (Object.is(nextState, state))"),),
            "type error": (Edit("src/vanilla.ts", "", "\nexport const untilgreen: number = ''\n"),),
            "format": (Edit("src/vanilla.ts", "", "\nexport const untilgreen: number  =  1\n"),),
        },
        (Edit("src/untilgreen.ts", "", "export function untilgreen(n: number): number {\n  return n * 2\n}\n"),
         Edit("tests/untilgreen.test.ts", "", "import { expect, it } from 'vitest'\n"
              "import { untilgreen } from '../src/untilgreen'\n\n"
              "it('doubles', () => {\n  expect(untilgreen(2)).toBe(4)\n})\n"))),
    _npm("auth0/node-oauth2-jwt-bearer", "8701dab5c44839607755b94b247ce1912aff1aca",
        ("npm run build", "npm test", "npm run lint"),
        Edit(f"{_BEARER}/src/get-token.ts", "return match[2];", "return match[1];"),
        {"type error": "\nexport const untilgreen: number = '';\n", "lint": "\nvar untilgreen;\ndebugger;\n"},
        (Edit(f"{_BEARER}/src/untilgreen.ts", "",
              "export const untilgreen = (n: number): number => n * 2;\n"),
         Edit(f"{_BEARER}/test/untilgreen.test.ts", "", "import { untilgreen } from '../src/untilgreen';\n\n"
              "it('doubles', () => {\n  expect(untilgreen(2)).toBe(4);\n});\n"))),
    _npm("tinyhttp/tinyhttp", "9266f9ea3783e1282df3c83edcceeadf30fba5a8",
        ("pnpm build", "pnpm exec biome ci .", "pnpm test"),
        Edit("packages/url/src/index.ts", "url.slice(0, getQueryIndex(url))", "url.slice(0, getQueryIndex(url) + 1)"),
        {"type error": "\nexport const untilgreen: number = ''\n", "format": "\nexport const untilgreen  =  1\n"},
        (Edit("packages/url/src/untilgreen.ts", "", "export const untilgreen = (n: number): number => n * 2\n"),
         Edit("tests/modules/untilgreen.test.ts", "", "import { expect, it } from 'vitest'\n"
              "import { untilgreen } from '../../packages/url/src/untilgreen'\n\n"
              "it('doubles', () => {\n  expect(untilgreen(2)).toBe(4)\n})\n")),
        install=("pnpm install",)),
    _unified("remarkjs/remark", "6c18384e9731146a3e8dffe79d1d8e59316c6bf7",
        Edit("packages/remark-stringify/lib/index.js", "      ...self.data('settings'),\n", ""),
        "test.js", feature="packages/remark-stringify/lib/untilgreen.js"),
    _unified("retextjs/retext", "04580e54d857f86405c1b109f5205be58f1285f8",
        Edit("packages/retext-latin/lib/index.js", "parser.parse(value)", "parser.parse(value + value)"),
        "test.js", feature="packages/retext-latin/lib/untilgreen.js"),
    _npm("bombshell-dev/clack", "adb6af9f5fb39408934323a7415beb46b63ecd9a",
        ("pnpm run build", "pnpm run types", "pnpm run test", "pnpm run deps"),
        Edit("packages/core/src/utils/cursor.ts", "const newCursor = cursor + delta;",
             "const newCursor = cursor - delta;"),
        {"type error": "\nexport const untilgreen: number = '';\n", "syntax error": "\nexport const = 1;\n"},
        (Edit("packages/core/src/utils/untilgreen.ts", "",
              "export function untilgreen(value: number): number {\n\treturn value * 2;\n}\n"),
         Edit("packages/core/src/index.ts", "export type { ClackSettings }",
              "export { untilgreen } from './utils/untilgreen.js';\nexport type { ClackSettings }"),
         Edit("packages/core/test/utils/untilgreen.test.ts", "", "import { expect, test } from 'vitest';\n"
              "import { untilgreen } from '../../src/utils/untilgreen.js';\n\n"
              "test('doubles', () => {\n\texpect(untilgreen(2)).toBe(4);\n});\n")),
        install=("pnpm install",)),
    _npm("lukeed/sirv", "d061616827dd32d53b61ec9530c9445c8f592620",
        ("npm run build", "npm test"),
        Edit("packages/sirv/index.mjs", "code = 206;", "code = 200;"),
        {"syntax error": "\nexport const = 1;\n", "missing import": "\nimport './untilgreen.mjs';\n"},
        (Edit("packages/sirv/untilgreen.mjs", "", "export function untilgreen(value) {\n\treturn value * 2;\n}\n"),
         Edit("tests/untilgreen.mjs", "", "import { test } from 'uvu';\nimport * as assert from 'uvu/assert';\n"
              "import { untilgreen } from '../packages/sirv/untilgreen.mjs';\n\n"
              "test('doubles', () => {\n\tassert.is(untilgreen(2), 4);\n});\n\ntest.run();\n"))),
    _npm("nodelib/nodelib", "ba122bd81aadd0a4fa7340ef2cfaabf62984bf1d",
        ("npm run compile", "npm run lint", "npm run lint:dependencies", "npm run lint:npm-package-exports",
         "TOOLS_SIZE_LIMIT_SKIP=1 npm run lint:size", "npm run test"),
        Edit(f"{_STAT}/settings.ts", "options.markSymbolicLink ?? false", "options.markSymbolicLink ?? true"),
        {"type error": "\nexport const untilgreen: number = '';\n", "lint": "\nexport var untilgreen = 1;\n"},
        (Edit(f"{_STAT}/untilgreen.ts", "",
              "export function untilgreen(value: number): number {\n\treturn value * 2;\n}\n"),
         Edit(f"{_STAT}/untilgreen.spec.ts", "", "import * as assert from 'node:assert';\n\n"
              "import { describe, it } from 'mocha';\n\nimport { untilgreen } from './untilgreen';\n\n"
              "describe('untilgreen', () => {\n\tit('should double', () => {\n"
              "\t\tassert.strictEqual(untilgreen(2), 4);\n\t});\n});\n"))),
    _npm("projectfluent/fluent.js", "9a925d2a38b893be735ff4429be8ad62132a204d",
        ("npm run build --workspaces", "npm test", "npm run lint", "npm run docs"),
        Edit(f"{_SEQUENCE}/src/map_sync.ts", "if (bundle.hasMessage(id))", "if (!bundle.hasMessage(id))"),
        {"type error": '\nexport const untilgreen: number = "";\n',
         "lint": "\nexport const untilgreen = (n: number): boolean => n == 1;\n"},
        (Edit(f"{_SEQUENCE}/src/untilgreen.ts", "",
              "export function untilgreen(value: number): number {\n  return value * 2;\n}\n"),
         Edit(f"{_SEQUENCE}/src/index.ts", "", 'export { untilgreen } from "./untilgreen.js";\n'),
         Edit(f"{_SEQUENCE}/test/untilgreen_test.js", "", 'import assert from "assert";\n'
              'import { untilgreen } from "../src/index.ts";\n\n'
              'test("doubles", function () {\n  assert.strictEqual(untilgreen(2), 4);\n});\n'))),
    _npm("molefrog/wouter", "e36651dad9483460419a90fc3dbfa892238d50cd",
        ("npm run build", "npm test -- run --coverage", "npm run lint-types", "npm run lint"),
        Edit("packages/wouter/src/memory-location.js", "history.push(path)", "history.unshift(path)"),
        {"syntax error": "\nexport const = 1;\n"},
        (Edit("packages/wouter/src/index.js", "", "\nexport const untilgreen = (value) => value * 2;\n"),
         Edit("packages/wouter/types/index.d.ts", "", "\nexport function untilgreen(value: number): number;\n"),
         Edit("packages/wouter/test/untilgreen.test.ts", "", 'import { expect, it } from "vitest";\n'
              'import { untilgreen } from "wouter";\n\n'
              'it("doubles", () => {\n  expect(untilgreen(2)).toBe(4);\n});\n'))),
)  # fmt: skip
