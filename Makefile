# The two commands of the README, and the set-up both share. Logic is in scripts/bootstrap.py, noxfile.py and tox.ini.
PYTHON ?= python3
VENV ?= .venv
NOX = $(VENV)/bin/python -m nox --no-error-on-missing-interpreters -s

.PHONY: demo test setup lint bench matrix clean

demo: setup
	@$(VENV)/bin/python examples/01_vector_add.py
	@for chip in gfx942 gfx1201; do \
		echo "-- AMD code on a simulated $$chip:"; \
		FLYDSL_COMPILE_BACKEND=rocm FLYDSL_HIPSIM=$$chip $(VENV)/bin/python examples/12_tiled_gemm.py || exit 1; \
	done

test: setup
	@$(NOX) lint test

setup:
	@$(PYTHON) scripts/bootstrap.py $(VENV)

lint: setup
	@$(NOX) lint

bench: setup
	@$(NOX) bench

matrix: setup
	@$(VENV)/bin/python -m tox run

clean:
	rm -rf $(VENV) .tox .nox packages/*/build
