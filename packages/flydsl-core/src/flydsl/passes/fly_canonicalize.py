"""The pass `fly-canonicalize`: one kind of constructor, each static value made once.

Normal form: an int tuple comes from `fly.make_int_tuple`, any other static value from `fly.static`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.ir.effects import is_pure
from flydsl.ir.fly import MakeCoordOp, MakeIntTupleOp, MakeShapeOp, MakeStrideOp, StaticOp
from flydsl.ir.fly.types import CoordTensorType, IntTupleType, PayloadType, is_static
from flydsl.passes.canonicalize import erase_dead
from flydsl.passes.rewriting import functions, insert_before, operands_of, replace


@dataclass(frozen=True)
class FlyCanonicalize(ModulePass):
    """Bring constructors and static values into normal form."""

    name: ClassVar[str] = "fly-canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            normal = _NormalForm(function)
            for inner in list(function.walk()):
                normal.visit(inner)
            erase_dead(function.regions[0])


class _NormalForm:
    """Rewrites one function; remembers the static values it made at the start of it."""

    def __init__(self, function: Operation) -> None:
        self.entry = function.regions[0].blocks[0]
        self.statics: dict[Attribute, SSAValue] = {}

    def visit(self, op: Operation) -> None:
        if len(op.results) != 1 or not is_pure(op):
            return
        type_ = op.results[0].type
        if isinstance(type_, PayloadType | CoordTensorType) and is_static(type_):
            self.share(op, type_)
        elif isinstance(op, MakeShapeOp | MakeStrideOp | MakeCoordOp):
            made = MakeIntTupleOp.create(operands=operands_of(op), result_types=[type_], location=op.location)
            insert_before(made, op)
            replace(op, made.results)

    def share(self, op: Operation, type_: Attribute) -> None:
        found = self.statics.get(type_)
        makes = MakeIntTupleOp if isinstance(type_, IntTupleType) else StaticOp
        if found is None and op.parent is self.entry and isinstance(op, makes):
            self.statics[type_] = op.results[0]
            return
        if found is None:
            made = makes.create(result_types=[type_], location=op.location)
            first = self.entry.first_op
            assert first is not None
            insert_before(made, first)
            found = self.statics[type_] = made.results[0]
        replace(op, [found])
