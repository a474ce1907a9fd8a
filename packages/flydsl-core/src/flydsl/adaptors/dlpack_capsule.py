"""DLPack capsules: the C structures within, and what is checked before anything of them is believed.

An exporter is code of somebody else, in C or ctypes: a field that no tensor has is an error here, and a crash later.
"""

from __future__ import annotations

import ctypes
from itertools import accumulate
from math import prod

from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, TensorDesc

_READ_ONLY, _IS_COPIED, _IS_PADDED = 1, 2, 4
"""DLPACK_FLAG_BITMASK_READ_ONLY, IS_COPIED, IS_SUBBYTE_TYPE_PADDED."""
_MOST_MODES = 64
"""As many as NumPy has."""
_PAGE, _WORD, _ADDRESSES = 4096, 8, 1 << 64

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
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
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


def read_capsule(capsule: object) -> tuple[TensorDesc, bool]:
    """The tensor in a capsule, while the capsule lives, and whether it says to be a copy of what it was asked for.

    UnsupportedTensorError for what is no capsule of DLPack, and for a tensor that cannot be.
    """
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_structure("tensor", _get_pointer(capsule, b"dltensor_versioned")))
        if managed.major != 1:
            raise UnsupportedTensorError(f"DLPack {managed.major}.{managed.minor} is not supported, expected 1.x")
        _check_flags(managed.flags, managed.tensor.bits)
        return _described(managed.tensor, bool(managed.flags & _READ_ONLY)), bool(managed.flags & _IS_COPIED)
    if _is_valid(capsule, b"dltensor"):
        return _described(_Tensor.from_address(_structure("tensor", _get_pointer(capsule, b"dltensor"))), True), False
    raise UnsupportedTensorError(f"{capsule!r} is no DLPack capsule")


def _described(tensor: _Tensor, read_only: bool) -> TensorDesc:
    if not 0 <= tensor.ndim <= _MOST_MODES:
        raise _wrong(f"has {tensor.ndim} modes, expected 0 to {_MOST_MODES}")
    if tensor.bits == 0 or tensor.lanes == 0:
        raise _wrong(f"has elements of {tensor.lanes} lanes of {tensor.bits} bits")
    if tensor.device_ordinal < 0:
        raise _wrong(f"is on device {tensor.device_ordinal}")
    shape = _numbers("shape", tensor.shape, tensor.ndim)
    if any(extent < 0 for extent in shape):
        raise _wrong(f"has a negative extent in shape {shape!r}")
    strides = _numbers("strides", tensor.strides, tensor.ndim) if tensor.strides else _row_major(shape)
    data = tensor.data or 0
    if not data and 0 not in shape:
        raise _wrong(f"of shape {shape!r} has no memory, its address is null")
    desc = TensorDesc(
        pointer=data + tensor.byte_offset,
        shape=shape,
        strides=strides,
        dtype=DType(tensor.code, tensor.bits, tensor.lanes),
        device=DeviceRef(tensor.device_kind, tensor.device_ordinal),
        read_only=read_only,
    )
    low, size = desc.extent()
    if desc.pointer + low < 0 or desc.pointer + low + size > _ADDRESSES or prod(shape) >= _ADDRESSES >> 1:
        raise _wrong(
            f"of shape {shape!r} and strides {strides!r} at {desc.pointer:#x} reaches beyond the addresses there are"
        )
    return desc


def _numbers(what: str, address: int | None, count: int) -> tuple[int, ...]:
    return tuple((ctypes.c_int64 * count).from_address(_structure(what, address))) if count else ()


def _structure(what: str, address: int | None) -> int:
    """An address that may be one of a structure: not null, nor in the page there, and aligned."""
    if address is None or address < _PAGE or address % _WORD:
        raise _wrong(f"has its {what} at {address or 0:#x}, where no numbers can be")
    return address


def _check_flags(flags: int, bits: int) -> None:
    if unknown := flags & ~(_READ_ONLY | _IS_COPIED | _IS_PADDED):
        raise _wrong(f"has flags {unknown:#x}, which no version of DLPack up to 1.1 has")
    if flags & _IS_PADDED and bits < 8:
        raise _wrong(f"has elements of {bits} bits that are padded to a byte each; pass a packed copy")


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps = accumulate((max(extent, 1) for extent in reversed(shape[1:])), int.__mul__, initial=1)
    return tuple(steps)[::-1] if shape else ()


def _wrong(what: str) -> UnsupportedTensorError:
    return UnsupportedTensorError(f"the tensor of a DLPack capsule {what}")
