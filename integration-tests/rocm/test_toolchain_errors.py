"""Kernels that FlyDSL's passes take and LLVM refuses: the error shows the line of the kernel that it is about."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ToolchainError


@flyc.kernel
def wants_much(y: fx.Tensor):
    storage = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 40000])
    view = fx.make_view(storage.ptr, fx.make_layout(40000, 1))
    view[fx.thread_idx.x] = y[fx.thread_idx.x]
    fx.barrier()
    y[fx.thread_idx.x] = view[fx.thread_idx.x + 1]


@flyc.kernel
def uses_what_the_chip_has_not(y: fx.Tensor):
    operands = [value.ir_value() for value in (fx.Int32(1), fx.thread_idx.x, fx.Int32(2), fx.Int32(3))]
    flags = [fx.Boolean(False).ir_value()] * 2
    found = fx.rocdl.emit.intrinsic("permlane16", operands + flags, [fx.Int32.ir_type_of()])
    y[fx.thread_idx.x] = fx.Int32.wrap(found).to(fx.Float32)


@pytest.mark.parametrize(("kernel", "message", "line"), [
    (wants_much, "160000", "def wants_much(y: fx.Tensor):"),
    (uses_what_the_chip_has_not, "Cannot select", "found = fx.rocdl.emit.intrinsic("),
])  # fmt: skip
def test_what_llvm_refuses_shows_the_users_line(kernel, message, line):
    @flyc.jit
    def host(y: fx.Tensor):
        kernel(y).launch(grid=1, block=64)

    lowered = host.trace(np.zeros(64, np.float32), backend="rocm", arch="gfx942").lower()
    with pytest.raises(ToolchainError, match=message) as caught:
        lowered.compile()
    place = caught.value.location
    assert place.file == __file__
    assert linecache.getline(place.file, place.line).strip().startswith(line)
