"""Tensors that an adaptor is tested with, made by the framework's own functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any
from warnings import catch_warnings, simplefilter

from flydsl.adaptors.dtypes import DTYPES

View = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Tensors:
    """How to make tensors of one framework: `zeros(shape, dtype)` gives a new one that can be written.

    `dtypes` are names of `flydsl.adaptors.dtypes`. `views` make a tensor with gaps or another order of strides out of
    one of shape (4, 6). `read_only` gives a tensor that forbids to be written. `refused` makes what no kernel can use.
    """

    zeros: Callable[[tuple[int, ...], str], Any]
    dtypes: tuple[str, ...] = ("float32",)
    shapes: tuple[tuple[int, ...], ...] = ((1,), (7,), (3, 5), (2, 3, 4), (0, 3), ())
    views: Mapping[str, View] = field(default_factory=dict)
    read_only: View | None = None
    refused: Mapping[str, Callable[[], Any]] = field(default_factory=dict)

    @classmethod
    def of_module(cls, name: str) -> Tensors:
        """Those of a module with `zeros(shape, dtype=)` and dtypes by name, as the array API has them.

        Dtypes of less than a byte are left out: frameworks do not agree on how they lie in memory.
        """
        module = import_module(name)

        def zeros(shape: tuple[int, ...], dtype: str) -> Any:
            return module.zeros(shape, dtype=getattr(module, dtype))

        with catch_warnings():
            simplefilter("ignore", FutureWarning)  # of NumPy before 2, about the name `bool`
            named = [name for name, dtype in DTYPES.items() if dtype.bits >= 8 and hasattr(module, name)]
        dtypes = tuple(name for name in named if _can_make(zeros, name))
        return cls(zeros, dtypes, views=_VIEWS)

    def but(self, **changes: Any) -> Tensors:
        """These with some fields replaced."""
        return replace(self, **changes)


_VIEWS: Mapping[str, View] = {
    "transposed": lambda tensor: tensor.T,
    "every_other_row": lambda tensor: tensor[::2],
    "columns": lambda tensor: tensor[:, 1:3],
    "every_other_column": lambda tensor: tensor[1:, ::2],
    "one_column": lambda tensor: tensor[:, 2],
}


def _can_make(zeros: Callable[[tuple[int, ...], str], Any], dtype: str) -> bool:
    """Whether the framework has tensors of the dtype, and not only its name."""
    try:
        zeros((1,), dtype)
    except (TypeError, ValueError, RuntimeError, NotImplementedError):
        return False
    return True
