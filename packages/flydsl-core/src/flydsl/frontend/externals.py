"""External functions in a traced module: declarations, calls, and the bitcode that goes with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects import builtin, llvm
from xdsl.ir import Attribute, Block

from flydsl.base.bitcode import ATTRIBUTE, encode_bitcode
from flydsl.base.location import user_location


def external_type(operands: Sequence[Attribute], result: Attribute | None) -> llvm.LLVMFunctionType:
    """The type of a function of LLVM."""
    return llvm.LLVMFunctionType(list(operands), result)


def declare_externals(device: Block, types: Mapping[str, Attribute]) -> None:
    """A declaration for each function, behind the kernels."""
    for symbol, type_ in types.items():
        device.add_op(llvm.FuncOp(symbol, type_, linkage=llvm.LinkageAttr("external")))  # type: ignore[arg-type]


def emit_call(emitter: Any, symbol: str, operands: Sequence[Any], result: Attribute | None) -> Any:
    """A call at the insertion point, and its result."""
    op = llvm.CallOp(symbol, *operands, return_type=result)
    builder = emitter.builder
    builder.location = user_location()
    made = builder.create(llvm.CallOp, list(op.operands), list(op.result_types), properties=dict(op.properties))
    return made.results[0] if made.results else None


def bitcode_attributes(contents: Iterable[bytes]) -> dict[str, Attribute]:
    """The attribute of the gpu.module."""
    texts = [builtin.StringAttr(encode_bitcode(content)) for content in contents]
    return {ATTRIBUTE: builtin.ArrayAttr(texts)} if texts else {}
