# Everything runs in .venv, which the targets make themselves. On Debian, what is missing of its packages
# is installed when make runs as root, and named otherwise.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The first Python that is new enough; asked again after Debian's packages were installed.
PYTHON = $(shell for p in python3.11 python3.12 python3.13 python3; do \
  "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
VENV := .venv
PY := $(VENV)/bin/python
PIP_INSTALL = -m pip install --quiet --disable-pip-version-check
SMOKE := build/smoke

.PHONY: help
help:
	@echo 'make demo    a broker, simulated tables and the daemon: the main job, without hardware'
	@echo 'make test    every check: lint, types, imports, tests with coverage, the built wheel'
	@echo 'make lint | types | imports | tests | wheel    one of them'
	@echo 'make bench   latency, replay speed, the catalogue'
	@echo 'make games | kills | fuzz | fair    long campaigns: simulated games, kill -9, hostile bytes, fair wheels'
	@echo 'make clean   remove what the targets made'

# --- set-up -----------------------------------------------------------------------------------------

# Installs, or names, the packages given as command:package, and Python with its venv module.
define debian
	missing=(); \
	for need in $(1); do \
	  PATH="$$PATH:/usr/sbin:/sbin" command -v "$${need%%:*}" >/dev/null || missing+=("$${need##*:}"); \
	done; \
	{ [ -n '$(PYTHON)' ] && '$(PYTHON)' -c 'import ensurepip, venv' 2>/dev/null; } || missing+=(python3 python3-venv); \
	if [ "$${#missing[@]}" -gt 0 ]; then \
	  if [ "$$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then \
	    apt-get -q update; \
	    DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$${missing[@]}"; \
	  else \
	    echo "Missing (Debian's names): $${missing[*]}. Install: sudo apt-get install $${missing[*]}" >&2; \
	    exit 1; \
	  fi; \
	fi
endef

define venv
	$(if $(PYTHON),,$(error Python 3.11 or later is needed: sudo apt-get install python3 python3-venv))
	$(PY) -m pip --version >/dev/null 2>&1 || '$(PYTHON)' -m venv --clear $(VENV)
endef

.PHONY: debian-for-demo debian-for-test
debian-for-demo:
	@$(call debian,)
debian-for-test:
	@$(call debian,mosquitto:mosquitto mosquitto_pub:mosquitto-clients socat:socat openssl:openssl faketime:faketime)

$(VENV)/for-demo: pyproject.toml | debian-for-demo
	$(venv)
	$(PY) $(PIP_INSTALL) --editable '.[demo]'
	@touch $@

$(VENV)/for-test: pyproject.toml | debian-for-test
	$(venv)
	$(PY) $(PIP_INSTALL) --editable '.[test]'
	@touch $@

# --- the main job -----------------------------------------------------------------------------------

.PHONY: demo
demo: $(VENV)/for-demo
	$(PY) -m daemon demo

# --- checks -----------------------------------------------------------------------------------------

.PHONY: test lint types imports tests wheel
test: lint types imports tests wheel

lint: $(VENV)/for-test
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check

types: $(VENV)/for-test
	$(VENV)/bin/mypy

imports: $(VENV)/for-test
	$(VENV)/bin/lint-imports

tests: $(VENV)/for-test
	PATH="$$PATH:/usr/sbin:/sbin" $(PY) -m pytest --numprocesses auto --dist worksteal --cov --cov-report=term

# The wheel alone, in an environment of its own, away from the sources.
wheel: $(VENV)/for-test
	rm -rf dist $(SMOKE)
	$(PY) -m build --wheel --outdir dist >/dev/null
	'$(PYTHON)' -m venv $(SMOKE)
	$(SMOKE)/bin/python $(PIP_INSTALL) dist/mesad-*.whl
	$(SMOKE)/bin/python tests/smoke.py $(SMOKE)/bin/mesad

# --- figures and campaigns --------------------------------------------------------------------------

.PHONY: bench games kills fuzz fair
bench: $(VENV)/for-test
	PYTHONPATH=tests PATH="$$PATH:/usr/sbin:/sbin" $(PY) benchmarks/latency.py
	$(PY) benchmarks/replay.py
	$(PY) benchmarks/edges.py
	$(PY) benchmarks/catalogue.py

games: $(VENV)/for-test
	PYTHONPATH=tests PATH="$$PATH:/usr/sbin:/sbin" $(PY) tests/campaigns/games.py
	$(PY) tests/campaigns/bare_wheels.py
	PYTHONPATH=tests PATH="$$PATH:/usr/sbin:/sbin" $(PY) tests/campaigns/real_time.py
	PYTHONPATH=tests $(PY) tests/campaigns/fortune_wheels.py

kills: $(VENV)/for-test
	PYTHONPATH=tests PATH="$$PATH:/usr/sbin:/sbin" $(PY) tests/campaigns/kills.py

fuzz: $(VENV)/for-test
	$(PY) tests/campaigns/fuzz_cammegh.py --seconds 600
	$(PY) tests/campaigns/fuzz_sensor.py --seconds 600

fair: $(VENV)/for-test
	$(PY) tests/campaigns/fair_wheels.py
	$(PY) tests/campaigns/level_wheels.py

.PHONY: clean
clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .coverage
