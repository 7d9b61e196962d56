"""The tools that test, lint, check types or build, and how their options narrow what they look at. One entry a tool."""

from untilgreen.core.record import NamedTuple

KINDS = ("test", "lint", "types", "build")


class KnownTool(NamedTuple):
    """What one tool does, and what its words mean; several in one text, between blanks."""

    kinds: str  #: of KINDS
    narrows: str = ""  #: options with which it looks at a part only; a value may follow them
    valued: str = ""  #: other options whose value is the next word
    idle: str = ""  #: options and first words with which it checks nothing, or never ends
    whole: str = ". ./"  #: words that are no path: verbs of its own, and what stands for everything
    bare: str = "whole"  #: what it looks at without a word
    widens: str = ""  #: words and options that make it everything after all
    letters: bool = True  #: one-letter options may be written together: `-xvk NAME`
    passes: bool = True  #: what stands behind `--` are its words, too
    builds: str = ""  #: options with which it builds, too


# options of every tool with which it checks nothing
IDLE = {"--help", "-h", "--version", "-V", "--dry-run", "--init", "--show-config", "--showConfig", "--env-info"}
# options with which every tool exits with 0, whatever it found
PARDONS = {"--exit-zero", "--fail-never", "-fn", "--ignore-errors", "--issues-exit-code=0", "--if-present", "--exit-0"}

_JS = (
    "--config -c --reporter --reporters --maxWorkers -w --workers --env --testTimeout --outputFile --coverageReporters"
    " --coverageDirectory --pool --root --rootDir --require -r --file --timeout --ui -u --environment --format -f"
    " --max-warnings --retries --test-reporter --coverage.provider"
)
_JS_NARROWS = (
    "-t --testNamePattern --grep -g --fgrep --onlyChanged -o --changedSince --changed --onlyFailures --related"
    " --findRelatedTests --testPathPattern --testPathPatterns --selectProjects --project --shard --spec --match -m"
    " --test-name-pattern --test-only --only --testPathIgnorePatterns --exclude --dir --test-skip-pattern -k"
    " --last-failed --only-changed --include --lastCommit --ignoreProjects --last-commit --runTestsByPath"
)
_JS_IDLE = "--listTests --list --list-tests --clearCache watch dev list bench init --print-config --watch --open"
SCRIPT = KnownTool("", _JS_NARROWS, _JS, _JS_IDLE)  # the words behind the name of a script
_JS_TEST = KnownTool("test", _JS_NARROWS, _JS, _JS_IDLE + " --codegen", whole=". ./ run")
_PYTEST = KnownTool(
    "test",
    "-k -m --lf --last-failed --deselect --sw --stepwise --sw-skip --stepwise-skip --ignore --ignore-glob --pyargs"
    " --picked --testmon --lfnf --shard-id --only",
    "-n -p -c -o -W -r --tb --maxfail --cov --cov-report --cov-config --cov-fail-under --durations --rootdir --color"
    " --junitxml --junit-xml --timeout --numprocesses --dist --log-level --log-cli-level --basetemp --confcutdir"
    " --override-ini --import-mode --config-file --ds --reruns --html --capture --randomly-seed --verbosity --assert",
    "--collect-only --co --collectonly --fixtures --markers --setup-plan --setup-only --cache-show --funcargs",
)
_PATHS = "--config --config-file -c --color --output-format --format -f -o --output -j --jobs --cache-dir"
_RUFF = KnownTool(
    "lint",
    "--select -s --ignore --exclude --extend-exclude --per-file-ignores",
    _PATHS + " --target-version --line-length --fixable --unfixable --extend-select --output-file --preview",
    "--show-files --show-settings --add-noqa --fix-only -w --watch --diff",
)
_LINT = KnownTool("lint", "--select --ignore --exclude -t --disable --enable --rule --filter", _PATHS)
_ESLINT = KnownTool(
    "lint",
    "--rule --ignore-pattern --no-eslintrc --no-config-lookup",
    _PATHS + " --ext --max-warnings --cache-location --parser --plugin --resolve-plugins-relative-to",
    "--print-config --inspect-config -v --fix-dry-run",
)
_TYPES = KnownTool("types", "-m -p --package --module --exclude --files", _PATHS + " --python-version --python --level")
_MYPY = _TYPES._replace(
    narrows="-m -p -c --package --module --exclude --command",
    valued="--config-file --python-version --python-executable --cache-dir --platform --follow-imports --junit-xml",
    idle="--stubgen --install-types",
)
_PYRIGHT = _TYPES._replace(narrows="--verifytypes", valued="--level --pythonversion --pythonpath --threads", idle="-w")
_TSC = KnownTool("types", "-p --project", "--target --module --outDir --rootDir",
    "--watch -w -v -init --all --clean --dry",
    whole=". ./ tsconfig.json ./tsconfig.json", letters=False, builds="-b --build")  # fmt: skip
