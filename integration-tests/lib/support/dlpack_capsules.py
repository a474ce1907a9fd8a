"""DLPack capsules made by ctypes: of NumPy arrays, and with any field changed to what no exporter should say."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

Array = Any

_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_alive: dict[int, tuple[Any, ...]] = {}
"""What each capsule keeps, by the address of its structure."""


class DLTensor(ctypes.Structure):
    """The structure of a tensor, of any version."""

    _fields_ = (
        ("data", ctypes.c_uint64),
        ("device_kind", ctypes.c_int32),
        ("device_ordinal", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_uint64),
        ("strides", ctypes.c_uint64),
        ("byte_offset", ctypes.c_uint64),
    )


class DLManagedTensorVersioned(ctypes.Structure):
    """What a capsule `dltensor_versioned` holds."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _destroy(capsule: int) -> None:
    """Forget what a capsule kept; it gets the capsule by address, which is about to go."""
    held = ctypes.cast(capsule, ctypes.py_object)
    _alive.pop(_pointer_of(held, b"dltensor_versioned"), None)


def capsule_of(
    array: Array, *, device: tuple[int, int] = (1, 0), flags: int = 0, changed: Mapping[str, int] | None = None
) -> Any:
    """A versioned capsule of a NumPy array, which lives as long; `changed` replaces fields of the structures."""
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    strides = (ctypes.c_int64 * array.ndim)(*(stride // array.itemsize for stride in array.strides))
    tensor = DLTensor(
        data=array.ctypes.data,
        device_kind=device[0],
        device_ordinal=device[1],
        ndim=array.ndim,
        code={"i": 0, "u": 1, "f": 2}[array.dtype.kind],
        bits=8 * array.itemsize,
        lanes=1,
        shape=ctypes.addressof(shape),
        strides=ctypes.addressof(strides),
        byte_offset=0,
    )
    managed = DLManagedTensorVersioned(major=1, minor=0, flags=flags, tensor=tensor)
    for name, value in (changed or {}).items():
        kind, _, index = name.partition("_of_mode_")
        if index:
            (shape if kind == "extent" else strides)[int(index)] = value
        else:
            setattr(managed if hasattr(managed, name) else managed.tensor, name, value)
    address = ctypes.addressof(managed)
    _alive[address] = managed, shape, strides, array
    return _new(address, b"dltensor_versioned", ctypes.cast(_destroy, ctypes.c_void_p).value)


class Exporting:
    """An object that exports what a function makes, at each question anew."""

    def __init__(self, capsule: Any, device: tuple[int, int] = (1, 0)) -> None:
        self.capsule, self.device = capsule, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule()
