"""A framework of nobody's: tensors that export DLPack's exchange API in C, and an adaptor that says so."""

from __future__ import annotations

import ctypes
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, ClassVar

from flydsl.plugins import DeviceRef, DType, ExchangeRead, TensorAdaptor, TensorAdaptorManifest, TensorDesc
from flydsl.plugins.registry import registry


class DlTensor(ctypes.Structure):
    """`DLTensor` of DLPack."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class ExchangeApi(ctypes.Structure):
    """`DLPackExchangeAPI`: version, older one, then functions, of which the fourth describes a tensor."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("unused", ctypes.c_void_p * 3),
        ("describe", ctypes.c_void_p),
        ("current_work_stream", ctypes.c_void_p),
    )


class ToyTensor:
    """Floats in memory of its own, from byte `offset` on. What `broken` names is wrong in its description."""

    def __init__(
        self, shape: Sequence[int], *, kind: int = 1, dtype: tuple[int, int, int] = (2, 32, 1), offset: int = 0
    ) -> None:
        self.shape, self.kind, self.code, self.offset, self.broken = tuple(shape), kind, dtype, offset, ""
        self.dtype = "toy"
        self.is_frozen, self.is_hidden, self.writes = False, False, 0
        self.memory = (ctypes.c_float * (prod(shape) + offset // 4 + 1))()
        self.c_shape = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        self.c_strides = (ctypes.c_int64 * max(1, len(shape)))(*self.strides)

    @property
    def strides(self) -> tuple[int, ...]:
        """Row-major, in elements."""
        return tuple(prod(self.shape[mode + 1 :]) for mode in range(len(self.shape)))

    @property
    def pointer(self) -> int:
        """Address of the first element."""
        return ctypes.addressof(self.memory) + self.offset

    def hidden(self) -> bool:
        """Whether kernels must not see it."""
        return self.is_hidden


_DESCRIBE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DlTensor))


@_DESCRIBE
def describe(tensor: ToyTensor, out: Any) -> int:
    """What the framework's own code does in C."""
    if tensor.broken == "error":
        return -1
    found = out.contents
    found.data = None if tensor.broken == "null" else ctypes.addressof(tensor.memory)
    found.device[:] = tensor.kind, 1 if tensor.kind != 1 else 0
    found.ndim = -1 if tensor.broken == "ndim" else 100_000 if tensor.broken == "many modes" else len(tensor.shape)
    found.code, found.bits, found.lanes = tensor.code
    found.shape = None if tensor.broken == "shape" else ctypes.addressof(tensor.c_shape)
    found.strides = None if tensor.broken == "strides" else ctypes.addressof(tensor.c_strides)
    found.byte_offset = tensor.offset
    return 0


def capsule(api: ExchangeApi, name: bytes = b"dlpack_exchange_api") -> Any:
    """The capsule of an API; the name and the API must outlive it."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.addressof(api), name, None)


_WORK_STREAM = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Streams:
    """The streams that are current, by the kind and number of their device, and what was asked of them."""

    current: ClassVar[dict[tuple[int, int], int]] = {}
    asked = 0


@_WORK_STREAM
def current_work_stream(kind: int, ordinal: int, out: Any) -> int:
    """What the framework's own code does in C; -1 for devices without a stream."""
    Streams.asked += 1
    out[0] = Streams.current.get((kind, ordinal))
    return 0 if (kind, ordinal) in Streams.current else -1


def exchange_api(
    major: int = 1, previous: ExchangeApi | None = None, *, has_function: bool = True, has_streams: bool = True
) -> ExchangeApi:
    """An API of a version of DLPack."""
    function = ctypes.cast(describe, ctypes.c_void_p) if has_function else None
    older = None if previous is None else ctypes.addressof(previous)
    streams = ctypes.cast(current_work_stream, ctypes.c_void_p) if has_streams else None
    return ExchangeApi(major=major, minor=3, previous=older, describe=function, current_work_stream=streams)


_API = exchange_api()
ToyTensor.__dlpack_c_exchange_api__ = capsule(_API)  # type: ignore[attr-defined]


class ToyAdaptor(TensorAdaptor):
    """Refuses hidden tensors, and frozen ones that are written; counts writes."""

    name = "toy"
    stream = 0
    streams = False

    def native_read(self, cls: type[object]) -> ExchangeRead | None:
        return ExchangeRead(
            never=("hidden",),
            never_written=("is_frozen",),
            shared=(DType(0, 8),),
            written=self.note_written,
            streams=self.streams,
        )

    def note_written(self, tensors: Sequence[ToyTensor]) -> None:
        """What replaces `after_launch`."""
        for tensor in tensors:
            tensor.writes += 1

    def describe(self, obj: Any) -> TensorDesc:
        return TensorDesc(
            obj.pointer, obj.shape, obj.strides, DType(*obj.code), DeviceRef(obj.kind, int(obj.kind != 1))
        )

    def signature(self, obj: Any) -> Hashable:
        return obj.shape, obj.code, obj.kind, obj.dtype, obj.is_frozen, obj.hidden()

    def pointer(self, obj: Any) -> int:
        return int(obj.pointer)

    def current_stream(self, device: DeviceRef) -> int:
        return self.stream

    def after_launch(self, obj: Any, stream: int, written: bool) -> None:
        if written:
            obj.writes += 1


@contextmanager
def registered(adaptor: TensorAdaptor, cls: type[object] = ToyTensor) -> Iterator[None]:
    """Within the block, tensors of a type are read by `adaptor`."""
    tables = registry.tables
    manifest = TensorAdaptorManifest(
        name=adaptor.name, factory=lambda: adaptor, claims=lambda found: found is cls, priority=1000
    )
    registry.change(lambda tables: tables.with_manifest(manifest))
    try:
        yield
    finally:
        registry.swap(tables)
