# `make demo` and `make test` need Python 3.11 or later, pip and make, and set up the rest in .venv.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh

# Any Python from 3.11 will do, but coincurve has wheels up to 3.13: later ones are tried last.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null \
	&& echo $$python && exit; done; echo python3)
VENV := .venv
BIN := $(VENV)/bin
ARENA := .venv-arena
INSTALLED := $(VENV)/.installed
PIP := $(PYTHON) -m pip --python $(VENV) --disable-pip-version-check
LOCK := uv pip compile --quiet --no-config --universal --python-version 3.11 \
	--generate-hashes --no-header --no-emit-index-url

EXTRAS := --extra site --extra parquet --extra pagefind --extra live \
	--extra chain

DEMOS := fixtures/arcana-demo fixtures/floor-demo fixtures/sharpe-demo
DEMO_POLICY := fixtures/policy.toml
# Bundle and season of each; SharpeArena's boards are a release and take any name.
DEMO_SEASONS := arcana-demo=f48ee169-ec9e-499e-8989-458631b24202 \
	floor-demo=season-1 floor-demo=season-2 sharpe-demo=release-1
DEMO := build/demo
PYTEST_ARGS ?= -n 2 -q
FUZZ_SECONDS ?= 30
MUTATE_SECONDS ?= 900
SCALE_SECONDS ?= 3600
# Tests start thousands of processes, each of which would compile everything again.
unexport PYTHONDONTWRITEBYTECODE
FUZZ_LIMITS ?= -max_total_time=$(FUZZ_SECONDS)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(INSTALLED) ## audit the demo seasons, freeze them, and build their website
	@for bundle in $(DEMOS); do \
	$(BIN)/tallyproof audit $$bundle --policy $(DEMO_POLICY) || exit; done
	@rm -rf $(DEMO)
	@for each in $(DEMO_SEASONS); do echo; \
	$(BIN)/tallyproof freeze fixtures/$${each%=*} --season $${each#*=} \
	--policy $(DEMO_POLICY) --out $(DEMO)/seasons || exit; done
	@echo; $(BIN)/tallyproof site build --seasons $(DEMO)/seasons --out $(DEMO)/site --jobs 2
	@echo; echo 'The demo site is built. Open $(DEMO)/site/index.html in a browser, or run'; \
	echo '  $(BIN)/tallyproof site serve $(DEMO)/site'; \
	echo 'and to build it again and compare every byte:'; \
	echo '  $(BIN)/tallyproof site check $(DEMO)/site --seasons $(DEMO)/seasons'

.PHONY: test
test: $(INSTALLED) ## run the whole test suite
	$(BIN)/pytest $(PYTEST_ARGS)

.PHONY: lint
lint: $(INSTALLED) ## ruff, and mypy --strict over packages and tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

.PHONY: bench
bench: $(INSTALLED) ## print what each benchmark measures
	@for bench in $(filter-out %/bench_scale.py,$(wildcard tests/bench/bench_*.py)); do echo "== $$bench"; $(BIN)/python $$bench || exit; done

.PHONY: bench-scale
bench-scale: $(INSTALLED) ## audits of up to a million calls, on every engine, in SCALE_SECONDS (3600)
	@$(BIN)/python tests/bench/bench_scale.py --seconds $(SCALE_SECONDS)

.PHONY: engines
engines: $(INSTALLED) ## audit every demo and forgery on every engine, and compare all reports
	@$(BIN)/python tests/engines/walk.py

.PHONY: arena
arena: $(INSTALLED) ## compare with SharpeArena's public packages, in .venv-arena
	@test -x $(ARENA)/bin/python || $(PYTHON) -m venv --without-pip $(ARENA)
	@if $(BIN)/uv pip install --quiet --python $(ARENA) --group arena --group tests --editable .; \
	then $(ARENA)/bin/pytest -q tests/arena && $(ARENA)/bin/python tests/bench/bench_sharpe.py; \
	else echo 'skipped: the public packages cannot be installed here (see above)'; fi

.PHONY: fuzz
fuzz: $(INSTALLED) ## run each fuzz target for FUZZ_SECONDS (30) with atheris
	@$(BIN)/python -c 'import atheris' 2>/dev/null \
	|| { echo 'atheris has wheels for Linux on x86-64 and Python 3.11 to 3.13 alone'; exit 1; }
	@for target in tests/fuzz/fuzz_*.py; do echo "== $$target"; \
	$(BIN)/python tests/fuzz/run.py $$target $(FUZZ_LIMITS) || exit; done

.PHONY: lock
lock: $(INSTALLED) ## resolve requirements/*.txt again from pyproject.toml, to the newest releases
	$(BIN)/$(LOCK) --no-annotate --upgrade --group dev $(EXTRAS) pyproject.toml \
	--output-file requirements/dev.txt
	$(BIN)/$(LOCK) --no-annotate --upgrade --no-deps --group oracle \
	--output-file requirements/oracle.txt
	$(BIN)/$(LOCK) --annotation-style line --constraint requirements/dev.txt $(EXTRAS) \
	pyproject.toml --output-file requirements/run.txt

.PHONY: wheel
wheel: $(INSTALLED) ## build the wheel and its bill of materials (CycloneDX) into dist
	rm -rf dist && $(BIN)/python -m hatchling build --target wheel --directory dist
	@$(MAKE) --no-print-directory sbom

.PHONY: sbom
sbom: $(INSTALLED) ## write the bill of materials of a release alone
	@mkdir -p dist && $(BIN)/python .ci/sbom.py > dist/tallyproof.cdx.json
	@cd dist && sha256sum tallyproof*

.PHONY: kill
kill: $(INSTALLED) ## kill every writing command at random, 200 times in all
	KILLS=200 $(BIN)/pytest -q -s tests/hardening/test_killed.py

# Mutants are made and tried in a copy, with mutmut in an environment of its own.
.PHONY: mutate
mutate: $(INSTALLED) ## change the core and the formulas in MUTATE_SECONDS (900), see what tests notice
	MUTATE_SECONDS=$(MUTATE_SECONDS) $(BIN)/python tests/hardening/mutate.py $(MUTATE)

.PHONY: clean
clean: ## remove .venv and everything that tools left behind
	rm -rf $(VENV) $(ARENA) dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find formulas sitegen verifier tests -name __pycache__ -prune -exec rm -rf {} +

# merkly's metadata contradicts web3's: --no-deps is how both fit (see [dependency-groups] in
# pyproject.toml). The package itself is built by the hatchling of the lock, without isolation.
$(INSTALLED): pyproject.toml requirements/dev.txt requirements/oracle.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo 'Tallyproof needs Python 3.11 or later: make PYTHON=/path/to/python'; exit 1; }
	$(PYTHON) -m venv --without-pip $(VENV)
	$(PIP) install --quiet --require-hashes --requirement requirements/dev.txt
	$(PIP) install --quiet --require-hashes --no-deps --requirement requirements/oracle.txt
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
