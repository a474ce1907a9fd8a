"""Arguments that are not there yet: placeholders to compile for, tensors without memory and numbers without value."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, NoReturn

from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import ShapeError
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, TensorAdaptor, TensorDesc

_HOST = DeviceRef(DeviceKind.CPU)
_ADDRESS = 1 << 40
"""Where a placeholder claims to be: aligned to whatever code promises."""


class AbstractTensor:
    """A tensor of `dtype` without memory. `shape` and `strides` are in elements; strides None: row-major.

    An extent None is open: known when the code runs. Only a row-major tensor has any, and its layout must be dynamic.
    ShapeError for extents that no tensor has, and for strides that do not fit the shape.
    """

    # no dataclass: that would be a container, whose fields are arguments
    __slots__ = ("device", "dtype", "shape", "strides")

    def __init__(
        self,
        shape: tuple[int | None, ...],
        dtype: DType,
        strides: tuple[int, ...] | None = None,
        device: DeviceRef = _HOST,
    ) -> None:
        self.shape, self.dtype, self.strides, self.device = tuple(shape), dtype, strides, device
        if any(extent is not None and (type(extent) is not int or extent < 0) for extent in self.shape):
            raise ShapeError(f"extents are numbers from 0, or None for an open one, found {self.shape!r}")
        if strides is not None and (self.is_open or len(strides) != len(self.shape)):
            raise ShapeError(f"strides {strides!r} do not fit the shape {self.shape!r}, or it has open extents")

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

    def _fields(self) -> tuple[object, ...]:
        return self.shape, self.dtype, self.strides, self.device

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractTensor) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"AbstractTensor({self.shape}, {self.dtype}, {self.strides}, {self.device})"


class AbstractNumber:
    """A number that is known when the code runs, to compile for; its type is that of the parameter it is passed for."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise TypeError("a number that is not there yet is neither true nor false")

    def __repr__(self) -> str:
        return "AbstractNumber()"


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
