"""Protocols of types of the language: their SSA values, and their reconstruction from SSA values.

    class Complex:
        def __init__(self, re, im): self.re, self.im = re, im
        def __extract_to_ir_values__(self): return [self.re.ir_value(), self.im.ir_value()]
        @classmethod
        def __construct_from_ir_values__(cls, values): return cls(*map(fx.Float32, values))

Such values pass through branches, loops, helpers and kernel arguments. `__construct_from_ir_values__` may also be a
plain method: it is then called on the value that the new one replaces.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from flydsl.base.container_items import items_of, with_items
from flydsl.base.errors import FrontendError
from flydsl.base.wording import with_article
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.numbers.registry import is_ssa_value
from flydsl.expr.threads.stream import Stream

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.expr.layouts.value import StructuredValue
    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.numbers.vector import Vector


@runtime_checkable
class DslType(Protocol):
    """A type whose values consist of SSA values while a function is traced."""

    def __extract_to_ir_values__(self) -> list[SSAValue]:
        """The SSA values, in order; none if the whole value is static."""
        ...

    def __construct_from_ir_values__(self, values: list[SSAValue]) -> Any:
        """A value built from as many SSA values of the same types; a class method or a plain one."""
        ...


@runtime_checkable
class JitArgument(Protocol):
    """An argument of a @jit function: its IR types in traced code, and its values for the launcher."""

    def __get_ir_types__(self) -> list[Attribute]:
        """The IR types of the values that traced code sees, such as `fx.Int32.ir_type`."""
        ...

    def __cache_signature__(self) -> object:
        """A key that differs for arguments that need different code."""
        ...

    def __c_abi_spec__(self) -> list[tuple[type, Any]]:
        """For each value a ctypes type, and a function that fills an instance of it at each call."""
        ...


def extract_to_ir_values(obj: object) -> list[SSAValue]:
    """The SSA values of a value of the language, or of all values in a container, in order; none for static ones."""
    if isinstance(obj, Mapping | tuple | list):
        return [value for _, item in items_of(obj) for value in extract_to_ir_values(item)]
    if obj is None or isinstance(obj, bool | int | float | str | type):
        return []
    if is_ssa_value(obj):
        return [obj]
    if not hasattr(obj, "__extract_to_ir_values__"):
        raise FrontendError(
            f"{obj!r} is not a value of the language; "
            f"give {type(obj).__name__} the methods __extract_to_ir_values__ and __construct_from_ir_values__"
        )
    return list(obj.__extract_to_ir_values__())


def construct_from_ir_values(dsl_type: Any, args: Any, values: Sequence[SSAValue]) -> Any:
    """A value of `dsl_type` built from `values`; `args` is the value that it replaces, or None.

    In containers (of types, and of values in `args`) each item takes as many values as its counterpart has.
    """
    if isinstance(args, Mapping | tuple | list):
        return _container(dsl_type, args, list(values))
    if is_ssa_value(args):
        return values[0]
    if args is not None and not hasattr(args, "__extract_to_ir_values__"):
        return args
    construct = inspect.getattr_static(dsl_type, "__construct_from_ir_values__", None)
    if construct is None:
        raise FrontendError(f"{dsl_type!r} has no __construct_from_ir_values__, which builds it from SSA values")
    if not inspect.isfunction(construct):
        return dsl_type.__construct_from_ir_values__(list(values))
    if args is None:
        raise FrontendError(f"{dsl_type!r} builds a value from another one; pass that as args")
    return construct(args, list(values))


def get_ir_types(obj: Any) -> list[Attribute]:
    """The IR types of the values of a JIT argument, or of the SSA values of a value of the language."""
    if hasattr(type(obj), "__get_ir_types__"):
        return list(obj.__get_ir_types__())
    return [value.type for value in extract_to_ir_values(obj)]


def cache_signature(obj: Any) -> object:
    """A key that differs for values that need different code: the object's own, or its types and static values."""
    if hasattr(type(obj), "__cache_signature__"):
        return obj.__cache_signature__()
    if isinstance(obj, Mapping | tuple | list):
        return (type(obj), tuple((label, cache_signature(item)) for label, item in items_of(obj)))
    if isinstance(obj, Arithmetic):  # a run-time value, whatever is known of it
        return (type(obj), tuple(get_ir_types(obj))) if not getattr(obj, "is_static", False) else (type(obj),)
    if obj is None or isinstance(obj, bool | int | float | str | type):
        return (type(obj), repr(obj) if isinstance(obj, float) else obj)
    static = getattr(obj, "is_static", False)
    if static:
        return (type(obj), getattr(obj, "payload", getattr(obj, "value", None)))
    return (type(obj), tuple(get_ir_types(obj)))


def own_values(obj: Any) -> list[SSAValue] | None:
    """The SSA values of an object of a user-defined type, None for types of the language."""
    if isinstance(obj, type | Arithmetic | StructuredValue | Stream | tuple | list | dict):
        return None
    if not hasattr(type(obj), "__extract_to_ir_values__"):
        return None
    if not hasattr(type(obj), "__construct_from_ir_values__"):
        raise FrontendError(
            f"{type(obj).__name__} has no __construct_from_ir_values__, which builds it from SSA values"
        )
    return list(obj.__extract_to_ir_values__())


def remade(obj: Any, parts: Sequence[StructuredValue | Numeric | Vector]) -> Any:
    """An object like `obj`, of a user-defined type, with its SSA values replaced by `parts`."""
    values = [part.ir_value() for part in parts]
    expected, actual = [value.type for value in obj.__extract_to_ir_values__()], [value.type for value in values]
    if expected != actual:
        raise FrontendError(
            f"{with_article(type(obj).__name__)} consists of values of types {', '.join(map(str, expected))}, "
            f"found {', '.join(map(str, actual))}; keep their types, convert with .to()"
        )
    return construct_from_ir_values(type(obj), obj, values)


def _container(dsl_type: Any, args: Any, values: list[SSAValue]) -> Any:
    items = []
    for key, item in items_of(args):
        count = len(extract_to_ir_values(item))
        kind = dsl_type[key] if isinstance(dsl_type, Mapping | tuple | list) else type(item)
        items.append((key, construct_from_ir_values(kind, item, values[:count])))
        values = values[count:]
    if values:
        raise FrontendError(f"{len(values)} SSA values are left over after {args!r} was built")
    return with_items(args, items)
