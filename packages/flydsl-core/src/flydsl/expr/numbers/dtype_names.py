"""Element types of other libraries, told by their names."""

from __future__ import annotations

import sys
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.base.interception import is_tracing
from flydsl.expr.numbers.registry import numeric_types

_OTHER_NAMES = {"bool_": "boolean", "bool": "boolean", "longlong": "int64", "ulonglong": "uint64"}
_EXTENSION = "ml_dtypes"
_PYTHON_NUMBERS = (bool, int, float, complex)


def is_dtype(kind: type, other: object) -> object:
    """Whether a type of array elements is numeric type `kind`: NumPy's and its scalar classes, torch's, a name.

    NotImplemented for what is no type of elements. FrontendError in a trace for a name that no type has, and for
    Python's own types, whose width is not said.
    """
    name = _name(other)
    if name is not None and name in _names():
        return name == kind.__name__.lower()
    if is_tracing() and (isinstance(other, str) or other in _PYTHON_NUMBERS):
        raise FrontendError(
            f"fx.{kind.__name__} is compared with {other!r}, which names no type of elements; "
            "compare with one of fx, such as fx.Float32"
        )
    return NotImplemented


def names_dtype(other: object) -> bool:
    """Whether it is an element type of another library."""
    return not isinstance(other, str) and _name(other) in _names()


def extended_dtype(kind: type) -> Any:
    """The dtype of `kind` that ml_dtypes adds to NumPy, where it is loaded; AttributeError without one."""
    extension = sys.modules.get(_EXTENSION)
    for name, scalar in vars(extension).items() if extension is not None else ():
        if isinstance(scalar, type) and name.replace("_", "") == kind.__name__.lower():
            import numpy

            return numpy.dtype(scalar)
    raise AttributeError(f"NumPy has no dtype of fx.{kind.__name__}")


def _names() -> set[str]:
    return {kind.__name__.lower() for kind in numeric_types()}


def _name(other: object) -> str | None:
    """The name as our types have it, in small letters and without underscores; None for what is no type."""
    if isinstance(other, str):
        name = other
    elif isinstance(other, type):
        name = other.__name__ if hasattr(other, "dtype") or other.__module__ == _EXTENSION else ""
    elif hasattr(other, "itemsize"):
        name = str(getattr(other, "name", None) or repr(other).rpartition(".")[2])
    else:
        return None
    name = name.lower()
    return _OTHER_NAMES.get(name, name.replace("_", ""))
