"""Offsets of AMD's buffer copies on simulated GPUs: `soffset` in elements of the tensor, `imm_offset` in bytes."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError
from flydsl_hipsim.bench import HipsimBench

DTYPES = {"float32": fx.Float32, "float16": fx.Float16, "int8": fx.Int8}


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"])
@pytest.mark.parametrize("dtype", sorted(DTYPES))
@pytest.mark.parametrize("whole", [False, True], ids=["values of the element", "one value"])
def test_soffset_counts_elements_of_the_tensor_whatever_the_values_of_the_atom(
    chip: str, dtype: str, whole: bool, hipsim: HipsimBench
) -> None:
    hipsim.use(chip)
    width = 128 // DTYPES[dtype].width

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, offset: fx.Int32):
        atom = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), 128 if whole else DTYPES[dtype])
        source, target = (
            fx.logical_divide(fx.rocdl.make_buffer_tensor(t), fx.make_layout(width, 1))[None, fx.thread_idx.x]
            for t in (x, y)
        )
        registers = fx.make_fragment_like(source)
        fx.copy(atom, source, registers, soffset=offset)
        fx.copy(atom, registers, target, soffset=2 * offset)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, offset: fx.Int32):
        kernel(x, y, offset).launch(grid=1, block=16)

    x = np.arange(32 * width).astype(dtype)
    y = np.zeros_like(x)
    host(x, y, 3 * width)
    expected = np.zeros_like(x)
    expected[6 * width : 22 * width] = x[3 * width : 19 * width]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(
    ("chip", "word", "per_thread"),
    [("gfx942", "BufferCopyLDS32b", 1), ("gfx950", "BufferCopyLDS128b", 4)],
)
@pytest.mark.parametrize("whole", [False, True], ids=["values of the element", "one value"])
def test_imm_offset_moves_both_addresses_by_bytes(
    chip: str, word: str, per_thread: int, whole: bool, hipsim: HipsimBench
) -> None:
    hipsim.use(chip)
    count, bits = 64 * per_thread, 32 * per_thread

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, offset: fx.Int32):
        lds = fx.make_view(
            fx.recast_iter(fx.Float32, fx.SharedAllocator().allocate(8 * count, 16)), fx.make_layout(2 * count, 1)
        )
        for k in fx.range_constexpr(2 * per_thread):
            lds[fx.thread_idx.x + 64 * k] = fx.Float32(0)
        fx.barrier()
        mine = fx.logical_divide(fx.rocdl.make_buffer_tensor(x), fx.make_layout(per_thread, 1))[None, fx.thread_idx.x]
        there = fx.make_view(fx.get_iter(lds), fx.make_layout(per_thread, 1))
        atom = fx.make_copy_atom(getattr(fx.rocdl, word)(), bits if whole else fx.Float32)
        fx.copy(atom, mine, there, soffset=offset, imm_offset=4 * per_thread)
        fx.rocdl.s_waitcnt(vmcnt=0)
        fx.barrier()
        for k in fx.range_constexpr(2 * per_thread):
            y[fx.thread_idx.x + 64 * k] = lds[fx.thread_idx.x + 64 * k]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, offset: fx.Int32):
        kernel(x, y, offset).launch(grid=1, block=64)

    x = np.arange(2 * count).astype(np.float32)
    y = np.full_like(x, np.nan)
    host(x, y, 2 * per_thread)
    expected = np.zeros_like(x)
    expected[per_thread : per_thread + count] = x[3 * per_thread : 3 * per_thread + count]
    np.testing.assert_array_equal(y, expected)


def test_an_imm_offset_of_run_time_is_refused_with_the_line(hipsim: HipsimBench) -> None:
    hipsim.use("gfx942")

    @flyc.kernel
    def kernel(x: fx.Tensor, offset: fx.Int32):
        lds = fx.make_view(fx.recast_iter(fx.Float32, fx.SharedAllocator().allocate(256, 16)), fx.make_layout(64, 1))
        mine = fx.logical_divide(fx.rocdl.make_buffer_tensor(x), fx.make_layout(1, 1))[None, fx.thread_idx.x]
        there = fx.make_view(fx.get_iter(lds), fx.make_layout(1, 1))
        fx.copy(fx.make_copy_atom(fx.rocdl.BufferCopyLDS32b(), fx.Float32), mine, there, imm_offset=offset)

    @flyc.jit
    def host(x: fx.Tensor, offset: fx.Int32):
        kernel(x, offset).launch(grid=1, block=64)

    with pytest.raises(FlyDSLError, match="imm_offset of .* must be known while compiling") as caught:
        host(np.zeros(64, np.float32), 4)
    assert "imm_offset=offset" in str(caught.value)
