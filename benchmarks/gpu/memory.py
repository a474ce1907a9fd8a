"""Memory of a GPU that somebody else has allocated, as arguments of kernels; or none, to compile for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from flydsl.adaptors.dtypes import DTYPES
from flydsl.plugins import DeviceRef, TensorAdaptor, TensorAdaptorManifest, TensorDesc, register_tensor_adaptor

CUDA = 2  # the number of such memory in DLPack
_NOWHERE = 1 << 20  # the address of memory that is only compiled for: as aligned as the driver's


@dataclass(frozen=True)
class Memory:
    """Contiguous elements at an address."""

    shape: tuple[int, ...]
    dtype: str
    address: int = _NOWHERE
    kind: int = CUDA
    ordinal: int = 0

    @classmethod
    def of(cls, tensor: Any) -> Memory:
        """The memory of one of torch's tensors, which must be kept."""
        assert tensor.is_contiguous()
        return cls(
            tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), tensor.data_ptr(), CUDA, tensor.device.index
        )


class _Adaptor(TensorAdaptor):
    name = "memory"

    def describe(self, obj: Any) -> TensorDesc:
        strides, step = [], 1
        for extent in reversed(obj.shape):
            strides.append(step)
            step *= extent
        where = DeviceRef(obj.kind, obj.ordinal)
        return TensorDesc(obj.address, obj.shape, tuple(reversed(strides)), DTYPES[obj.dtype], where)

    def signature(self, obj: Any) -> Hashable:
        return obj.shape, obj.dtype, obj.kind, obj.ordinal

    def pointer(self, obj: Any) -> int:
        return int(obj.address)


def register() -> None:
    """Let kernels take Memory."""
    register_tensor_adaptor(
        TensorAdaptorManifest(name=_Adaptor.name, factory=_Adaptor, claims=lambda cls: cls is Memory, priority=100)
    )
