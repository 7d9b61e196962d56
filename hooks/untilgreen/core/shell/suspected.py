"""Whether a command of a shell may be a check at all, seen without the recogniser: that takes longer to load than a
hook that has nothing to do may take. Pure.

A no is sure, but for a few words that stand in quotes; a yes says only that `classify.of` is to be asked.
"""

_LONGEST = 20_000  # characters that the recogniser reads
# somewhere in a word
_PARTS = (
    *("test", "lint", "check", "build", "type", "tsc", "spec", "jest", "ruff", "flake", "clippy", "mypy", "pyright"),
    *("compile", "bundle", "assemble", "smoke", "unit", "e2e", "vet", "cop", "stan", "pre-commit"),
)
# words
_NAMES = (
    "acceptance artisan astro attw ava bandit bats bazel bazelisk behat biome buck2 buf bun busted cabal cargo "
    "clang cmake codecept component composer cucumber cypress dart deno detekt docker docusaurus dotnet "
    "expo flit flow flutter functional gatsby ginkgo gmake go golangci gradle gradlew grunt gulp hatch hatchling "
    "integration inv invoke jasmine jshint just karma lab lein lerna luarocks mage make mask maturin meson mix "
    "mocha moon mvn mvnw ncc next ng ninja node nose2 nox npm nps nuxi nuxt nx parcel pdm pest phpcs pint "
    "playwright pnpm podman poe poetry prek prove psalm pycodestyle pydocstyle pylama pyre pyrefly rails rake "
    "remix revive rollup rspack run rushx sam sbt scons scripts service sqlfluff srb stack steep svelte swc "
    "swift tap tape task tauri terraform tox trial tsd tsdown tsgo tst tsup turbo ty typing uv uvu vale vite "
    "vulture wasm wdio webpack wheel wireit wrangler xmake xo yarn zig zuban"
)
# what only looks at files, or moves them, whatever stands behind it
_PASSIVE = (
    "cat cd chmod cp diff du echo file git grep head less ls man mkdir more mv nl popd printf pushd pwd rg rm sed sort "
    "stat tail tee touch tree type wc which whereis"
)
_ENDS = str.maketrans(dict.fromkeys(";&|()", "\n"))


def may_check(command: str) -> bool:
    """Whether the recogniser is to be asked."""
    if len(command) > _LONGEST:
        return False
    text = command.lower()
    if not any(quote in text for quote in "'\"`$\\<"):
        lines, passive = text.translate(_ENDS).split("\n"), _PASSIVE.split()
        text = "\n".join(line for line in lines if line.strip() and line.split()[0] not in passive)
    if any(part in text for part in _PARTS):
        return True
    return not set(_NAMES.split()).isdisjoint("".join(char if char.isalnum() else " " for char in text).split())
