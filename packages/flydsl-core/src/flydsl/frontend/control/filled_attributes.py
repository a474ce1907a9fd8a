"""Attributes that an object fills on first use, by `if self.atom is None: self.atom = ...`, in a branch or a loop.

What they hold is known while tracing, so that computing it again gives it again: they are empty after the region.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

from xdsl.ir import Attribute, IRNode, SSAValue

from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.tracing.context import current
from flydsl.frontend.control.undefined import Emptied, Undefined, is_empty

_PLAIN = (int, float, complex, str, bytes, type, FunctionType, ModuleType, Attribute)


def empty_filled(name: str, value: Any, before: Mapping[str, Any]) -> None:
    """Empty the attributes of `value` that were None `before` and hold something that is known while tracing now.

    A flag is none of these: None to True is how an object says that something has happened.
    """
    now = getattr(value, "__dict__", {})
    for key, old in before.items():
        new = now.get(key)
        if not is_empty(old) or is_empty(new) or isinstance(new, bool) or not is_known(new):
            continue
        setattr(value, key, Emptied(f"{name}.{key}"))
        session = current().session
        if session is not None:
            session.emptied.append((value, key))


def restore_emptied(session: Any) -> Emptied | None:
    """At the end of a trace, attributes that are still empty are None, as the program has them.

    Returns one that the program found to be None after a region that filled it, and did not fill again.
    """
    asked: list[Emptied] = []
    for value, key in session.emptied:
        held = getattr(value, "__dict__", {}).get(key)
        if isinstance(held, Emptied):
            setattr(value, key, None)
            asked += [held] if object.__getattribute__(held, "asked") else []
    return asked[0] if asked else None


def is_known(value: Any, seen: frozenset[int] = frozenset()) -> bool:
    """Whether nothing in `value` is computed by the device."""
    if value is None or isinstance(value, _PLAIN) or id(value) in seen:
        return True
    if isinstance(value, Arithmetic | StructuredValue):
        return bool(getattr(value, "is_static", False))
    if isinstance(value, Undefined | SSAValue | IRNode):
        return False
    return all(is_known(part, seen | {id(value)}) for part in _parts(value))


def _parts(value: Any) -> list[Any]:
    """What an object holds."""
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, MethodType):
        return [value.__self__]
    slots = [name for cls in type(value).__mro__ for name in _names(cls)]
    held = [getattr(value, name) for name in slots if hasattr(value, name)]
    return held + list(vars(value).values() if isinstance(value, SimpleNamespace) or hasattr(value, "__dict__") else ())


def _names(cls: type[Any]) -> tuple[str, ...]:
    names = cls.__dict__.get("__slots__", ())
    return tuple(name for name in ((names,) if isinstance(names, str) else names) if not name.startswith("__"))
