"""`gpu.printf` in, calls of the C library's printf out."""

from __future__ import annotations

import re

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
from xdsl.ir import Block, Operation, SSAValue

from flydsl.ir.upstream import GPUFuncOp
from flydsl.passes.rewriting import erase
from flydsl.passes.to_llvm.builder import LLVMBuilder, array_type, pointer_type

__all__ = ["lower_prints"]

_CONVERSION = re.compile(r"%([-+ #0-9.*]*)(hh|h|ll|l|z|j|t)?([diouxX])")


def lower_prints(body: Block) -> list[Operation]:
    """Replace the prints in `body`; the declarations and format strings that its module needs."""
    prints = [op for op in body.walk() if op.name == "gpu.printf"]
    if not prints:
        return []
    kernel = body.parent_op()
    assert isinstance(kernel, GPUFuncOp)
    prefix = kernel.sym_name.data
    type_ = llvm.LLVMFunctionType([pointer_type()], i32, is_variadic=True)
    printf = llvm.FuncOp("printf", type_, llvm.LinkageAttr("external"))
    return [printf, *(_lower(op, f"{prefix}_format_{i}") for i, op in enumerate(prints))]


def _lower(op: Operation, symbol: str) -> Operation:
    text = op.properties.get("format") or op.attributes.get("format")
    assert isinstance(text, StringAttr), "gpu.printf has no format"
    build = LLVMBuilder.before_op(op)
    arguments = [_argument(build, value) for value in op.operands]
    build.create(
        llvm.CallOp,
        (build.address_of(symbol), *arguments),
        (i32,),
        properties={
            "callee": SymbolRefAttr("printf"),
            "var_callee_type": llvm.LLVMFunctionType([pointer_type()], i32, is_variadic=True),
            "op_bundle_sizes": DenseArrayBase.from_list(i32, []),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [1 + len(arguments), 0]),
        },
    )
    erase(op)
    # All integers are passed as 64 bits, so their conversions must say so.
    data = _CONVERSION.sub(r"%\1ll\3", text.data).encode() + b"\0"
    return llvm.GlobalOp(array_type(len(data), i8), symbol, "internal", constant=True, value=StringAttr(_escaped(data)))


def _argument(build: LLVMBuilder, value: SSAValue) -> SSAValue:
    type_ = value.type
    if isinstance(type_, IndexType):
        return build.integer_cast(value, i64)
    if isinstance(type_, IntegerType):
        if type_.width.data == 1:
            return build.zero_extend(value, i64)
        return build.integer_cast(value, i64)
    if isinstance(type_, FixedBitwidthType) and type_.bitwidth < 64:
        return build.value(arith.ExtFOp, (value,), f64)
    return value


def _escaped(data: bytes) -> str:
    return data.decode("latin-1")
