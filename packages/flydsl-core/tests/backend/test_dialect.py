"""Operations of a stranger's dialect: fields, effects and operations of MLIR by name."""

from __future__ import annotations

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation

from flydsl.backend.dialect import BY_OPERANDS, PURE, WRITE, Attr, FlyOp, Operand, integer, integer_array, upstream_op
from flydsl.backend.ir import PointerType
from flydsl.backend.rewriting import effects_of, is_pure
from flydsl.backend.text import parse_type


class WeighOp(FlyOp):
    name = "tiny.weigh"
    traits = PURE
    piece = Operand()
    scale = Attr(int)


class StrikeOp(FlyOp):
    name = "tiny.strike"
    traits = BY_OPERANDS
    anvil, force = Operand(WRITE), Operand()


def test_fields_are_found_by_their_names() -> None:
    (piece,) = Block(arg_types=[i32]).args
    weigh = WeighOp.create(operands=[piece], result_types=[i32], attributes={"scale": integer(3, 32)})
    assert weigh.piece is piece
    assert weigh.scale == 3


def test_effects_are_those_of_the_declaration() -> None:
    pointer = parse_type("!fly.ptr<f32, global>")
    assert isinstance(pointer, PointerType)
    anvil, force = Block(arg_types=[pointer, i32]).args
    strike = StrikeOp.create(operands=[anvil, force])
    assert not is_pure(strike)
    assert is_pure(WeighOp.create(operands=[force], result_types=[i32]))
    effects = effects_of(strike)
    assert effects is not None
    assert [effect.value for effect in effects] == [anvil]


def test_operations_that_have_no_class_get_one_by_name() -> None:
    assert issubclass(upstream_op("tiny.other"), Operation)
    assert upstream_op("tiny.other").name == "tiny.other"
    assert list(integer_array(1, 2, 3).get_values()) == [1, 2, 3]  # type: ignore[attr-defined]
