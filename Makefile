# Everything CI runs is a target here. VENV and PYTHON may be given: make test PYTHON=python3.12 VENV=/tmp/v
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
# Three on two cores: as a rule one of them waits for a host.
WORKERS ?= 3
unexport PYTHONDONTWRITEBYTECODE # what pytest makes of 196 files is kept: 8 s for each worker
SOURCES := pyproject.toml $(shell find hooks templates -type f -not -name '*.pyc' 2>/dev/null)

.PHONY: help dev check lint types test tests quick coverage e2e demo demo-host docs bench wild faults fuzz mutants golden dist release-check clean
.DEFAULT_GOAL := help

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 15

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/.tools: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group dev --group docs
	touch $@

# the tests see what users get: a built and installed wheel; a folder is installed anew, whatever its version
$(VENV)/.installed: $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet .
	touch $@

dev: $(VENV)/.tools ## a virtual environment in which edits take effect at once
	$(BIN)/python -m pip install --quiet --editable .

check: lint types ## format, lint, types

lint: $(VENV)/.tools
	$(BIN)/ruff format --check hooks tests tools docs
	$(BIN)/ruff check hooks tests tools docs

types: $(VENV)/.tools $(VENV)/.installed
	$(BIN)/mypy

# types take one core, on a fresh machine 15 s: the tests begin meanwhile
test: lint $(VENV)/.installed ## everything that CI runs; make test k=NAME runs some of it
	@$(MAKE) --no-print-directory -j 2 types tests

tests: $(VENV)/.tools $(VENV)/.installed
	@for tool in npm go cargo chromium strace; do command -v $$tool >/dev/null || echo "$$tool is not here: its tests are skipped and counted"; done
	MAKEFLAGS= $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations=25 $(if $(k),-k '$(k)')

quick: $(VENV)/.tools ## tests for the inner loop, on what make dev installed: a minute
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --quick $(if $(k),-k '$(k)')

coverage: $(VENV)/.tools $(VENV)/.installed ## the lines that the quick tests run in all their processes; all=1: all tests but e2e
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -n $(WORKERS) --dist worksteal -q $(if $(all),--ignore tests/e2e,--quick)
	$(BIN)/python -m coverage combine --quiet
	@echo "lines covered: $$($(BIN)/python -m coverage report) %"

e2e: $(VENV)/.tools $(VENV)/.installed ## only the tests on real hosts, all of them on all versions; HOSTS="codex copilot": only those
	$(BIN)/python -m pytest tests/e2e --all --hosts "$(HOSTS)" -n $(WORKERS) --dist worksteal

demo: $(VENV)/.installed ## play a whole loop with a stand-in for the agent
	$(BIN)/python -m pip install --quiet 'ruff>=0.15,<0.18' 'mypy>=2.0,<3' 'pytest>=9.0,<10'
	$(BIN)/python tools/demo.py

demo-host: $(VENV)/.tools $(VENV)/.installed ## play two rounds in the real Claude Code, with a scripted model; needs npm
	@$(BIN)/python tools/demo_host.py

docs: $(VENV)/.tools $(VENV)/.installed ## write the generated parts of docs/ again and build the site into site/
	$(BIN)/python tools/pages.py
	$(BIN)/python docs/draw.py
	$(BIN)/python tools/pictures.py
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --builder html --doctree-dir build/doctrees docs site
	@echo "site/index.html"

bench: $(VENV)/.installed ## what hook calls cost: instructions, processor time, processes; half an hour
	$(BIN)/python tools/bench.py

wild: $(VENV)/.tools $(VENV)/.installed ## real projects from the registries: is our verdict that of their own commands? an hour; only=NAME
	$(if $(only),,$(BIN)/python -m pytest --all -m wide --ignore tests/e2e -n $(WORKERS) --dist worksteal)
	$(BIN)/python tools/wild.py $(if $(only),--only $(only))
	$(BIN)/python docs/draw.py

faults: $(VENV)/.tools $(VENV)/.installed ## make every system call of a hook fail, kill a thousand commands: an hour; every=10, kills=100
	$(BIN)/python -m pytest tests/faults tests/test_killed.py tests/test_load.py --all -q -n $(WORKERS) --dist worksteal --every $(or $(every),1) --kills $(or $(kills),1000)

fuzz: $(VENV)/.tools $(VENV)/.installed ## garble what hooks read; SECONDS=600; what is found is kept in tests/fuzzed/
	$(BIN)/python tools/fuzz.py --seconds $(or $(SECONDS),60)

mutants: $(VENV)/.tools $(VENV)/.installed ## try small faults in a copy of the package: does a test notice? area=entry, count=20
	$(BIN)/python tools/mutants.py $(if $(area),--area $(area)) $(if $(count),--count $(count))

golden: $(VENV)/.tools ## record the checkers' outputs again, with the tools as installed
	$(BIN)/python tools/record.py

# a folder of its own: what publishes must not stand beside what the tests find
$(VENV)/release/.whole: pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv $(VENV)/release
	$(VENV)/release/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)/release/bin/python -m pip install --quiet --group release
	touch $@

dist: $(VENV)/release/.whole ## build the wheel and the source distribution, twice the same, and check them
	$(VENV)/release/bin/python tools/release.py dist

release-check: dist ## install dist/ from a package index on this machine, in every way, each to a held round; minutes; only=NAME
	$(VENV)/release/bin/python tools/release_check.py '$(only)'

clean: ## remove what was built
	rm -rf build dist site $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
