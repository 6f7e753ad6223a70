# perfkit's front door. `make demo` and `make test` do all their own set-up.
BIN := .venv/bin
STAMP := .venv/.perfkit-setup
# A third of the time is waiting (for fio, Chrome, kernels): a worker more than there are cores. What is
# compiled is kept, also where the surroundings say otherwise: hundreds of tests start a Python.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) \
	--dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help setup parts demo test test-fast test-versions lint format bench bench-guard mutants lab lock schema api catalogue evidence clean

help: ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

setup: $(STAMP) ## the virtual environment; says how to call perfkit

$(STAMP): requirements.lock pyproject.toml tools/setup.sh
	@PYTHON="$(or $(PYTHON),python3)" sh tools/setup.sh
	@touch $@

parts: ## fio, which measures, and Chromium, which draws charts (by apt, where they are missing)
	@sh tools/setup.sh parts

demo: setup parts ## measure this machine's storage and make the report (PDF, HTML)
	@$(BIN)/perfkit report data/studies/this-host/study.yml -o reports/this-host \
		|| [ $$? -eq 3 ]  # 3: the report is there, but a criterion is not met

test: setup parts ## the whole check
	@$(PYTEST)

test-fast: setup ## the inner loop: without what starts processes or takes seconds, on fewer examples (WHICH=tests/sources)
	@$(PYTEST) -m "not slow" --hypothesis-profile=fast $(WHICH)

test-versions: setup ## test-fast on each Python at hand, lowest and highest dependencies (WHICH=...)
	@$(BIN)/python tools/test_versions.py $(WHICH)

lint: setup ## ruff, mypy, and the notebooks' outputs
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: setup ## let ruff put the code in order
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: setup parts ## speed and memory, as ratios measured in one run
	@rm -f tests/bench/measured.json
	@$(BIN)/python -m pytest tests/bench -q -s -p no:xdist --timeout=7200 --override-ini 'norecursedirs=.*'

bench-guard: setup ## are the ratios of the last make bench as good as the recorded ones?
	@$(BIN)/python tools/bench_guard.py

mutants: setup ## faults put into the code: does a test fail? (WHICH="--seed 7 perfkit/core")
	@nice -n 19 $(BIN)/python tools/mutants $(WHICH)

lab: setup ## JupyterLab in the notebooks' folder
	@$(BIN)/perfkit lab

lock: $(BIN)/uv ## resolve the dependencies anew (names no address)
	@$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-header --no-emit-index-url --no-annotate -q -o requirements.lock --upgrade
	@! grep -n '://' requirements.lock

schema: setup ## write the JSON schemas of study and schedule files for editors
	@$(BIN)/perfkit study schema > templates/study.schema.json
	@$(BIN)/perfkit schedule schema > templates/schedule.schema.json

api: setup ## write the signatures in the stubs again (docs/api.md)
	@PYTHONPATH=tests $(BIN)/python -m public_api

catalogue: setup ## write the tables and columns again (docs/catalogue.md)
	@$(BIN)/python tools/catalogue.py

evidence: setup ## write the studies' generated evidence again (tests/forges)
	@PYTHONPATH=tests $(BIN)/python -m forges.ship

clean: ## remove what make made, but not runs and reports
	@rm -rf .venv .venv-versions .mutants .mypy_cache .ruff_cache .pytest_cache .hypothesis
