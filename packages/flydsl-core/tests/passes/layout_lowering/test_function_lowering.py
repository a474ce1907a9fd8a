"""The function under lowering: what values became, and the way back to SSA."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import UnrealizedConversionCastOp, i32
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block

from flydsl.base.errors import IRError
from flydsl.ir.parse import parse_type
from flydsl.layout import Layout, Swizzle, parse_layout
from flydsl.passes.layout_lowering.function_lowering import FunctionLowering
from flydsl.passes.layout_lowering.tensor_values import Pointer, View

POINTER = "!fly.ptr<f32, global, align<16>>"


@pytest.fixture
def block() -> Block:
    made = Block(arg_types=[i32, parse_type(POINTER)])
    made.add_op(ReturnOp())
    return made


@pytest.fixture
def program(block: Block) -> FunctionLowering:
    program = FunctionLowering(block)
    assert block.first_op is not None
    program.emitter.anchor = block.first_op
    return program


def names(block: Block) -> list[str]:
    return [op.name for op in block.ops]


def argument(text: str) -> Block:
    return Block(arg_types=[parse_type(text)])


def test_arguments_are_what_their_types_say(program: FunctionLowering, block: Block) -> None:
    assert program.value(block.args[1]) == Pointer(block.args[1])
    assert program.value(argument("!fly.layout<(4,2):(2,1)>").args[0]) == Layout((4, 2), (2, 1))
    coords = program.value(argument("!fly.coord_tensor<(0,1), (4,8):(1E0,1E1)>").args[0])
    assert coords == View((0, 1), parse_layout("(4,8):(1E0,1E1)"))
    with pytest.raises(IRError, match="has no definition to lower: run fly-rewrite-func-signature first"):
        program.value(argument("!fly.layout<?:1>").args[0])


def test_a_recorded_result_is_read_back_and_its_operation_goes(program: FunctionLowering) -> None:
    op = UnrealizedConversionCastOp.create(result_types=[parse_type("!fly.layout<?:1>")])
    program.set(op, "lowered")
    assert program.value(op.results[0]) == "lowered"
    assert program.lowered == [op]


def test_static_values_are_made_once_in_normal_form(program: FunctionLowering, block: Block) -> None:
    one, again, other = (program.ssa(Layout(4, stride)) for stride in (1, 1, 2))
    assert one is again
    assert one is not other
    parts = ["fly.make_int_tuple"] * 2 + ["fly.make_layout"]
    assert names(block) == [*parts, parts[0], parts[2], "func.return"]  # the shape is made once
    assert str(program.ssa(7).type) == "!fly.int_tuple<7>"


def test_a_dynamic_layout_is_made_of_two_tuples(program: FunctionLowering, block: Block) -> None:
    n = program.emitter.wrap(block.args[0])
    layout = Layout((n, 4), (4, 1))
    made = program.ssa(layout)
    assert str(made.type) == "!fly.layout<(?,4):(4,1)>"
    assert program.ssa(layout) is made
    assert names(block).count("fly.make_layout") == 1


def test_offsets_of_a_pointer_are_added_dynamic_first(program: FunctionLowering, block: Block) -> None:
    pointer = Pointer(block.args[1]).moved(4).moved(program.emitter.wrap(block.args[0]))
    made = program.pointer(pointer)
    assert program.pointer(pointer) is made
    assert names(block).count("fly.add_offset") == 2
    last = made.owner
    assert str(last.operands[1].type) == "!fly.int_tuple<4>"  # type: ignore[union-attr]
    assert program.pointer(Pointer(block.args[1])) is block.args[1]


def test_a_pointer_takes_the_type_that_is_wanted_and_its_swizzle(program: FunctionLowering, block: Block) -> None:
    weaker = parse_type("!fly.ptr<f32, global>")
    assert program.ssa(Pointer(block.args[1]), weaker).type == weaker
    assert "fly.recast_iter" in names(block)
    swizzled = program.pointer(Pointer(block.args[1], swizzle=Swizzle(1, 4, 3)))
    assert "S<1,4,3>" in str(swizzled.type)


def test_a_view_is_made_of_pointer_and_layout(program: FunctionLowering, block: Block) -> None:
    made = program.ssa(View(Pointer(block.args[1]), Layout((4, 2), (2, 1))))
    assert str(made.type) == "!fly.memref<f32, global, (4,2):(2,1), align<16>>"
    assert "fly.make_view" in names(block)
