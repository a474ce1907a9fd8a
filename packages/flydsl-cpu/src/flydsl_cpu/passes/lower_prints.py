"""The pass `cpu-lower-prints`: `gpu.printf` as calls of the C library's printf, one per line.

So the lines of threads do not mix. Each is followed by `fflush`: what a kernel printed is seen at once, also when
stdout is a file or a pipe.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FixedBitwidthType,
    IndexType,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    f64,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder, array_type, pointer_type
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.lowering.kernels import declare, kernel_name

_PRINTF = llvm.LLVMFunctionType([pointer_type()], i32, is_variadic=True)
_FFLUSH = llvm.LLVMFunctionType([pointer_type()], i32)
_CONVERSION = re.compile(r"%(?:(%)|([-+ #0-9.]*)(?:hh|h|ll|l|z|j|t)?([a-zA-Z]))")
_UNSIGNED = frozenset("ouxX")


@dataclass(frozen=True)
class LowerPrints(KernelPass):
    """Calls of `printf` and `fflush`, and the declarations and format strings that their module needs."""

    name = "cpu-lower-prints"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        prints = operations(kernel, ("gpu.printf",))
        if not prints:
            return
        external = llvm.LinkageAttr("external")
        declare(kernel, llvm.FuncOp("printf", _PRINTF, external))
        declare(kernel, llvm.FuncOp("fflush", _FFLUSH, external))
        for i, op in enumerate(prints):
            declare(kernel, _lower(op, f"{kernel_name(kernel)}_format_{i}"))


def _lower(op: Operation, symbol: str) -> Operation:
    text = op.properties.get("format") or op.attributes.get("format")
    assert isinstance(text, StringAttr), "gpu.printf has no format"
    build = LLVMBuilder.before_op(op)
    format_, arguments = _typed(build, text.data, op.operands)
    _call(build, "printf", (build.address_of(symbol), *arguments), {"var_callee_type": _PRINTF})
    _call(build, "fflush", (build.raw("llvm.mlir.zero", (), (pointer_type(),)).results[0],))
    erase(op)
    data = format_.encode() + b"\0"
    return llvm.GlobalOp(array_type(len(data), i8), symbol, "internal", constant=True, value=StringAttr(data.decode()))


def _call(
    build: LLVMBuilder, name: str, operands: Sequence[SSAValue], properties: Mapping[str, Attribute] | None = None
) -> None:
    sizes = {
        "op_bundle_sizes": DenseArrayBase.from_list(i32, []),
        "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(operands), 0]),
    }
    build.create(
        llvm.CallOp, operands, (i32,), properties={"callee": SymbolRefAttr(name), **(properties or {}), **sizes}
    )


def _typed(build: LLVMBuilder, text: str, operands: Sequence[SSAValue]) -> tuple[str, list[SSAValue]]:
    """The format with the length that each argument has in C, and the arguments as C passes them."""
    values = iter(operands)
    arguments: list[SSAValue] = []

    def conversion(match: re.Match[str]) -> str:
        if match.group(1):
            return match.group()
        arguments.append(_argument(build, next(values), unsigned=match.group(3) in _UNSIGNED))
        length = "ll" if arguments[-1].type == i64 else ""
        return f"%{match.group(2)}{length}{match.group(3)}"

    return _CONVERSION.sub(conversion, text), arguments


def _argument(build: LLVMBuilder, value: SSAValue, *, unsigned: bool) -> SSAValue:
    type_ = value.type
    if isinstance(type_, IndexType):
        return build.integer_cast(value, i64)
    if isinstance(type_, IntegerType):
        if type_.width.data in (32, 64):
            return value
        wide = i32 if type_.width.data < 32 else i64
        return build.zero_extend(value, wide) if unsigned or type_.width.data == 1 else build.integer_cast(value, wide)
    if isinstance(type_, FixedBitwidthType) and type_.bitwidth < 64:
        return build.value(arith.ExtFOp, (value,), f64)
    return value
