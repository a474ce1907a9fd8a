"""The tensor adaptor for NumPy arrays, mostly without importing NumPy."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from ctypes import c_size_t, sizeof
from typing import Any

from flydsl.adaptors.dtypes import DTYPES
from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, Inline, TensorAdaptor, TensorDesc

_CPU = DeviceRef(DeviceKind.CPU)
_WORD = sizeof(c_size_t)
_SHIFT = _WORD.bit_length() - 1
# Memory as words from where the first field of an object at address 0 would be: that of an array is its data pointer.
# Indexing is twice as fast as making a ctypes object at an address.
_fields = (c_size_t * (1 << 8 * _WORD - 6)).from_address(object.__basicsize__)


class NumpyAdaptor(TensorAdaptor):
    """Arrays in host memory; read-only ones can be inputs."""

    name = "numpy"

    def __init__(self) -> None:
        direct = _data_follows_header()
        self._pointer: Callable[[Any], int] = _direct_pointer if direct else _public_pointer
        pointer = f"numpy_fields[id({{x}}) >> {_SHIFT}]" if direct else "{x}.ctypes.data"
        self.inline = Inline(
            pointer=pointer,
            shape="{x}.shape",
            strides="{x}.strides",
            signature=("{x}.dtype", "{x}.shape", "{x}.strides", "{x}.flags.writeable"),
            strides_in_bytes=True,
            names={"numpy_fields": _fields},
        )

    def describe(self, obj: Any) -> TensorDesc:
        """The array's description; UnsupportedTensorError for masked arrays, foreign byte order and odd strides."""
        if any(base.__name__ == "MaskedArray" for base in type(obj).__mro__):
            raise UnsupportedTensorError("a masked array carries a mask that a kernel would ignore: pass its .data")
        size = obj.dtype.itemsize
        if any(stride % size for stride in obj.strides):
            raise UnsupportedTensorError(
                f"strides {obj.strides!r} are not multiples of the {size} bytes of an element: pass a copy"
            )
        return TensorDesc(
            pointer=self._pointer(obj),
            shape=obj.shape,
            strides=tuple(stride // size for stride in obj.strides),
            dtype=_dtype(obj.dtype),
            device=_CPU,
            read_only=not obj.flags.writeable,
        )

    def signature(self, obj: Any) -> Hashable:
        """dtype, shape, strides in bytes, whether it can be written."""
        return obj.dtype, obj.shape, obj.strides, obj.flags.writeable

    def before_launch(self, obj: Any, stream: int, written: bool) -> None:
        """Refuse to write a read-only array."""
        if written and not obj.flags.writeable:
            raise UnsupportedTensorError("the array is read-only and the kernel writes it: pass a copy")

    def pointer(self, obj: Any) -> int:
        """Address of the first element."""
        return self._pointer(obj)


def _dtype(dtype: Any) -> DType:
    if not dtype.isnative:
        advice = f"convert it with .astype({dtype.name!r})"
        raise UnsupportedTensorError(f"dtype {dtype.str!r} has the other byte order: {advice}")
    if dtype.name not in DTYPES:
        raise UnsupportedTensorError(f"dtype {dtype.name!r} cannot be passed to a kernel")
    return DTYPES[dtype.name]


def _data_follows_header() -> bool:
    """Whether this interpreter and NumPy keep the data pointer where `_direct_pointer` reads it (8x faster)."""
    import numpy as np  # a NumPy array is about to be passed, so it is there

    samples = [np.zeros(3), np.zeros((2, 2), np.int8)[1:]]
    return all(_direct_pointer(sample) == _public_pointer(sample) for sample in samples)


def _direct_pointer(array: Any) -> int:
    return _fields[id(array) >> _SHIFT]


def _public_pointer(array: Any) -> int:
    return int(array.ctypes.data)
