"""Tensor maps among the arguments of kernels: parameters of 128 bytes that are in the kernel's own memory."""

from __future__ import annotations

from xdsl.dialects import gpu
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, UnitAttr, i8, i64
from xdsl.ir import Attribute, Operation

from flydsl.backend.ir import PointerType
from flydsl.backend.llvm import array_type
from flydsl.backend.runtime import TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES
from flydsl_cuda.dialect import TENSOR_MAP

_ARGUMENTS = "arg_attrs"


def mark_tensor_maps(module: ModuleOp) -> None:
    """Give the arguments of kernels that are tensor maps the attributes by which LLVM passes them by value."""
    for device in module.body.block.ops:
        if isinstance(device, gpu.ModuleOp):
            for function in device.body.block.ops:
                if function.name == "gpu.func" and "gpu.kernel" in function.attributes:
                    _mark(function)


def _mark(kernel: Operation) -> None:
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
