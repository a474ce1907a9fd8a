"""Memory of a GPU that somebody else has allocated, as arguments of kernels; or none, to compile for."""

from __future__ import annotations

from collections.abc import Hashable
from math import prod
from typing import Any

from flydsl.adaptors.dtypes import DTYPES
from flydsl.plugins import DeviceRef, TensorAdaptor, TensorAdaptorManifest, TensorDesc, register_tensor_adaptor

CUDA = 2  # the number of such memory in DLPack
_NOWHERE = 1 << 20  # the address of memory that is only compiled for: as aligned as the driver's


class Memory:
    """Elements at an address, contiguous or, of a matrix, its transpose that is; no dataclass, whose fields would be
    arguments.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: str,
        address: int = _NOWHERE,
        kind: int = CUDA,
        ordinal: int = 0,
        is_transposed: bool = False,
    ) -> None:
        self.shape, self.dtype, self.address = shape, dtype, address
        self.kind, self.ordinal, self.is_transposed = kind, ordinal, is_transposed

    @classmethod
    def of(cls, tensor: Any) -> Memory:
        """The memory of one of torch's tensors, which must be kept."""
        is_transposed = not tensor.is_contiguous()
        assert not is_transposed or tensor.t().is_contiguous()
        dtype = str(tensor.dtype).removeprefix("torch.")
        return cls(tuple(tensor.shape), dtype, tensor.data_ptr(), CUDA, tensor.device.index, is_transposed)

    def first(self, count: int) -> Memory:
        """So many elements at the beginning."""
        return Memory((count,), self.dtype, self.address, self.kind, self.ordinal)


class _Adaptor(TensorAdaptor):
    name = "memory"

    def describe(self, obj: Any) -> TensorDesc:
        shape = obj.shape[::-1] if obj.is_transposed else obj.shape
        steps = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
        strides = steps[::-1] if obj.is_transposed else steps
        where = DeviceRef(obj.kind, obj.ordinal)
        return TensorDesc(obj.address, obj.shape, strides, DTYPES[obj.dtype], where)

    def signature(self, obj: Any) -> Hashable:
        return obj.shape, obj.dtype, obj.kind, obj.ordinal, obj.is_transposed

    def pointer(self, obj: Any) -> int:
        return int(obj.address)


def register() -> None:
    """Let kernels take Memory."""
    register_tensor_adaptor(
        TensorAdaptorManifest(name=_Adaptor.name, factory=_Adaptor, claims=lambda cls: cls is Memory, priority=100)
    )
