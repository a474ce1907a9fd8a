"""External functions in traced modules: a declaration each, calls, and the bitcode once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.bitcode import take_bitcode
from flydsl.expr.extern import ffi

CONTENT = b"BC\xc0\xde"


def test_a_call_is_declared_once(fake_device: object) -> None:
    first = replace(ffi("first", ["int32", "float32"], "float32"), bitcode=CONTENT)
    second = replace(ffi("second", ["int64"]), bitcode=CONTENT)

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = first(1, x[0]) + first(2, x[1])
        second(fx.thread_idx.x)

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    text = host.trace(np.zeros(4, np.float32)).text
    assert text.count('"llvm.func"') == 2
    assert text.count("callee = @first") == 2
    assert "!llvm.func<f32 (i32, f32)>" in text
    assert "!llvm.func<void (i64)>" in text
    assert take_bitcode(text)[1] == [CONTENT]
