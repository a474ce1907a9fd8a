"""Buffer tensors and AMD's copy atoms, by the instructions they become."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError

ARCHES = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
DTYPES = {8: (np.int8, fx.Int8), 16: (np.float16, fx.Float16), 32: (np.float32, fx.Float32)}


def isa_of(kernel, arch, *arrays):
    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=64)

    return launch.trace(*arrays, arch=arch).lower().compile().disassemble()


def copying(make_op, bits, dtype, **state):
    """A kernel in which each thread copies `bits` bits by way of registers."""
    count = bits // dtype.width

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        atom = fx.make_copy_atom(make_op(), dtype)
        parts = [
            fx.logical_divide(fx.rocdl.make_buffer_tensor(t), fx.make_layout(count, 1))[None, fx.thread_idx.x]
            for t in (x, y)
        ]
        registers = fx.make_fragment_like(parts[0])
        fx.copy(atom, parts[0], registers, **state)
        fx.copy(atom, registers, parts[1], **state)

    return kernel


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(
    ("word", "bits", "width", "cdna", "rdna"),
    [
        ("BufferCopy8b", 8, 8, "ubyte", "u8"),
        ("BufferCopy16b", 16, 16, "ushort", "u16"),
        ("BufferCopy32b", 32, 32, "dword ", "b32"),
        ("BufferCopy64b", 64, 32, "dwordx2", "b64"),
        ("BufferCopy128b", 128, 16, "dwordx4", "b128"),
    ],
)
def test_a_buffer_copy_is_one_instruction(arch, word, bits, width, cdna, rdna):
    array, dtype = DTYPES[width]
    data = np.zeros(64 * bits // width, array)
    isa = isa_of(copying(lambda: getattr(fx.rocdl, word)(), bits, dtype), arch, data, data)
    assert isa.count("buffer_load_") == isa.count("buffer_store_") == 1
    assert f"buffer_load_{cdna if arch.startswith('gfx9') else rdna}" in isa


def test_cache_bits_and_the_scalar_offset_reach_the_instruction():
    data = np.zeros(64 * 4, np.float32)
    isa = isa_of(copying(lambda: fx.rocdl.BufferCopy128b(2), 128, fx.Float32, soffset=8), "gfx942", data, data)
    assert isa.count(", 32 offen nt") == 2


def sized(**arguments):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        y[fx.thread_idx.x] = fx.rocdl.make_buffer_tensor(x, **arguments)[fx.thread_idx.x]

    return kernel


def test_the_bound_is_a_number_of_bytes_the_tensor_or_the_maximum():
    x = flyc.from_dlpack(np.zeros(100, np.float32))
    y = np.zeros(64, np.float32)
    assert "0x190" in isa_of(sized(max_size=False), "gfx942", x, y)
    assert "0x7b" in isa_of(sized(num_records_bytes=123), "gfx942", x, y)
    assert "-1" in isa_of(sized(), "gfx942", x, y)
    assert "buffer_load_dword" in isa_of(sized(max_size=False), "gfx942", y, y)


@pytest.mark.parametrize(
    ("arch", "flags"), [("gfx942", "0x27000"), ("gfx1100", "0x31027000"), ("gfx1201", "0x31027000")]
)
def test_the_resource_has_the_flags_of_the_target(arch, flags):
    y = np.zeros(64, np.float32)
    assert flags in isa_of(sized(), arch, y, y)


def atomic(make_op, dtype, count=1):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        registers = fx.make_rmem_tensor(count, dtype)
        for i in fx.range_constexpr(count):
            registers[i] = x[fx.thread_idx.x]
        out = fx.logical_divide(fx.rocdl.make_buffer_tensor(y), fx.make_layout(count, 1))[None, fx.thread_idx.x]
        fx.copy(fx.make_copy_atom(make_op(), dtype), registers, out)

    return kernel


@pytest.mark.parametrize(
    ("op", "dtype", "array", "arch", "instruction"),
    [
        (lambda: fx.rocdl.BufferAtomicAdd(fx.Float32), fx.Float32, np.float32, "gfx942", "buffer_atomic_add_f32"),
        (lambda: fx.rocdl.BufferAtomicAdd(fx.Float32), fx.Float32, np.float32, "gfx1100", "buffer_atomic_add_f32"),
        (lambda: fx.rocdl.BufferAtomicAdd(fx.Int32), fx.Int32, np.int32, "gfx1201", "buffer_atomic_add_u32"),
        (lambda: fx.rocdl.BufferAtomicMax(fx.Int32), fx.Int32, np.int32, "gfx942", "buffer_atomic_smax"),
        (lambda: fx.rocdl.BufferAtomicMin(fx.Float32), fx.Float32, np.float32, "gfx1100", "buffer_atomic_min_f32"),
        (lambda: fx.rocdl.BufferAtomicMax(fx.Float64), fx.Float64, np.float64, "gfx942", "buffer_atomic_max_f64"),
        (lambda: fx.rocdl.BufferAtomic("or", fx.Int32), fx.Int32, np.int32, "gfx942", "buffer_atomic_or"),
    ],
)
def test_a_buffer_atomic_is_its_instruction(op, dtype, array, arch, instruction):
    data = np.zeros(64, array)
    assert instruction in isa_of(atomic(op, dtype), arch, data, data)


@pytest.mark.parametrize("arch", ["gfx942", "gfx1201"])
def test_two_halves_are_added_by_one_packed_atomic(arch):
    data = np.zeros(128, np.float16)
    isa = isa_of(atomic(lambda: fx.rocdl.BufferAtomicPkAdd(fx.Float16), fx.Float16, 2), arch, data, data)
    assert "buffer_atomic_pk_add_f16" in isa


def test_atomics_that_the_target_lacks_are_refused():
    data = np.zeros(128, np.float32)
    with pytest.raises(UnsupportedTargetError, match=r"gfx942 has no .*BufferAtomic 'max' of Float32.*gfx1100"):
        isa_of(atomic(lambda: fx.rocdl.BufferAtomicMax(fx.Float32), fx.Float32), "gfx942", data, data)
    with pytest.raises(FrontendError, match="no buffer atomic .* on Float16"):
        isa_of(atomic(lambda: fx.rocdl.BufferAtomicAdd(fx.Float16), fx.Float16), "gfx942", data, data)
    with pytest.raises(UnsupportedTargetError, match=r"gfx1100 has no fx\.rocdl\.BufferCopyLDS32b.*gfx942"):
        isa_of(atomic(lambda: fx.rocdl.BufferCopyLDS32b(), fx.Float32), "gfx1100", data, data)


def test_the_resource_is_for_raw_intrinsics():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        resource = fx.rocdl.get_buffer_rsrc(fx.get_iter(fx.rocdl.make_buffer_tensor(x)))
        assert str(resource.type) == "!llvm.ptr<8>"

    data = np.zeros(64, np.float32)
    assert isa_of(kernel, "gfx942", data, data)


def shared_tensor(count, dtype):
    return fx.make_view(
        fx.recast_iter(dtype, fx.SharedAllocator().allocate(count * dtype.width // 8, 16)), fx.make_layout(count, 1)
    )


@pytest.mark.parametrize(
    ("arch", "make_op", "per_thread", "source", "instruction"),
    [
        ("gfx942", lambda: fx.rocdl.BufferCopyLDS32b(), 1, "buffer", "buffer_load_dword v"),
        ("gfx950", lambda: fx.rocdl.BufferCopyLDS128b(), 4, "buffer", "buffer_load_dwordx4"),
        ("gfx950", lambda: fx.rocdl.cdna4.BufferLoadAsyncLDS96b(), 3, "buffer", "buffer_load_dwordx3"),
        ("gfx950", lambda: fx.rocdl.cdna4.GlobalLoadAsyncLDS128b(), 4, "global", "global_load_lds_dwordx4"),
    ],
)
def test_memory_goes_to_lds_past_the_registers(arch, make_op, per_thread, source, instruction):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        lds = shared_tensor(64 * per_thread, fx.Float32)
        memory = fx.rocdl.make_buffer_tensor(x) if fx.const_expr(source == "buffer") else x
        mine = fx.logical_divide(memory, fx.make_layout(per_thread, 1))[None, fx.thread_idx.x]
        # the hardware adds the lane's place to the address, which is the same in all lanes of a wave
        fx.copy(
            fx.make_copy_atom(make_op(), fx.Float32),
            mine,
            fx.make_view(fx.get_iter(lds), fx.make_layout(per_thread, 1)),
        )
        fx.rocdl.s_waitcnt(vmcnt=0)
        fx.barrier()
        y[fx.thread_idx.x] = lds[63 - fx.thread_idx.x]

    data = np.zeros(64 * per_thread, np.float32)
    isa = isa_of(kernel, arch, data, data)
    assert instruction in isa
    assert "lds" in isa


def test_rows_of_lds_are_read_as_columns():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        lds, registers = shared_tensor(256, fx.Float16), fx.make_rmem_tensor(4, fx.Float16)
        lds[fx.thread_idx.x] = x[fx.thread_idx.x]
        fx.barrier()
        mine = fx.logical_divide(lds, fx.make_layout(4, 1))[None, fx.thread_idx.x]
        fx.copy(fx.make_copy_atom(fx.rocdl.cdna4.LDSReadTrans16_64b(), fx.Float16), mine, registers)
        y[fx.thread_idx.x] = registers[3]

    data = np.zeros(64, np.float16)
    assert "ds_read_b64_tr_b16" in isa_of(kernel, "gfx950", data, data)
    with pytest.raises(UnsupportedTargetError, match=r"gfx942 has no fx\.rocdl\.cdna4\.LDSReadTrans.*gfx950"):
        isa_of(kernel, "gfx942", data, data)


@pytest.mark.parametrize(("arch", "load"), [("gfx942", "buffer_load_dwordx2"), ("gfx1201", "buffer_load_b64")])
def test_rows_are_gathered_from_and_scattered_to_buffer_memory(arch, load):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        offsets, rows = fx.make_rmem_tensor(2, fx.Int32), fx.make_rmem_tensor((2, 2), fx.Float32)
        for i in fx.range_constexpr(2):
            offsets[i] = fx.thread_idx.x * 8 + 4 * i
        atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.Float32)
        fx.gather(atom, fx.get_iter(fx.rocdl.make_buffer_tensor(x)), offsets, rows)
        fx.scatter(atom, rows, fx.get_iter(fx.rocdl.make_buffer_tensor(y)), offsets)

    data = np.zeros(512, np.float32)
    isa = isa_of(kernel, arch, data, data)
    assert isa.count(load) == 2
    assert isa.count("buffer_store_") == 2