_CARGO_PARTS = "-p --package --exclude --lib --bin --bins --example --examples --test --tests --bench --doc --benches"
_CARGO_VALUED = "--features -F --target --profile -j --jobs --color --target-dir --message-format --config -Z"
_CARGO_TEST = KnownTool(
    "test",
    _CARGO_PARTS + " --ignored --skip --exact --manifest-path -E --filter-expr --partition --run-ignored",
    _CARGO_VALUED + " --test-threads --retries --format",
    "--no-run --list",
)
_CARGO = KnownTool("build", _CARGO_PARTS + " --manifest-path", _CARGO_VALUED, passes=False)
_GO = KnownTool(
    *("", "-run -skip -short -tags -C --run", "-count -timeout -p -parallel -coverprofile -o -ldflags -mod -cpu"),
    *("-c -n -list", "./... all ...", "narrowed", "./... all"),
    letters=False,
)
_DOTNET = KnownTool("", "--filter --project",
    "-c --configuration -v --verbosity -f --framework -r --runtime -l --logger"
    " -s --settings --collect -o --output --results-directory", "-t --list-tests", letters=False)  # fmt: skip
_RUBY = KnownTool("test", "-e --example -t --tag -n --name --only-failures --next-failure -E --exclude",
    "-f --format -r --require -c --color -o --out --order", idle="-v", letters=False)  # fmt: skip
_PHP = KnownTool("test", "--filter --testsuite --group --exclude-group --exclude-testsuite --covers --uses",
    "-c --configuration --bootstrap --log-junit --coverage-html -d --printer --processes -p",
    "--list-tests --list-groups --list-suites --list-tests-xml --generate-configuration", letters=False)  # fmt: skip
_BUILD = KnownTool(
    "build", "", "-c --config --mode --outDir -o --outdir -m --base --parallel", "--watch -w dev serve preview"
)
_COMPILED = KnownTool(
    "build", "--target -t --product", "-j -C --config -l -p --parallel", "-n -t", whole=". ./ build all"
)
_SWIFT = KnownTool("test", "--filter --skip --package-path -p", "-c --configuration --num-workers", "list --list-tests")
_BAZEL = KnownTool("test", "--test_filter --test_tag_filters", "", "--nobuild", "//... ... ", "narrowed", "//... ...")

