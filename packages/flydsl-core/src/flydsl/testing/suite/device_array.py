"""Device arrays with a tensor adaptor: the elements of NumPy arrays in device memory, as kernel arguments."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from flydsl.adaptors.dtypes import DTYPES
from flydsl.plugins.manifests import TensorAdaptorManifest
from flydsl.plugins.tensor_adaptor import DeviceRef, TensorAdaptor, TensorDesc
from flydsl.runtime.buffer import Buffer
from flydsl.runtime.device import Device

Array = np.ndarray[Any, Any]


class DeviceArray:
    """A view into a device buffer that holds the elements of `base`; `host` is the same view into `base`."""

    def __init__(self, buffer: Buffer, base: Array, host: Array, kind: int) -> None:
        self.buffer, self.base, self.host, self.kind = buffer, base, host, kind

    @classmethod
    def copy_of(cls, values: Array, device: Device, kind: int) -> DeviceArray:
        """Copy `values` to `device`, whose DLPack device type is `kind`."""
        base = np.ascontiguousarray(values).reshape(np.shape(values))
        buffer = device.allocate(max(base.nbytes, 1))
        buffer.copy_from(base.tobytes())
        return cls(buffer, base, base, kind)

    def view(self, function: Callable[[Array], Array]) -> DeviceArray:
        """Another view of the same memory, such as `array.view(lambda a: a[::2])`."""
        return DeviceArray(self.buffer, self.base, function(self.host), self.kind)

    @property
    def offset(self) -> int:
        """Bytes from the begin of the buffer to the first element."""
        return int(self.host.ctypes.data - self.base.ctypes.data) if self.host.size else 0

    def numpy(self) -> Array:
        """The elements now, on the host."""
        data = bytearray(self.buffer.size)
        self.buffer.copy_to(data)
        return np.ndarray(self.host.shape, self.host.dtype, data, self.offset, self.host.strides)


class DeviceArrayAdaptor(TensorAdaptor):
    """Reads DeviceArray."""

    name = "conformance"

    def describe(self, obj: Any) -> TensorDesc:
        """As NumPy describes the host's view."""
        host = obj.host
        strides = tuple(stride // host.itemsize for stride in host.strides)
        device = DeviceRef(obj.kind, obj.buffer.device.ordinal)
        return TensorDesc(self.pointer(obj), host.shape, strides, DTYPES[host.dtype.name], device)

    def signature(self, obj: Any) -> Hashable:
        """dtype, shape, strides and device."""
        return obj.host.dtype, obj.host.shape, obj.host.strides, obj.buffer.device.ordinal

    def pointer(self, obj: Any) -> int:
        """Address of the first element."""
        return int(obj.buffer.handle) + int(obj.offset)


def adaptor_manifest() -> TensorAdaptorManifest:
    """The manifest for DeviceArray."""
    return TensorAdaptorManifest(
        name=DeviceArrayAdaptor.name, factory=DeviceArrayAdaptor, claims=lambda cls: cls is DeviceArray, priority=100
    )
