"""The pass `fly-layout-lowering`: layout algebra evaluated on values, down to pointer operations and `arith`.

One forward walk a function. An operation is looked up by its class and turned into a value (a layout with dynamic
leaves, a pointer with an offset, a tensor); nothing is emitted until an operation that survives needs it, at the place
where the value was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation, Region
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from flydsl.base.errors import IRError, LayoutError
from flydsl.ir.fly import Fly
from flydsl.ir.fly.infer import ALGEBRA
from flydsl.passes.layout_lowering import algebra, atoms, copy_and_gemm, print, tensors, vectors
from flydsl.passes.layout_lowering.function_lowering import FunctionLowering
from flydsl.passes.located import with_location
from flydsl.passes.rewriting import block_ops, erase, functions
from flydsl.passes.switch import switch

_MAY_WRAP = arith.IntegerOverflowAttr("none")


@dataclass(frozen=True)
class FlyLayoutLowering(ModulePass):
    """Lower tensors and layouts to pointers and integers.

    With `exact=true`, indices of 32 bits are summed up and multiplied with `overflow<nsw>`, as is promised of tensors
    of the language: addresses then need no 64-bit arithmetic. Text without that promise is lowered without. An index is
    below 2^30, which a program's own `overflow<nsw>` does not say: it is taken away from numbers of 32 bits.
    """

    name: ClassVar[str] = "fly-layout-lowering"
    exact: str = "false"

    def __post_init__(self) -> None:
        switch(self.name, "exact", self.exact)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            body = function.regions[0]
            program = FunctionLowering(body.blocks[0], exact=switch(self.name, "exact", self.exact))
            _lower_region(program, body)
            _erase_lowered(program)


def _lower_region(program: FunctionLowering, region: Region) -> None:
    for block in region.blocks:
        with program.emitter.scope():
            for op in block_ops(block):
                program.emitter.anchor = op
                _lower(program, op)
                for inner in op.regions:
                    _lower_region(program, inner)


def _lower(program: FunctionLowering, op: Operation) -> None:
    handler = _HANDLERS.get(type(op))
    try:
        if handler is None:
            program.keep(op)
        else:
            handler(program, op)
    except (LayoutError, IRError, VerifyException) as error:
        raise with_location(error, op) from error


def _keep_arithmetic(program: FunctionLowering, op: Operation) -> None:
    if program.emitter.exact and op.results[0].type == i32 and "overflowFlags" in op.properties:
        op.properties["overflowFlags"] = _MAY_WRAP
    program.keep(op)


def _erase_lowered(program: FunctionLowering) -> None:
    for op in reversed(program.lowered):
        for result in op.results:
            if (use := result.first_use) is not None:
                raise IRError(f"{op.name} is gone after the lowering, but {use.operation.name} uses its result")
        erase(op)


def _algebra_handlers() -> dict[type[Operation], Any]:
    classes = {op.name: op for op in Fly.operations}
    return {
        classes[name]: tensors.lower_tensor_op if name in tensors.TENSOR_OPS else algebra.lower_algebra
        for name in ALGEBRA
    }


_HANDLERS: Mapping[type[Operation], Any] = {
    **dict.fromkeys((arith.AddiOp, arith.MuliOp), _keep_arithmetic),
    **_algebra_handlers(),
    **algebra.HANDLERS,
    **tensors.HANDLERS,
    **atoms.HANDLERS,
    **copy_and_gemm.HANDLERS,
    **vectors.HANDLERS,
    **print.HANDLERS,
}
