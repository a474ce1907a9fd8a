"""The tensor adaptor for any object with `__dlpack__`: array libraries without an adaptor of their own.

Reads the capsule and never consumes it, so the memory stays the exporter's. Legacy (unversioned) capsules
cannot say that an array may be written: they count as read-only, as in NumPy.
"""

from __future__ import annotations

import ctypes
from collections.abc import Hashable
from math import prod
from typing import Any

from flydsl.base.dlpack import DEFAULT_STREAM_IS_1, HOST_KINDS
from flydsl.base.errors import UnsupportedTensorError
from flydsl.base.wording import articled
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, TensorAdaptor, TensorDesc

_READ_ONLY = 1

_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_kind", ctypes.c_int32),
        ("device_ordinal", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


class DLPackAdaptor(TensorAdaptor):
    """Objects that speak DLPack, at a few microseconds a tensor."""

    name = "dlpack"

    def describe(self, obj: Any) -> TensorDesc:
        """The description in the exported capsule; UnsupportedTensorError when the object refuses to export."""
        capsule = _export(obj, _no_wait(obj))
        tensor, read_only = _read(capsule)
        shape = tuple(tensor.shape[: tensor.ndim])
        return TensorDesc(
            pointer=(tensor.data or 0) + tensor.byte_offset,
            shape=shape,
            strides=tuple(tensor.strides[: tensor.ndim]) if tensor.strides else _row_major(shape),
            dtype=DType(tensor.code, tensor.bits, tensor.lanes),
            device=DeviceRef(tensor.device_kind, tensor.device_ordinal),
            read_only=read_only,
        )

    def signature(self, obj: Any) -> Hashable:
        """Everything in the description but the pointer."""
        desc = self.describe(obj)
        return desc.shape, desc.strides, desc.dtype, desc.device, desc.read_only

    def pointer(self, obj: Any) -> int:
        """Address of the first element."""
        return self.describe(obj).pointer

    def before_launch(self, obj: Any, stream: int, written: bool) -> None:
        """Let the exporter order its pending work before `stream`; refuse to write what is read-only."""
        kind = obj.__dlpack_device__()[0]
        if kind not in HOST_KINDS:
            _export(obj, 1 if kind in DEFAULT_STREAM_IS_1 and stream == 0 else stream)
        if written and self.describe(obj).read_only:
            raise UnsupportedTensorError(
                f"{articled(type(obj).__name__)} is read-only through DLPack and the kernel writes it"
            )


def _no_wait(obj: Any) -> int | None:
    """The stream argument that asks the exporter not to synchronise."""
    return None if obj.__dlpack_device__()[0] in HOST_KINDS else -1


def _export(obj: Any, stream: int | None) -> Any:
    try:
        try:
            return obj.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:  # an exporter from before DLPack 1.0
            return obj.__dlpack__(stream=stream)
    except Exception as error:
        raise UnsupportedTensorError(
            f"{articled(type(obj).__name__)} does not export through DLPack: {error}"
        ) from error


def _read(capsule: Any) -> tuple[_Tensor, bool]:
    """The tensor in a capsule (valid while the capsule lives) and whether it is read-only."""
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_get_pointer(capsule, b"dltensor_versioned"))
        if managed.major != 1:
            raise UnsupportedTensorError(f"DLPack {managed.major}.{managed.minor} is not supported, expected 1.x")
        return managed.tensor, bool(managed.flags & _READ_ONLY)
    if _is_valid(capsule, b"dltensor"):
        return _Tensor.from_address(_get_pointer(capsule, b"dltensor")), True
    raise UnsupportedTensorError(f"{capsule!r} is no DLPack capsule")


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(max(extent, 1) for extent in shape[mode + 1 :]) for mode in range(len(shape)))