TOOLS = {
    **dict.fromkeys(("pytest", "py.test", "pytest-3"), _PYTEST),
    **dict.fromkeys(("unittest", "nose2", "trial", "stestr run"), KnownTool("test",
        "-k -s --start-directory -p --pattern",
        "-t --top-level-directory", whole=". ./ discover")),
    **dict.fromkeys(("jest", "vitest", "mocha", "ava", "jasmine", "tap", "tape", "uvu", "lab", "qunit"), _JS_TEST),
    **dict.fromkeys(("playwright test", "cypress run", "bun test", "wdio run", "react-scripts test", "web-test-runner"),
        _JS_TEST),
    "deno test": _JS_TEST._replace(narrows=_JS_NARROWS + " --filter", idle=_JS_IDLE + " --no-run"),
    **dict.fromkeys(("ng test", "ng e2e", "karma start"), _JS_TEST._replace(idle=_JS_IDLE + " --watch=true")),
    "node --test": _JS_TEST,
    **dict.fromkeys(("cargo test", "cargo t", "cargo nextest run", "cargo nextest r", "cargo miri test",
        "cargo llvm-cov", "cargo tarpaulin"), _CARGO_TEST),
    "go test": _GO._replace(kinds="test"),
    **dict.fromkeys(("gotestsum", "ginkgo", "ginkgo run"), _GO._replace(kinds="test", bare="whole",
        narrows="-run --focus --skip --label-filter --packages", valued="--format -f --junitfile -p")),
    "dotnet test": _DOTNET._replace(kinds="test"),
    **dict.fromkeys(("rspec", "minitest", "cucumber", "rails test", "rails spec"), _RUBY),
    **dict.fromkeys(("phpunit", "pest", "paratest", "codecept run", "behat", "artisan test"), _PHP),
    **dict.fromkeys(("flutter test", "dart test"), KnownTool("test",
        "-n -N --name --plain-name -t --tags -x --exclude-tags",
        "-r --reporter -j --concurrency -p --platform -d")),
    "mix test": KnownTool("test", "--only --exclude --failed --stale --include", "--seed --max-failures --formatter"),
    **dict.fromkeys(("swift test", "stack test", "cabal test", "zig test"), _SWIFT),
    "cabal test": _SWIFT._replace(whole=". all"),
    **dict.fromkeys(("bazel test", "bazelisk test", "buck2 test"), _BAZEL),
    "ctest": KnownTool("test", "-R -E -L -LE --tests-regex --exclude-regex --label-regex -I --rerun-failed", "-j -C"
        " --test-dir --timeout --parallel --build-config --preset --repeat --output-junit",
        "-N --show-only --print-labels", letters=False),
    "meson test": KnownTool("test", "--suite --no-suite", "-C -j --num-processes --timeout-multiplier", "--list"),
    **dict.fromkeys(("bats", "busted", "prove", "luarocks test", "sbt test", "lein test"), KnownTool("test",
        "-f --filter")),
    **dict.fromkeys(("sam validate", "cfn-lint", "ansible-lint", "tflint", "terraform validate", "buf lint"), _LINT),
    "ruff check": _RUFF,
    **dict.fromkeys(("flake8", "pylint", "pycodestyle", "pyflakes", "pydocstyle", "bandit", "vulture", "prospector",
        "yamllint", "pylama", "sqlfluff lint", "lint-imports"),
        _LINT._replace(valued=_PATHS + " --max-line-length --rcfile --fail-under -d --load-plugins --max-complexity",
        idle="--generate-rcfile --list-msgs --print-config", whole=". ./ -r")),
    "eslint": _ESLINT,
    **dict.fromkeys(("oxlint", "stylelint", "standard", "xo", "tslint", "jshint", "markdownlint", "markdownlint-cli2",
        "semistandard", "biome check", "biome lint", "biome ci", "deno lint", "next lint", "ng lint"),
        _ESLINT._replace(narrows=_ESLINT.narrows + " --staged --changed --only --skip --project --dir")),
    **dict.fromkeys(("shellcheck", "hadolint", "swiftlint", "ktlint", "detekt", "cpplint", "cppcheck", "clang-tidy",
        "actionlint", "golint", "rubocop", "standardrb", "erb_lint", "haml-lint", "phpcs", "pint --test",
        "flutter analyze", "dart analyze", "mix credo", "swiftlint lint", "luacheck", "vale", "salt-lint"),
        _LINT._replace(narrows="--only --except --select --include", idle="-v rules generate-todos --auto-gen-config")),
    **dict.fromkeys(("golangci-lint run", "golangci-lint"), KnownTool("lint", "-E --enable-only --new --new-from-rev -n"
        " --new-from-merge-base --whole-files", "-c --config --timeout -j --out-format --build-tags",
        "linters config cache help version fmt migrate", ". ./ ./... run")),
    **dict.fromkeys(("staticcheck", "revive", "errcheck"), _GO._replace(kinds="lint", narrows="-checks", valued="-f")),
    "go vet": _GO._replace(kinds="lint"),
    "cargo clippy": _CARGO._replace(kinds="lint"),
    **dict.fromkeys(("pre-commit run", "prek run"), KnownTool("lint", "--files --from-ref --to-ref -s -o --directory",
        "-c --config --hook-stage --color", bare="narrowed", widens="-a --all-files")),
    **dict.fromkeys(("mypy", "dmypy run", "dmypy check"), _MYPY),
    **dict.fromkeys(("pyright", "basedpyright"), _PYRIGHT),
    **dict.fromkeys(("ty check", "pyrefly check", "pyre check", "pyre", "pytype", "flow check", "flow", "zuban check",
        "phpstan analyse", "phpstan analyze", "phpstan", "psalm", "srb tc", "steep check", "mix dialyzer"),
        _TYPES._replace(narrows="-m --package --module --exclude --files", idle="init start stop server lsp infer -w")),
    **dict.fromkeys(("tsc", "vue-tsc", "tsgo"), _TSC),
    **dict.fromkeys(("svelte-check", "astro check", "nuxi typecheck", "nuxt typecheck", "tsd", "attw"),
        KnownTool("types", "--workspace", "--tsconfig --threshold --output --fail-on-warnings")),
    **dict.fromkeys(("cargo check", "cargo c"), _CARGO._replace(kinds="types")),
    "deno check": KnownTool("types", valued="--config"),
    **dict.fromkeys(("cargo build", "cargo b"), _CARGO),
    **dict.fromkeys(("go build", "go install"), _GO._replace(kinds="build")),
    **dict.fromkeys(("dotnet build", "dotnet publish", "msbuild"), _DOTNET._replace(kinds="build")),
    **dict.fromkeys(("vite build", "next build", "nuxt build", "nuxi build", "astro build", "ng build", "remix build",
        "webpack", "webpack build", "rollup", "tsup", "tsdown", "parcel build", "esbuild", "rspack build", "bun build",
        "react-scripts build", "vue-cli-service build", "svelte-kit build", "gatsby build", "docusaurus build",
        "rsbuild build", "unbuild", "swc", "ncc build", "expo export", "wrangler build"),
        _BUILD._replace(bare="whole")),
    **dict.fromkeys(("pyproject-build", "flit build", "maturin build", "hatch build", "uv build",
        "poetry build", "pdm build", "hatchling build", "wheel"), KnownTool("build", "--package",
            "-o --outdir --output -t"
        " --target -C --config-setting --out-dir -f --format --out -m --python --installer", whole=". ./ wheel sdist")),
    **dict.fromkeys(("swift build", "stack build", "cabal build", "mix compile", "zig build-exe", "rails assets"),
        _SWIFT._replace(kinds="build", whole=". all", narrows=_SWIFT.narrows + " --target --product")),
    **dict.fromkeys(("bazel build", "bazelisk build", "buck2 build"), _BAZEL._replace(kinds="build")),
    **dict.fromkeys(("meson compile", "xmake", "scons", "flutter build", "wasm-pack build", "tauri build"), _COMPILED),
    **dict.fromkeys(("docker build", "docker buildx build", "podman build"), KnownTool("build", "--target",
        "-t --tag -f"
        " --file --build-arg --platform --progress --cache-from --cache-to -o --output")),
}  # fmt: skip
NAMES = {name.partition(" ")[0] for name in TOOLS}
