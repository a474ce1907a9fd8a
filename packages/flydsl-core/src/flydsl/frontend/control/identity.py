"""`is` and `in` of rewritten code, which Python decides without a method of a value of the device."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.memory.storage import Storage
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.numbers.dtype_names import names_dtype
from flydsl.expr.numbers.meta import NumericMeta
from flydsl.expr.numbers.promotion import python_number
from flydsl.frontend.control.truth import as_condition, is_dynamic, truth

_VALUES = (Arithmetic, Storage)
_COLLECTIONS = (tuple, list, set, frozenset, dict)


def is_(left: Any, right: Any) -> bool:
    """`left is right`; FrontendError where a value of the device would be compared with a number or another value."""
    if left is right:
        return True
    for value, other in ((left, right), (right, left)):
        if isinstance(value, _VALUES) and _is_value(other):
            raise FrontendError(
                f"`is` asks Python whether two objects are the same one, and {value!r} is a value of the device; "
                f"{_instead(other)}"
            )
        if isinstance(value, NumericMeta) and not isinstance(other, NumericMeta) and names_dtype(other):
            raise FrontendError(
                f"`is` asks Python whether two objects are the same one, and {other!r} is never fx.{value.__name__}; "
                "compare with a type of fx, or with =="
            )
    return False


def _is_value(other: Any) -> bool:
    """Whether it is a value that a test may mean, and no marker such as a class, None or a sentinel."""
    return isinstance(other, _VALUES) or isinstance(python_number(other), bool | int | float | str)


def _instead(other: Any) -> str:
    if other is True:
        return "write the condition itself, as in `if a:`"
    return "write `not a`" if other is False else "compare with =="


def _found(item: Any, container: Any) -> bool:
    try:
        return item in container
    except TypeError as error:
        if not isinstance(container, StructuredValue) and not isinstance(item, _VALUES):
            raise
        raise FrontendError(f"{error}; look for a value of the device among numbers, as in `a in (1, 3)`") from None


def in_(item: Any, container: Any) -> Any:
    """`item in container`, a Boolean where only the device can compare the items of a tuple, list, set or dict."""
    if isinstance(container, range) and is_dynamic(item):
        raise FrontendError(f"{item!r} in {container!r} is known only at run time; compare with its bounds")
    if type(container) not in _COLLECTIONS:
        return _found(item, container)
    if not any(map(is_dynamic, (item, *container))):
        return item in container
    tests = [item == member for member in container]
    if any(not is_dynamic(test) and truth(test) for test in tests):
        return True
    dynamic = [as_condition(test) for test in tests if is_dynamic(test)]
    return reduce(or_, dynamic) if dynamic else False
