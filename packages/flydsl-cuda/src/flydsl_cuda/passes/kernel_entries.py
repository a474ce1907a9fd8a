"""The pass `nvvm-kernel-entries`: kernels become functions of LLVM's dialect, still in their gpu.module.

MLIR's own lowering of a gpu.func drops `llvm.byval` of arguments and refuses `nvvm.grid_constant`. What is left in the
bodies is lowered by MLIR as in a gpu.func.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import gpu, llvm
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, UnitAttr, VectorType, i64
from xdsl.ir import Attribute, BlockArgument, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from flydsl.backend.atoms import FlyType, text_of
from flydsl.backend.dialect import upstream_op
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.rewriting import erase, insert_before

_KERNEL = "gpu.kernel"
_ARGUMENTS = "arg_attrs"
_FunctionOp = upstream_op("llvm.func")
_FRAME = ("sym_name", "function_type", _KERNEL, _ARGUMENTS)


@dataclass(frozen=True)
class NvvmKernelEntries(ModulePass):
    """Turn every gpu.func that is a kernel into an llvm.func."""

    name: ClassVar[str] = "nvvm-kernel-entries"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for module in op.body.block.ops:
            if isinstance(module, gpu.ModuleOp):
                for function in list(module.body.block.ops):
                    if function.name == "gpu.func" and _KERNEL in function.attributes:
                        _convert(function)


@dataclass(frozen=True, eq=False, repr=False)
class _KernelType(FlyType):
    """`!llvm.func<void (...)>` of any types: xDSL's own knows structs with names only."""

    name: ClassVar[str] = "llvm.func"
    inputs: tuple[Attribute, ...]

    def body(self) -> str:
        return f"void ({', '.join(map(text_of, self.inputs))})"


def _convert(kernel: Operation) -> None:
    """Make the llvm.func in the place of a kernel, with its body, attributes and those of its arguments."""
    body = kernel.detach_region(kernel.regions[0])
    for block in body.blocks:
        if (last := block.last_op) is not None and last.name == "gpu.return":
            insert_before(llvm.ReturnOp(), last)
            erase(last)
    for argument in tuple(body.blocks[0].args):
        _convert_argument(argument)
    properties = {
        "sym_name": kernel.get_attr_or_prop("sym_name"),
        "function_type": _KernelType(tuple(body.blocks[0].arg_types)),
        "CConv": llvm.CallingConventionAttr("ccc"),
        "linkage": llvm.LinkageAttr("external"),
        "visibility_": IntegerAttr(0, i64),
        _ARGUMENTS: kernel.get_attr_or_prop(_ARGUMENTS),
    }
    function = _FunctionOp.create(
        properties={name: value for name, value in properties.items() if value is not None},
        attributes={name: value for name, value in kernel.attributes.items() if name not in _FRAME}
        | {"nvvm.kernel": UnitAttr()},
        regions=[body],
        location=kernel.location,
    )
    insert_before(function, kernel)
    erase(kernel)


def _convert_argument(argument: BlockArgument) -> None:
    """LLVM's functions take neither indices nor vectors of several dimensions."""
    type_ = argument.type
    block = argument.block
    assert block.first_op is not None
    build = LLVMBuilder(block, block.first_op)
    if isinstance(type_, IndexType):
        _replace(argument, i64, build, "arith.index_cast")
    elif isinstance(type_, VectorType) and type_.get_num_dims() > 1:
        _replace(argument, VectorType(type_.element_type, [type_.element_count()]), build, "vector.shape_cast")


def _replace(argument: BlockArgument, type_: Attribute, build: LLVMBuilder, cast: str) -> None:
    original = argument.type
    new = Rewriter.replace_value_with_new_type(argument, type_)
    uses = list(new.uses)
    value = build.raw(cast, (new,), (original,)).results[0]
    for use in uses:
        use.operation.operands[use.index] = value
