"""The nightly runs of mutated IR and of random kernels: a few of each, and that they see what goes wrong."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

NIGHTLY = Path(__file__).parents[1] / "nightly"


def nightly(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"nightly_{name}", NIGHTLY / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mutated_ir_ends_with_a_result_or_diagnostics() -> None:
    run = nightly("mutated_ir")
    assert run.failures_of(range(20), 11) == []
    assert run.mutated(7, 11) == run.mutated(7, 11) != run.mutated(8, 11)


def test_what_is_no_diagnostic_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    run = nightly("mutated_ir")
    monkeypatch.setattr(run._mutations(), "answer", lambda text, flags: (1, "error: internal error: KeyError: 'x'"))
    (failure,) = run.failures_of(range(1), 11)
    assert failure.startswith("file 0 of seed 11: AssertionError: ")


def test_random_kernels_are_those_of_their_seed_and_compute_what_python_does(tmp_path: Path) -> None:
    run = nightly("random_kernels")
    programs = run.random_programs(5, 2)
    assert len(programs) == 2
    assert programs == run.random_programs(5, 2)
    assert run._failure(programs, tmp_path) == ""


def test_a_kernel_that_differs_from_python_is_a_failure(tmp_path: Path) -> None:
    run = nightly("random_kernels")
    program = "import flydsl.expr as fx\ndef function(n):\n    return n if isinstance(n, fx.Int32) else n + 1\n"
    assert "instead of" in run._failure([program], tmp_path)
    assert run._failure(["def function(n):\n    raise ValueError('no')\n"], tmp_path).startswith("ValueError: no")


def test_dlpack_capsules_with_changed_fields_are_refused_or_read_rightly() -> None:
    outcome = nightly("dlpack_capsules").run(150, 3)
    assert (outcome.tried, outcome.failed) == (150, 0), outcome.failures


def test_a_death_by_a_capsule_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    run = nightly("dlpack_capsules")
    monkeypatch.setattr(run, "__file__", str(Path(__file__).parent / "no_such_file.py"))
    (failure,) = run.run(1, 0).failures
    assert failure.startswith("the process ended with 2")
