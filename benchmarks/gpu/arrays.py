"""NumPy arrays as arguments of kernels on a GPU: their memory goes there with each call and comes back."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from flydsl.adaptors.dtypes import DTYPES
from flydsl.plugins import DeviceRef, TensorAdaptor, TensorAdaptorManifest, TensorDesc, register_tensor_adaptor
from flydsl.runtime.buffer import Buffer
from flydsl.runtime.device import Device

_NOWHERE = 1 << 20
"""The address of memory that is only compiled for: as aligned as the driver's."""


class OnDevice:
    """A NumPy array whose whole memory has a copy on a device; `host` may be a view into it."""

    def __init__(self, host: np.ndarray[Any, Any], device: Device | None, kind: int) -> None:
        self.host, self.kind = host, kind
        self.whole = _whole(host)
        self.ordinal = device.ordinal if device is not None else 0
        self._buffer: Buffer | None = device.allocate(max(1, self.whole.nbytes)) if device is not None else None
        if self._buffer is not None and self.whole.nbytes:
            self._buffer.copy_from(_bytes(self.whole))

    @property
    def address(self) -> int:
        """Of the first element."""
        start = int(self._buffer.handle) if self._buffer is not None else _NOWHERE
        return start + int(self.host.ctypes.data - self.whole.ctypes.data)

    def bring_back(self) -> None:
        """Copy the memory back, and release that of the device."""
        if self._buffer is not None:
            if self.whole.nbytes and self.whole.flags.writeable:
                self._buffer.copy_to(_bytes(self.whole))
            self._buffer.close()


class _Adaptor(TensorAdaptor):
    """Reads OnDevice."""

    name = "on-device"

    def describe(self, obj: Any) -> TensorDesc:
        host = obj.host
        strides = tuple(stride // host.itemsize for stride in host.strides)
        return TensorDesc(
            obj.address,
            host.shape,
            strides,
            DTYPES[host.dtype.name],
            DeviceRef(obj.kind, obj.ordinal),
            read_only=not host.flags.writeable,
        )

    def signature(self, obj: Any) -> Hashable:
        return obj.host.dtype, obj.host.shape, obj.host.strides, obj.host.flags.writeable, obj.ordinal

    def pointer(self, obj: Any) -> int:
        return int(obj.address)


def register() -> None:
    """Let kernels take OnDevice."""
    claims: Callable[[type[object]], bool] = lambda cls: cls is OnDevice  # noqa: E731
    register_tensor_adaptor(TensorAdaptorManifest(name=_Adaptor.name, factory=_Adaptor, claims=claims, priority=100))


def _bytes(array: np.ndarray[Any, Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _whole(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that owns the memory, contiguous."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    assert array.flags.c_contiguous, "the memory of an argument has gaps"
    return array
