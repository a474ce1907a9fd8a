"""The pass `fly-canonicalize`: one kind of constructor for each kind of value.

Normal form: an int tuple comes from `fly.make_int_tuple`, a layout from `fly.make_layout` of two of these, a composed
layout from `fly.make_composed_layout`, a tensor of coordinates from `fly.make_view`, and tiles, swizzles and atoms that
are static from `fly.static`. What computes a static value is replaced by its constructors, in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.ir.effects import is_pure
from flydsl.ir.fly import MakeCoordOp, MakeIntTupleOp, MakeShapeOp, MakeStrideOp, StaticOp
from flydsl.ir.fly.types import CoordTensorType, PayloadType, is_static
from flydsl.passes.canonicalize import erase_dead
from flydsl.passes.normal_form import CONSTRUCTORS, is_built, static_value
from flydsl.passes.rewriting import create, functions, insert_before, operands_of, operations, replace
from flydsl.passes.switch import switch


@dataclass(frozen=True)
class FlyCanonicalize(ModulePass):
    """Bring constructors and static values into normal form.

    With `share=true`, a static value is built once in each block, which leaves fewer operations to the next passes.
    """

    name: ClassVar[str] = "fly-canonicalize"
    share: str = "false"

    def __post_init__(self) -> None:
        switch(self.name, "share", self.share)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        shares = switch(self.name, "share", self.share)
        for function in functions(op):
            normal = _NormalForm(shares=shares)
            for inner in operations(function):
                if len(inner.results) == 1 and _may_change(type(inner), type(inner.results[0].type)):
                    normal.visit(inner)
            erase_dead(function.regions[0])


class _NormalForm:
    """Rewrites one function; knows the static values it made, by block and type, if it shares them."""

    def __init__(self, *, shares: bool) -> None:
        self._shares = shares
        self._made: dict[tuple[Block, Attribute], SSAValue] = {}

    def visit(self, op: Operation) -> None:
        if not is_pure(op):
            return
        type_ = op.results[0].type
        if isinstance(op, MakeShapeOp | MakeStrideOp | MakeCoordOp):
            replace(op, [_insert(MakeIntTupleOp, operands_of(op), type_, op)])
            return
        is_normal = isinstance(op, StaticOp) and not is_built(type_)
        if is_static(type_) and not is_normal:
            replace(op, [self._static(type_, op)])

    def _static(self, type_: Attribute, at: Operation) -> SSAValue:
        block = at.parent
        assert block is not None
        known = self._made.get((block, type_))
        if known is None:
            known = static_value(type_, lambda op_class, operands, result: _insert(op_class, operands, result, at))
            if self._shares:
                self._made[block, type_] = known
        return known


@cache
def _may_change(op_class: type[Operation], result: type[Attribute]) -> bool:
    """Whether an operation of the class with a result of the class may be out of normal form: not a constructor."""
    is_constructor = issubclass(op_class, CONSTRUCTORS)
    return not is_constructor and issubclass(result, (PayloadType, CoordTensorType))


def _insert(op_class: type[Operation], operands: Sequence[SSAValue], type_: Attribute, at: Operation) -> SSAValue:
    made = create(op_class, operands, (type_,), location=at.location)
    insert_before(made, at)
    return made.results[0]
