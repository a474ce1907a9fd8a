"""The pass `nvvm-mark-tensor-maps`: tensor maps among the arguments of kernels, which are passed by value.

They are parameters of 128 bytes, in the kernel's own memory. It runs before `convert-fly-to-nvvm`, while the types of
arguments tell which are tensor maps.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, UnitAttr, i8, i64
from xdsl.ir import Attribute, Operation

from flydsl.backend.ir import PointerType
from flydsl.backend.llvm import array_type
from flydsl.backend.passes import KernelPass
from flydsl.backend.runtime import TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES
from flydsl_cuda.dialect import TENSOR_MAP

_ARGUMENTS = "arg_attrs"


@dataclass(frozen=True)
class MarkTensorMaps(KernelPass):
    """Attributes of arguments that are tensor maps, by which LLVM passes them by value."""

    name = "nvvm-mark-tensor-maps"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        if "gpu.kernel" in kernel.attributes:
            mark_tensor_maps(kernel)


def mark_tensor_maps(kernel: Operation) -> None:
    """Give the arguments of a kernel that are tensor maps these attributes."""
    arguments = kernel.regions[0].blocks[0].args
    are_maps = [isinstance(one.type, PointerType) and one.type.space == TENSOR_MAP for one in arguments]
    if not any(are_maps):
        return
    store = kernel.properties if _ARGUMENTS in kernel.properties else kernel.attributes
    known = store.get(_ARGUMENTS)
    given = list(known.data) if isinstance(known, ArrayAttr) else [DictionaryAttr({})] * len(arguments)
    by_value: dict[str, Attribute] = {
        "llvm.byval": array_type(TENSOR_MAP_BYTES, i8),
        "llvm.align": IntegerAttr(TENSOR_MAP_ALIGNMENT, i64),
        "nvvm.grid_constant": UnitAttr(),
    }
    store[_ARGUMENTS] = ArrayAttr(
        [
            DictionaryAttr({**one.data, **by_value}) if is_map else one
            for one, is_map in zip(given, are_maps, strict=True)
        ]
    )
