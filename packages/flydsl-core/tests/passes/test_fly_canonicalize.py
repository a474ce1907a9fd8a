"""Normal form: one constructor of tuples, and static values built in place of what computes them."""

from __future__ import annotations

import pytest

from flydsl.base.errors import SettingError
from flydsl.ir.parse import parse_module, verify
from flydsl.passes.registry import run as run_passes

VIEW = "!fly.memref<f32, global, (?,8):(8,1)>"
STRIDE = "!fly.int_tuple<(8,1)>"
TEXT = f"""
gpu.module @m {{ gpu.func @k(%x: i32, %p: !fly.ptr<f32, global>) kernel {{
  %s = fly.make_shape(%x) : (i32) -> !fly.int_tuple<(?,8)>
  %d = fly.make_stride() : () -> !fly.int_tuple<(8,1)>
  %l = fly.make_layout(%s, %d) : (!fly.int_tuple<(?,8)>, {STRIDE}) -> !fly.layout<(?,8):(8,1)>
  %t = fly.make_view(%p, %l) : (!fly.ptr<f32, global>, !fly.layout<(?,8):(8,1)>) -> {VIEW}
  %tile = fly.static : !fly.tile<[4|4]>
  %q = fly.get_stride(%l) : (!fly.layout<(?,8):(8,1)>) -> !fly.int_tuple<(8,1)>
  %unused = fly.make_coord() : () -> !fly.int_tuple<(1,1)>
  fly.print(%t, %tile, %q, %d) : ({VIEW}, !fly.tile<[4|4]>, {STRIDE}, {STRIDE}) -> ()
  gpu.return
}} }}
"""


def test_constructors_and_static_values_take_their_normal_form() -> None:
    module = parse_module(TEXT)
    run_passes(module, "fly-canonicalize")
    verify(module)
    names = [op.name for op in module.walk() if op.name.startswith("fly.")]
    assert names == [
        *("fly.make_int_tuple", "fly.make_int_tuple", "fly.make_layout", "fly.make_view"),
        *("fly.static", "fly.make_int_tuple", "fly.print"),
    ]


@pytest.mark.parametrize(
    ("type_", "parts"),
    [
        ("!fly.int_tuple<(4,8)>", "make_int_tuple"),
        ("!fly.layout<(4,8):(1,4)>", "make_int_tuple make_int_tuple make_layout"),
        (
            "!fly.composed_layout<S<1,0,3> o 0 o 8:1>",
            "static make_int_tuple make_int_tuple make_int_tuple make_layout make_composed_layout",
        ),
        (
            "!fly.coord_tensor<(0,0), (4,8):(1E0,1E1)>",
            "make_int_tuple make_int_tuple make_int_tuple make_layout make_view",
        ),
        ("!fly.tile<[4|4]>", "static"),
    ],
)
def test_a_static_value_is_built_of_its_parts(type_: str, parts: str) -> None:
    module = parse_module(f"func.func @f() -> {type_} {{\n  %r = fly.static : {type_}\n  return %r : {type_}\n}}")
    run_passes(module, "fly-canonicalize")
    verify(module)
    assert [op.name for op in module.walk()][2:-1] == [f"fly.{name}" for name in parts.split()]


def test_normal_form_is_stable() -> None:
    module = parse_module(TEXT)
    run_passes(module, "fly-canonicalize")
    once = str(module)
    run_passes(module, "fly-canonicalize")
    assert str(module) == once


@pytest.mark.parametrize(("options", "count"), [("", 2), ("{share=true}", 1)])
def test_static_values_are_shared_in_a_block_when_that_is_asked(options: str, count: int) -> None:
    module = parse_module(
        "func.func @f(%c: i1) -> (!fly.int_tuple<32>, !fly.int_tuple<32>) {\n"
        "  %l = fly.static : !fly.layout<(4,8):(1,4)>\n"
        "  %a = fly.size(%l) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<32>\n"
        "  %b = fly.cosize(%l) : (!fly.layout<(4,8):(1,4)>) -> !fly.int_tuple<32>\n"
        "  return %a, %b : !fly.int_tuple<32>, !fly.int_tuple<32>\n}"
    )
    run_passes(module, f"fly-canonicalize{options}")
    verify(module)
    assert [op.name for op in module.walk()].count("fly.make_int_tuple") == count


def test_an_option_that_is_no_truth_is_refused() -> None:
    with pytest.raises(SettingError, match="fly-canonicalize: share='maybe' is neither 'true' nor 'false'"):
        run_passes(parse_module("func.func @f() {\n  return\n}"), "fly-canonicalize{share=maybe}")
