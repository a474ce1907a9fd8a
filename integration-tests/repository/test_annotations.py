"""Annotations that say something: the share of `Any` in the functions of each package may only sink."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGES = Path(__file__).resolve().parents[2] / "packages"
CORE = PACKAGES / "flydsl-core/src/flydsl"
ANY = re.compile(r"\bAny\b")
SLACK = 2.0
# Per cent of the annotations of parameters and of results that contain Any, by package; lower them where one has sunk.
LIMITS = {
    "core/adaptors": (5.6, 0.0),
    "core/autotune": (7.7, 3.3),
    "core/backend": (1.0, 0.0),
    "core/base": (16.1, 14.5),
    "core/cache": (15.1, 7.8),
    "core/compiler": (20.1, 11.9),
    "core/expr": (3.5, 7.0),
    "core/extension": (2.5, 3.4),
    "core/frontend": (34.6, 26.6),
    "core/ir": (9.6, 6.4),
    "core/layout": (2.8, 0.9),
    "core/passes": (4.4, 2.9),
    "core/plugins": (9.2, 5.0),
    "core/runtime": (6.4, 4.2),
    "core/testing": (8.2, 2.6),
    "core/toolchain": (2.6, 5.8),
    "core/tools": (1.8, 2.6),
    "core/utils": (0.0, 20.0),
    "flydsl-compat": (25.6, 24.2),
    "flydsl-cpu": (0.0, 0.0),
    "flydsl-cuda": (5.7, 4.2),
    "flydsl-hipsim": (6.6, 2.4),
    "flydsl-jax": (31.5, 31.8),
    "flydsl-mlir": (0.0, 1.4),
    "flydsl-rocm": (15.9, 10.3),
    "flydsl-torch": (40.3, 20.9),
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(source: str) -> Iterator[Function]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function):
            yield node


def parameters(function: Function) -> list[str | None]:
    """The annotation of each parameter but self and cls, None where there is none."""
    given = function.args
    rest = [one for one in (given.vararg, given.kwarg) if one is not None]
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, *rest]
    return [
        one.annotation and ast.unparse(one.annotation)  # None, or the text
        for one in named
        if one.arg not in ("self", "cls", "mcs")
    ]


def share(annotations: list[str]) -> float:
    """Per cent of the annotations that contain Any."""
    return 100 * sum(bool(ANY.search(text)) for text in annotations) / max(len(annotations), 1)


def folder(package: str) -> Path:
    """Where the sources of a package of the table are."""
    return CORE / package.removeprefix("core/") if package.startswith("core/") else PACKAGES / package / "src"


@cache
def functions_of(package: str) -> list[Function]:
    return [one for path in sorted(folder(package).rglob("*.py")) for one in functions(path.read_text())]


def test_the_table_has_every_package_with_functions() -> None:
    core = {f"core/{path.name}" for path in CORE.iterdir() if path.is_dir()}
    others = {path.parent.name for path in PACKAGES.glob("*/src")} - {"flydsl-core"}
    assert {package for package in core | others if functions_of(package)} == set(LIMITS)


@pytest.mark.parametrize("package", LIMITS)
def test_every_parameter_and_result_is_annotated(package: str) -> None:
    for function in functions_of(package):
        assert None not in parameters(function), ast.unparse(function)[:200]
        assert function.returns is not None, ast.unparse(function)[:200]


@pytest.mark.parametrize("package", LIMITS)
def test_any_among_parameters_only_sinks(package: str) -> None:
    found = [text for function in functions_of(package) for text in parameters(function) if text is not None]
    limit, _ = LIMITS[package]
    assert limit - SLACK < share(found) <= limit


@pytest.mark.parametrize("package", LIMITS)
def test_any_among_results_only_sinks(package: str) -> None:
    found = [ast.unparse(function.returns) for function in functions_of(package) if function.returns is not None]
    _, limit = LIMITS[package]
    assert limit - SLACK < share(found) <= limit


def test_any_is_recognised_within_other_types() -> None:
    (function,) = functions("def f(a: Any, b: list[Any] | None, c: int, *d: Many) -> None: ...")
    assert share([text for text in parameters(function) if text is not None]) == 50
