"""The `rocdl` dialect of MLIR: the operations of `fx.rocdl`, as functions and as classes with `.result`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import Any

from flydsl._mlir.building.unknown import refuse
from flydsl._mlir.building.values import View, raw

_PLUGIN = "install flydsl-rocm, which has the operations of AMD GPUs"


_TABLE = Path(__file__).parents[1] / "rocdl_classes.tsv"


def __getattr__(name: str) -> Any:
    """`exp2` as a function, `MakeBufferRsrcOp` as a class."""
    try:
        from flydsl.expr import rocdl  # type: ignore[attr-defined, unused-ignore]
    except ImportError:
        refuse(__name__, name, (), _PLUGIN)
    function_name = _classes().get(name)
    try:
        function = getattr(rocdl, function_name or name)
    except AttributeError as error:
        refuse(__name__, name, (*_classes(), *_classes().values()), str(error) if function_name else "")
    if function_name is None or function_name == name:
        if not callable(function) or isinstance(function, type):
            return function
        if not name.startswith("wmma_"):
            return _taking_views(function)
    return type(name, (_Operation,), {"function": staticmethod(function)})


def __dir__() -> list[str]:
    return sorted({*_classes(), *_classes().values()})


class _Operation:
    """One operation; `.result` is its value, None without one."""

    function: Callable[..., Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.result = _taking_views(self.function)(*args, **kwargs)
        self.results = [] if self.result is None else [self.result]

    def ir_value(self) -> Any:
        """The SSA value of the result."""
        return raw(self.result)


def _taking_views(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        for name in ("loc", "ip"):
            kwargs.pop(name, None)
        args, kwargs = _as_declared(function, args, kwargs)
        return function(*(one.attribute if isinstance(one, View) else one for one in args), **kwargs)

    return call


def _as_declared(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments without optional ones that are None, and by position where MLIR's names are not the function's."""
    kwargs = {name: value for name, value in kwargs.items() if value is not None}
    first = [kwargs.pop(name) for name in ("res", "result") if name in kwargs]
    declared = signature(function).parameters
    others = [name for name in kwargs if name not in declared]
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in declared.values())
    last = [] if takes_any else [kwargs.pop(name) for name in others]
    return (*first, *args, *last), kwargs


@cache
def _classes() -> Mapping[str, str]:
    """The functions of classes; generated like the other tables."""
    rows = (row.split("\t") for row in _TABLE.read_text().splitlines()[1:])
    return MappingProxyType(dict(rows))
