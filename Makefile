# Two commands on a fresh machine: `make demo` and `make test`. Everything else is for contributors.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
OUT    ?= demo-output

LOWEST ?= .venv-lowest

.PHONY: demo test test-fast test-slow test-engines test-lowest lint docs clean

$(VENV)/.base: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "elsewhere needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.test: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

$(VENV)/.dev: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(VENV)/.base
	$(BIN)/elsewhere demo --out $(OUT)

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

# The tests that compile or fit for long, one after the other: before a release, and after a change of what they test.
test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

# The engines that run a model past one machine: Ray, Dask, and Spark where there is Java.
test-engines: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[ray]' 'dask[dataframe]' pyspark
	$(BIN)/python -m pytest tests/engines

test-fast: $(VENV)/.test
	$(BIN)/python -m pytest -m fast

# The fast tests with the lowest versions that pyproject.toml allows.
$(LOWEST)/.test: pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct -e '.[test,anndata]'
	@touch $@

# scikit-learn 1.6 asks for the variable as soon as array-api-compat is there, which anndata brings.
test-lowest: $(LOWEST)/.test
	SCIPY_ARRAY_API=1 $(LOWEST)/bin/python -m pytest -m fast

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

docs: $(VENV)/.dev
	$(BIN)/mkdocs build --strict
	$(BIN)/python -m pytest -q tests/test_site.py

clean:
	rm -rf $(VENV) $(LOWEST) $(OUT) site
