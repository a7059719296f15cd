# `make demo` and `make test` need nothing but Python 3.11 or newer; they set up .venv themselves.
PYTHON ?= python3
VENV ?= .venv
CORES ?= $(shell nproc)
# One more than cores, as tests wait now and then: for a limit, a killed process, a browser.
TEST_WORKERS ?= $(shell expr $(CORES) + 1)
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV_READY := $(VENV)/.ready-dev
COMPILE := uv pip compile -q --universal --generate-hashes --no-emit-index-url \
	--python-version 3.11 --custom-compile-command "make lock" pyproject.toml
# All but `inspect`, which rules out versions that the rest has.
EXTRAS := cluster docs huggingface kaggle lint polars s3 serve slurm tasks test

.PHONY: help demo test test-all bench lint format docs links pictures lock clean

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(READY) ## grade the demo benchmark and leave results/report.html
	$(BIN)/snakemake --cores $(CORES)
	@echo "The report is at $(CURDIR)/results/report.html"

test: $(DEV_READY) ## run the fast tests
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal -q

# With AFTER_USER=1, by root after `make test` by an ordinary user: every test has then been run, and
# twice only the fast ones of folders in which code is executed, which the sandbox does otherwise
# for root than for a user.
test-all: $(DEV_READY) ## run all tests: slow ones, rooted ones, Slurm, browser
	sh tools/system-packages.sh
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal -q -m "" $(if $(AFTER_USER),--after-a-user)

bench: $(DEV_READY) ## measure, side by side, into results/bench.csv and bench.svg; fails where a target is missed
	sh tools/system-packages.sh
	$(BIN)/python -m bench

lint: $(DEV_READY) ## check style and types of Python code, and style of Snakemake code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

format: $(DEV_READY) ## put Python and Snakemake code into the house style
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

docs: $(DEV_READY) ## build the documentation into docs-site/; a warning or a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -q
	$(BIN)/python tools/check_links.py docs-site
	@echo "The documentation is at $(CURDIR)/docs-site/index.html; to search in it: python3 -m http.server -d docs-site"

links: docs ## ask whether the addresses elsewhere answer; needs the internet, so only by hand
	$(BIN)/python tools/check_links.py --external docs-site

pictures: $(DEV_READY) demo ## take the documentation's pictures again; needs chromium (`make test-all` installs it)
	$(BIN)/python tools/figures.py docs/assets/figures
	$(BIN)/python tools/screenshots.py results/report.html docs/assets --pages overview tasks runs
	@echo "The picture of the page on trust needs a calibration: snakemake calibrate, then snakemake, then"
	@echo "  python tools/screenshots.py results/report.html docs/assets --pages trust"

lock: ## pin all dependencies anew, with hashes
	$(PYTHON) -m venv $(VENV)-lock && $(VENV)-lock/bin/pip install -q uv
	$(VENV)-lock/bin/$(COMPILE) -o envs/requirements.lock
	$(VENV)-lock/bin/$(COMPILE) $(EXTRAS:%=--extra %) -o envs/requirements-dev.lock
	cd envs && $(abspath $(VENV)-lock)/bin/$(COMPILE:pyproject.toml=requirements-crate.in) -o requirements-crate.lock
	rm -rf $(VENV)-lock

clean: ## remove the environment and everything generated, but not data/
	rm -rf $(VENV) results .snakemake

$(READY): envs/requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --require-hashes -r envs/requirements.lock
	$(BIN)/pip install -q --no-deps -e .
	$(BIN)/python -m compileall -q biomlbench snakemake_logger_plugin_biomlbench
	touch $@

$(DEV_READY): $(READY) envs/requirements-dev.lock
	$(BIN)/pip install --require-hashes -r envs/requirements-dev.lock
	touch $@
