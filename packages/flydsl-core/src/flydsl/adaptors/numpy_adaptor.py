"""The tensor adaptor for NumPy arrays, mostly without importing NumPy."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from ctypes import c_int, c_int64, c_size_t, sizeof
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from flydsl.adaptors.dtypes import DTYPES
from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, HeaderRead, Inline, TensorAdaptor, TensorDesc

if TYPE_CHECKING:
    import numpy as np

Array: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.generic]]"
_CPU = DeviceRef(DeviceKind.CPU)
_WORD = sizeof(c_size_t)
_SHIFT = _WORD.bit_length() - 1
_WRITEABLE = 0x0400  # NPY_ARRAY_WRITEABLE
# Memory as words from where the first field of an object at address 0 would be: that of an array is its data pointer.
# Indexing is twice as fast as making a ctypes object at an address.
_fields = (c_size_t * (1 << 8 * _WORD - 6)).from_address(object.__basicsize__)


class NumpyAdaptor(TensorAdaptor):
    """Arrays in host memory; read-only ones can be inputs."""

    name = "numpy"

    def __init__(self) -> None:
        direct = _data_follows_header()
        self._pointer: Callable[[Array], int] = _direct_pointer if direct else _public_pointer
        pointer = f"numpy_fields[id({{x}}) >> {_SHIFT}]" if direct else "{x}.ctypes.data"
        self.inline = Inline(
            pointer=pointer,
            shape="{x}.shape",
            strides="{x}.strides",
            signature=("{x}.dtype", "{x}.shape", "{x}.strides", "{x}.flags.writeable"),
            strides_in_bytes=True,
            names={"numpy_fields": _fields},
        )

    def describe(self, obj: Array) -> TensorDesc:
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

    def native_read(self, cls: type[object]) -> HeaderRead | None:
        """The fields of the array object; not those of other subclasses, which may say something else of themselves."""
        import numpy as np

        return _header() if cls in (np.ndarray, np.memmap) else None

    def signature(self, obj: Array) -> Hashable:
        """dtype, shape, strides in bytes, whether it can be written."""
        return obj.dtype, obj.shape, obj.strides, obj.flags.writeable

    def before_launch(self, obj: Array, stream: int, written: bool) -> None:
        """Refuse to write a read-only array."""
        if written and not obj.flags.writeable:
            raise UnsupportedTensorError("the array is read-only and the kernel writes it: pass a copy")

    def pointer(self, obj: Array) -> int:
        """Address of the first element."""
        return self._pointer(obj)


def _dtype(dtype: np.dtype[np.generic]) -> DType:
    if not dtype.isnative:
        advice = f"convert it with .astype({dtype.name!r})"
        raise UnsupportedTensorError(f"dtype {dtype.str!r} has the other byte order: {advice}")
    if dtype.name not in DTYPES:
        raise UnsupportedTensorError(f"dtype {dtype.name!r} cannot be passed to a kernel")
    return DTYPES[dtype.name]


def _data_follows_header() -> bool:
    """Whether this interpreter and NumPy keep the data pointer where `_direct_pointer` reads it (8x faster)."""
    import numpy as np  # a NumPy array is about to be passed, so it is there

    samples: list[Array] = [np.zeros(3), np.zeros((2, 2), np.int8)[1:]]
    return all(_direct_pointer(sample) == _public_pointer(sample) for sample in samples)


def _direct_pointer(array: Array) -> int:
    return _fields[id(array) >> _SHIFT]


def _public_pointer(array: Array) -> int:
    return int(array.ctypes.data)


@cache
def _header() -> HeaderRead | None:
    """Where the fields of an array are, if this NumPy has them where `HeaderRead` wants them."""
    import numpy as np

    field, word = object.__basicsize__, _WORD  # data, ndim, dimensions, strides, base, descr, flags
    header = HeaderRead(
        data=field,
        ndim=field + word,
        shape=field + 2 * word,
        strides=field + 3 * word,
        dtype=field + 5 * word,
        flags=field + 6 * word,
        mask=_WRITEABLE,
    )
    frozen = np.arange(6.0).reshape(2, 3)
    frozen.flags.writeable = False
    samples: list[Array] = [
        np.zeros(3),
        np.zeros((4, 6), np.int8)[::2, 1:].T,
        frozen,
        np.zeros(()),
        np.zeros((0, 5), np.float16),
    ]
    is_known = word == sizeof(c_int64) and np.ndarray.__basicsize__ >= header.flags + sizeof(c_int)
    return header if is_known and all(_shows(header, sample) for sample in samples) else None


def _shows(header: HeaderRead, array: Array) -> bool:
    address = id(array)

    def word(offset: int) -> int:
        return c_size_t.from_address(address + offset).value

    def words(offset: int) -> tuple[int, ...]:
        return tuple((c_int64 * array.ndim).from_address(word(offset))) if array.ndim else ()

    return (
        c_int.from_address(address + header.ndim).value == array.ndim
        and (words(header.shape), words(header.strides)) == (array.shape, array.strides)
        and (word(header.data), word(header.dtype)) == (array.ctypes.data, id(array.dtype))
        and bool(c_int.from_address(address + header.flags).value & header.mask) == array.flags.writeable
    )
