"""`AcmeArray`, a one-dimensional array of float32, and how kernels read it."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable
from typing import Any

from flydsl.backend.frameworks import DTYPES
from flydsl.plugins import DeviceKind, DeviceRef, TensorAdaptor, TensorDesc


class AcmeArray:
    """Floats in host memory."""

    def __init__(self, values: Iterable[float]) -> None:
        self.values = array("f", values)


class AcmeAdaptor(TensorAdaptor):
    """Reads AcmeArray; counts launches that wrote."""

    name = "acme"

    def __init__(self) -> None:
        self.writes = 0

    def describe(self, obj: Any) -> TensorDesc:
        """One mode of stride 1."""
        return TensorDesc(self.pointer(obj), (len(obj.values),), (1,), DTYPES["float32"], DeviceRef(DeviceKind.CPU))

    def signature(self, obj: Any) -> Hashable:
        """The length is all that varies."""
        return len(obj.values)

    def pointer(self, obj: Any) -> int:
        """Where the floats are."""
        address, _ = obj.values.buffer_info()
        return int(address)

    def after_launch(self, obj: Any, stream: int, written: bool) -> None:
        """Count."""
        self.writes += written
