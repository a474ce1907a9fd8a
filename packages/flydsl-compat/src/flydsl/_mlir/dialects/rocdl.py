"""The `rocdl` dialect of MLIR: the operations of `fx.rocdl`, as functions and as classes with `.result`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from flydsl._mlir.building.unknown import refuse
from flydsl._mlir.building.values import View

_PLUGIN = "install flydsl-rocm, which has the operations of AMD GPUs"


def __getattr__(name: str) -> Any:
    """`exp2` as a function, `MakeBufferRsrcOp` as a class."""
    try:
        from flydsl.expr import rocdl  # type: ignore[attr-defined, unused-ignore]
    except ImportError:
        refuse(__name__, name, (), _PLUGIN)
    plain = _snake(name.removesuffix("Op")) if name.endswith("Op") else name
    try:
        function = getattr(rocdl, plain)
    except AttributeError as error:
        refuse(__name__, name, dir(rocdl), str(error))
    if not name.endswith("Op"):
        return _taking_views(function) if callable(function) and not isinstance(function, type) else function
    return type(name, (_Operation,), {"function": staticmethod(function)})


class _Operation:
    """One operation; `.result` is its value, None without one."""

    function: Callable[..., Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.result = _taking_views(self.function)(*args, **kwargs)
        self.results = [] if self.result is None else [self.result]


def _taking_views(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        for name in ("loc", "ip"):
            kwargs.pop(name, None)
        return function(*(one.attribute if isinstance(one, View) else one for one in args), **kwargs)

    return call


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
