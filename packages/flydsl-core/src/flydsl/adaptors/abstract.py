"""Tensors that are not there yet: placeholders to compile for, with everything but memory."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import ShapeError
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, TensorAdaptor, TensorDesc

_ADDRESS = 1 << 40
"""Where a placeholder claims to be: aligned to whatever code promises."""


@dataclass(frozen=True, slots=True)
class AbstractTensor:
    """A tensor of `dtype` without memory. `shape` and `strides` are in elements; strides None: row-major.

    An extent None is open: known when the code runs. Only a row-major tensor has any, and its layout must be dynamic.
    """

    shape: tuple[int | None, ...]
    dtype: DType
    strides: tuple[int, ...] | None = None
    device: DeviceRef = DeviceRef(DeviceKind.CPU)

    def __post_init__(self) -> None:
        """ShapeError for extents that no tensor has, and strides that do not fit the shape."""
        if any(extent is not None and (type(extent) is not int or extent < 0) for extent in self.shape):
            raise ShapeError(f"extents are numbers from 0, or None for an open one, found {self.shape!r}")
        if self.strides is not None and (self.is_open or len(self.strides) != len(self.shape)):
            raise ShapeError(f"strides {self.strides!r} do not fit the shape {self.shape!r}, or it has open extents")

    @property
    def is_open(self) -> bool:
        """Whether an extent is known only when the code runs."""
        return None in self.shape

    def describe(self) -> TensorDesc:
        """The tensor as adaptors describe one; open extents count as 1."""
        shape = tuple(1 if extent is None else extent for extent in self.shape)
        # of an empty tensor too: frameworks step over its empty modes as if they had one element
        steps = tuple(math.prod(max(1, n) for n in shape[mode + 1 :]) for mode in range(len(shape)))
        strides = steps if self.strides is None else self.strides
        return TensorDesc(_ADDRESS, shape, strides, self.dtype, self.device)


class AbstractAdaptor(TensorAdaptor):
    """Placeholders as arguments to compile for."""

    name = "abstract"

    def describe(self, obj: Any) -> TensorDesc:
        """What the placeholder says."""
        assert isinstance(obj, AbstractTensor)
        return obj.describe()

    def signature(self, obj: Any) -> Hashable:
        """The placeholder itself."""
        assert isinstance(obj, AbstractTensor)
        return obj

    def pointer(self, obj: Any) -> int:
        """An address that stands for any."""
        return _ADDRESS
