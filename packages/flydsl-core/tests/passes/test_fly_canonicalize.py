"""Normal form: one constructor of tuples, and each static value made once."""

from __future__ import annotations

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
        *("fly.static", "fly.print"),
    ]
    (printed,) = [op for op in module.walk() if op.name == "fly.print"]
    assert printed.operands[2] is printed.operands[3]


def test_normal_form_is_stable() -> None:
    module = parse_module(TEXT)
    run_passes(module, "fly-canonicalize")
    once = str(module)
    run_passes(module, "fly-canonicalize")
    assert str(module) == once
