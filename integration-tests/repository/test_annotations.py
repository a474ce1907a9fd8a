"""Annotations that say something: the share of `Any` in the language's functions may only sink."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

EXPR = Path(__file__).resolve().parents[2] / "packages/flydsl-core/src/flydsl/expr"
ANY = re.compile(r"\bAny\b")
# Per cent of all parameters, and of all results; lower them when a change makes room.
PARAMETERS_LIMIT = 3.5
RETURNS_LIMIT = 7.0


def functions(source: str) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield node


def parameters(function: ast.FunctionDef) -> list[str | None]:
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
    return 100 * sum(bool(ANY.search(text)) for text in annotations) / len(annotations)


def sources() -> list[str]:
    return [path.read_text() for path in sorted(EXPR.rglob("*.py"))]


def test_every_parameter_and_result_is_annotated() -> None:
    for source in sources():
        for function in functions(source):
            assert None not in parameters(function), ast.unparse(function)[:200]
            assert function.returns is not None, ast.unparse(function)[:200]


@pytest.mark.parametrize("limit", [PARAMETERS_LIMIT])
def test_any_among_parameters_only_sinks(limit: float) -> None:
    found = [text for source in sources() for f in functions(source) for text in parameters(f) if text is not None]
    assert len(found) > 1000
    assert limit - 2 < share(found) <= limit


@pytest.mark.parametrize("limit", [RETURNS_LIMIT])
def test_any_among_results_only_sinks(limit: float) -> None:
    found = [ast.unparse(f.returns) for source in sources() for f in functions(source) if f.returns is not None]
    assert len(found) > 700
    assert limit - 2 < share(found) <= limit


def test_any_is_recognised_within_other_types() -> None:
    (function,) = functions("def f(a: Any, b: list[Any] | None, c: int, *d: Many) -> None: ...")
    assert share([text for text in parameters(function) if text is not None]) == 50
