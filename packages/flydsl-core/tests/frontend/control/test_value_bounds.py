"""Bounds of traced integers: what constants, ids, extents and sums of them tell, and nothing where a sum may wrap."""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.ir import Block

import flydsl.expr as fx
from flydsl import layout as fl
from flydsl.expr.tracing import context
from flydsl.expr.values.emitter import Emitter, TargetInfo
from flydsl.expr.values.wrap import box
from flydsl.frontend.control.value_bounds import bounds_of
from flydsl.ir.fly.attributes import GLOBAL
from flydsl.ir.fly.types import MemRefType

WHOLE = -(1 << 31), (1 << 31) - 1
EVERYTHING = -(1 << 63), (1 << 63) - 1
EXTENT = 1 - (1 << 30), (1 << 30) - 1


def test_a_number_that_is_known():
    assert bounds_of(fx.Int32(7)) == (7, 7)


def test_sums_products_and_quotients(emitted):
    def check(n):
        thread = fx.thread_idx.x
        near = fx.max(fx.min(n, 100), -3)
        for value, bounds in [
            (n, WHOLE),
            (n // 4, WHOLE),
            (thread, (0, WHOLE[1])),
            (thread // 4, (0, WHOLE[1])),
            (thread // n, WHOLE),
            (near, (-3, 100)),
            (near * 5 - 2, (-17, 498)),
            (thread + 1, WHOLE),  # it may wrap
            (thread * 2, WHOLE),
            (fx.Int64(thread) * 2, (0, 2 * WHOLE[1])),
            (fx.Int64(n), WHOLE),
            (fx.Int32(fx.Int64(thread) * 2), WHOLE),
        ]:
            assert bounds_of(value) == bounds

    emitted(check, fx.Int32)


def test_extents_of_arguments():
    layouts = [fl.parse_layout(text) for text in ("(?,?):(?{i64},1)", "(?{i64}):(1)")]
    block = Block(arg_types=[MemRefType(f32, GLOBAL, layout) for layout in layouts])
    with context.tracing(Emitter(block, TargetInfo("none", "none", 32), "kernel", None)):
        x, wide = (box(argument, fx.Float32) for argument in block.args)
        for value, bounds in [
            (x.shape[0], EXTENT),
            (fx.ceil_div(fx.size(x[1, None]), 4), EXTENT),
            (fx.size(x), EXTENT),
            (fx.ceil_div(fx.get_scalar(fx.size(x)), 4), EXTENT),
            (x.stride[0], EVERYTHING),
            (wide.shape[0], EVERYTHING),
            (fx.make_layout((fx.get_scalar(x.shape[0]), 4)).shape[0], WHOLE),
        ]:
            assert bounds_of(fx.as_numeric(fx.get_scalar(value))) == bounds
