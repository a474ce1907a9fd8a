"""Types, operations of one line and their treatment: for the tests of effects."""

from __future__ import annotations

from effects_target import EFFECTS_TARGET
from xdsl.ir import Operation

from flydsl.ir.context import create_context
from flydsl.ir.effects import is_erasable, is_pure
from flydsl.ir.parse import parse_module

TENSOR = "!fly.memref<f32, global, 4:1>"
POINTER = "!fly.ptr<f32, global>"

PURE, ERASABLE, STAYS = "pure", "erasable", "stays"


def kind(op: Operation) -> str:
    assert not is_pure(op) or is_erasable(op)
    return PURE if is_pure(op) else ERASABLE if is_erasable(op) else STAYS


def last_op(text: str, *types: str) -> Operation:
    """The last operation of a body with the operands %0, %1, ... of these types."""
    arguments = ", ".join(f"%{index} : {type_}" for index, type_ in enumerate(types))
    source = f'"func.func"() ({{ ^bb0({arguments}): {text} }}) {{sym_name = "f", function_type = () -> ()}} : () -> ()'
    context = create_context([EFFECTS_TARGET])
    module = parse_module(source, context, check=False)
    (function,) = module.body.block.ops
    found = function.regions[0].block.last_op
    assert found is not None
    return found
