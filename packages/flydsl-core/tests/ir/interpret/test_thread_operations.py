"""Operations that say where a thread is, that print, and that stop."""

from __future__ import annotations

import pytest
from xdsl.ir import Operation

from flydsl.base.errors import KernelError
from flydsl.ir.interpret import run
from flydsl.ir.interpret.interpreter import HANDLERS
from flydsl.ir.interpret.thread import Block, Thread
from flydsl.ir.parse import parse_module


def operation(text: str, name: str) -> Operation:
    return next(op for op in parse_module(text).walk() if op.name == name)


@pytest.mark.parametrize("name", ["thread_id", "block_id", "block_dim", "grid_dim"])
@pytest.mark.parametrize(("axis", "number"), [("x", 5), ("y", 6), ("z", 7)])
def test_a_number_along_an_axis_is_looked_up_by_operation(name: str, axis: str, number: int) -> None:
    function = operation(f"func.func @f() -> index {{ %0 = gpu.{name} {axis} func.return %0 : index }}", "func.func")
    assert run(function, [], {f"gpu.{name}": (5, 6, 7)}) == [number]


def test_a_global_number_counts_the_blocks_before() -> None:
    op = operation("%0 = gpu.global_id y", "gpu.global_id")
    thread = Thread((1, 2, 3), 0, Block((4, 5, 6), ((9, 9, 9), (7, 8, 9))), {})
    assert HANDLERS["gpu.global_id"](op)(thread) == 5 * 8 + 2


@pytest.mark.parametrize(("linear", "lane"), [(0, 0), (63, 63), (64, 0), (130, 2)])
def test_a_lane_is_the_number_in_the_wave(linear: int, lane: int) -> None:
    op = operation('%0 = "gpu.lane_id"() : () -> index', "gpu.lane_id")
    assert HANDLERS["gpu.lane_id"](op)(Thread((0, 0, 0), linear, Block(wave=64), {})) == lane


@pytest.mark.parametrize(
    ("form", "type_", "value", "text"),
    [
        ("x = {}", "i32", -5, "x = -5"),
        ("{:u}", "i8", -1, "4294967295"),
        ("{:x}", "i32", -1, "ffffffff"),
        ("{:.2f}", "f32", 1.125, "1.12"),
        ("{}", "f32", 0.5, "0.500000"),
        ("{}", "vector<3xi32>", [1, 2, 3], "[1,2,3]"),
        ("{}", "!fly.int_tuple<(4,(2,8))>", (4, (2, 8)), "(4,(2,8))"),
    ],
)
def test_values_are_printed_as_c_prints_them(
    capsys: pytest.CaptureFixture[str], form: str, type_: str, value: object, text: str
) -> None:
    source = f'func.func @f(%x: {type_}) {{ fly.print(%x) {{format = "{form}"}} : ({type_}) -> () func.return }}'
    run(operation(source, "func.func"), [value])
    assert capsys.readouterr().out == text + "\n"


def test_without_a_format_values_are_apart(capsys: pytest.CaptureFixture[str]) -> None:
    source = "func.func @f(%x: i32, %y: i32) { fly.print(%x, %y) : (i32, i32) -> () func.return }"
    run(operation(source, "func.func"), [3, 4])
    assert capsys.readouterr().out == "3 4\n"


def test_a_trap_ends_the_kernel() -> None:
    with pytest.raises(KernelError, match="an assertion does not hold; its text is printed before this error"):
        run(operation('func.func @f() { "llvm.intr.trap"() : () -> () func.return }', "func.func"), [])
