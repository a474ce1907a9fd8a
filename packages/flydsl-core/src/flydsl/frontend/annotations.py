"""Annotations that are text, evaluated where the function or class that has them stands."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from inspect import CO_OPTIMIZED
from types import CellType, CodeType, FunctionType
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.base.files.source_text import texts_of
from flydsl.base.location import Location
from flydsl.frontend.rewriting.source import imported_names

_KINDS = ("Tensor", "Stream", "Constexpr", "Pointer")
"""Types that an annotation says by its last name, whatever is before it."""


def local_names(function: FunctionType) -> dict[str, Any]:
    """The variables of the functions and classes around that its annotations name: asked where a decorator stands.

    Only frames that the function's code lies in count, so that what happens to call the decorator does not.
    """
    wanted = _names_in(function)
    if not wanted or "." not in function.__qualname__:
        return {}
    found: dict[str, Any] = {}
    inner, frame = function.__code__, sys._getframe(1)
    while frame is not None and wanted - found.keys():
        if any(constant is inner for constant in frame.f_code.co_consts):
            inner = frame.f_code
            named = _variables_among(wanted - found.keys(), inner)
            # a function's `f_locals` are a copy that keeps what all its variables were: looked at where one is named
            if named and (variables := frame.f_locals) is not frame.f_globals:
                found |= {name: variables[name] for name in named if name in variables}
        frame = frame.f_back  # type: ignore[assignment]
    return found


def global_names(function: FunctionType) -> dict[str, Any]:
    """The names visible to the annotations of `function`: globals and closure variables."""
    closed = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {**function.__globals__, **{name: cell.cell_contents for name, cell in closed if _is_filled(cell)}}


def evaluated(annotation: str, names: dict[str, Any], what: str, file: str, line: int = 0) -> Any:
    """The value of an annotation; its text where it is one of `_KINDS`, or a name that only a type checker sees.

    FrontendError, which begins with `what`, for a name that is nowhere.
    """
    try:
        value = eval(annotation, names)
    except Exception as error:
        if _last_name(annotation) in _KINDS or _is_for_type_checkers(annotation, names, file):
            return annotation
        hint = "; define it in the module, or around the function before its decorator"
        raise FrontendError(
            f"{what} is annotated with {annotation!r}: {error}{hint if type(error) is NameError else ''}",
            location=Location(file, line) if line else None,
        ) from None
    if isinstance(value, str) and value != annotation:  # text in text, under `from __future__ import annotations`
        return evaluated(value, names, what, file, line)
    return value


def _is_for_type_checkers(annotation: str, names: Mapping[str, Any], file: str) -> bool:
    """Whether it uses a name that the module imports, and that is not there: under `if TYPE_CHECKING`."""
    text = next(iter(texts_of(file, dict(names))), None)
    absent = [name for name in _names_of(annotation) if name not in names]
    return text is not None and bool(imported_names("".join(text.lines)).intersection(absent))


def _variables_among(names: set[str], code: CodeType) -> set[str]:
    """The names that may be variables of a frame with this code: all, where it is no function's."""
    if not code.co_flags & CO_OPTIMIZED:
        return names
    return names.intersection((*code.co_varnames, *code.co_cellvars, *code.co_freevars))


def _names_in(function: FunctionType) -> set[str]:
    texts = [text for text in function.__annotations__.values() if isinstance(text, str)]
    return {name for text in texts for name in _names_of(text)}


def _names_of(annotation: str) -> tuple[str, ...]:
    try:
        code: CodeType = compile(annotation, "<annotation>", "eval")
    except (SyntaxError, ValueError):
        return ()
    return code.co_names


def _last_name(annotation: str) -> str:
    return annotation.split("[")[0].rsplit(".", 1)[-1]


def _is_filled(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 (an empty cell raises)
    except ValueError:
        return False
    return True
