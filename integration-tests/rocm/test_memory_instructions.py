"""Shared memory, shuffles, atomics and fences compiled for AMD GPUs: which instructions they become."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import CompileError

BLOCK = 256


@fx.struct
class Exchange:
    values: fx.Array[fx.Float32, BLOCK]
    count: fx.Int64


def isa_of(kernel, arch: str, *dtypes: str, smem: int | None = None) -> str:
    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=2, block=BLOCK, smem=smem)

    tensors = [np.zeros(4 * BLOCK, dtype) for dtype in (dtypes or ("float32", "float32"))]
    return host.trace(*tensors, arch=arch).lower().compile().disassemble()


@flyc.kernel
def reverse(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    shared = fx.SharedAllocator().allocate(Exchange)
    shared.values[i] = x[i]
    shared.count = 1 << 40
    fx.barrier()
    y[i] = shared.values[BLOCK - 1 - i] * fx.Float32(shared.count.peek())


@pytest.mark.parametrize(("arch", "write", "read"), [
    ("gfx942", ("ds_write_b32", "ds_write_b64"), ("ds_read_b32", "ds_read_b64")),
    ("gfx1100", ("ds_store_b32", "ds_store_b64"), ("ds_load_b32", "ds_load_b64")),
])  # fmt: skip
def test_static_shared_memory_is_lds(arch, write, read):
    isa = isa_of(reverse, arch)
    for instruction in (*write, *read, "s_barrier"):
        assert instruction in isa
    assert "flat_" not in isa


@flyc.kernel
def dynamic(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    memory = fx.get_dyn_shared(fx.Float32)
    memory[i] = x[i]
    fx.barrier()
    y[i] = memory[BLOCK - 1 - i]


@pytest.mark.parametrize(("arch", "read"), [("gfx942", "ds_read_b32"), ("gfx1100", "ds_load_b32")])
def test_dynamic_shared_memory_is_lds(arch, read):
    assert read in isa_of(dynamic, arch, smem=4 * BLOCK)


@flyc.kernel
def vectors(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    tile = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 4 * BLOCK])
    layout = fx.make_composed_layout(fx.static(fx.SwizzleType.get(3, 2, 3)), fx.make_layout((4, BLOCK), (1, 4)))
    atom = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    fragment, shared = fx.make_rmem_tensor(4, fx.Float32), tile.view(layout)
    fragment.fill(x[i])
    fx.copy(atom, fragment, fx.slice(shared, (None, i)))
    fx.barrier()
    fx.copy(atom, fx.slice(shared, (None, BLOCK - 1 - i)), fragment)
    y[i] = fragment[0] + fragment[3]


@pytest.mark.parametrize(("arch", "write", "read"), [
    ("gfx942", "ds_write_b128", "ds_read_b128"), ("gfx1100", "ds_store_b128", "ds_load_b128"),
])  # fmt: skip
def test_a_swizzled_tile_is_accessed_by_vectors(arch, write, read):
    isa = isa_of(vectors, arch)
    assert write in isa
    assert read in isa


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
@pytest.mark.parametrize(
    ("dtype", "words"), [("float32", 1), ("float16", 1), ("int8", 1), ("int64", 2), ("float64", 2)]
)
def test_a_shuffle_by_a_lane_known_at_run_time_is_one_permutation_a_word(arch, dtype, words):
    @flyc.kernel
    def exchange(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = fx.shuffle_idx(x[i], i * 7)

    assert isa_of(exchange, arch, dtype, dtype).count("ds_bpermute_b32") == words


@pytest.mark.parametrize(("arch", "offset", "instruction"), [
    *(("gfx942", offset, "v_add_f32_dpp") for offset in (1, 2, 3, 7, 8, 15)),
    ("gfx942", 4, "ds_swizzle_b32"),
    ("gfx942", 16, "ds_swizzle_b32"),
    ("gfx942", 32, "ds_bpermute_b32"),
    *(("gfx1100", offset, "v_add_f32_dpp") for offset in (1, 4, 8, 13, 15)),
    ("gfx1100", 16, "v_permlanex16_b32"),
    ("gfx1201", 16, "v_permlanex16_b32"),
    ("gfx1100:wavefrontsize64+", 4, "v_add_f32_dpp"),
    ("gfx1201:wavefrontsize64+", 16, "v_permlanex16_b32"),
])  # fmt: skip
def test_an_exchange_by_a_constant(arch, offset, instruction):
    @flyc.kernel
    def exchange(x: fx.Tensor, y: fx.Tensor):
        value = x[fx.thread_idx.x]
        y[fx.thread_idx.x] = value + fx.shuffle_xor(value, offset)

    isa = isa_of(exchange, arch)
    assert instruction in isa
    assert instruction.startswith("ds_") or "ds_" not in isa


@pytest.mark.parametrize(("arch", "wave"), [("gfx942", 64), ("gfx1100", 32)])
def test_the_wave_size_is_that_of_the_target(arch, wave):
    found = []

    @flyc.kernel
    def lanes(x: fx.Tensor, y: fx.Tensor):
        found.append(int(fx.num_warp_threads()))
        y[fx.thread_idx.x] = fx.lane_id()

    assert f" {wave - 1}" in isa_of(lanes, arch, "int32", "int32")
    assert found == [wave]


@flyc.kernel
def integer_atomics(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    target = fx.get_iter(y) + i
    fx.atomic_add(target, x[i], syncscope="agent")
    fx.atomic_and(target, x[i], syncscope="agent")
    fx.atomic_max(target, x[i], syncscope="agent")
    y[i + BLOCK] = fx.atomic_xchg(target, x[i], syncscope="agent")
    y[i + 2 * BLOCK] = fx.atomic_cas(target, 0, x[i], syncscope="agent")
    fx.atomic_add(fx.SharedAllocator().allocate(fx.Array[fx.Int32, 1]).ptr, x[i], syncscope="workgroup")


@pytest.mark.parametrize(("arch", "suffixes"), [
    ("gfx942", ("add", "and", "smax", "swap", "cmpswap")),
    ("gfx1100", ("add_u32", "swap_b32", "cmpswap_b32")),
])  # fmt: skip
def test_integer_atomics_are_instructions_of_their_memory(arch, suffixes):
    isa = isa_of(integer_atomics, arch, "int32", "int32")
    for suffix in suffixes:
        assert f"global_atomic_{suffix} " in isa
    assert "ds_add_u32" in isa
    assert "flat_atomic" not in isa


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8", "int64"])
def test_atomics_that_a_target_lacks_become_loops(arch, dtype):
    @flyc.kernel
    def combine(x: fx.Tensor, y: fx.Tensor):
        fx.atomic_add(fx.get_iter(y), x[fx.thread_idx.x])

    assert "global_atomic_" in isa_of(combine, arch, dtype, dtype)


@flyc.kernel
def fences(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    y[i] = fx.generic_load(fx.get_iter(x) + 2 * BLOCK + i, nontemporal=True)
    fx.memory_fence(syncscope="agent", ordering=fx.AtomicOrdering.Release)
    fx.generic_store(fx.get_iter(y) + BLOCK + i, x[i], memory_order=fx.AtomicOrdering.Release, syncscope="agent")


@pytest.mark.parametrize(
    ("arch", "hint", "wait"), [("gfx942", " nt", "buffer_wbl2"), ("gfx1100", "slc", "s_waitcnt_vscnt")]
)
def test_fences_and_ordered_accesses_wait_for_memory(arch, hint, wait):
    isa = isa_of(fences, arch)
    assert wait in isa
    assert hint in isa


def test_more_lds_than_a_workgroup_has_is_an_error():
    @flyc.kernel
    def large(x: fx.Tensor, y: fx.Tensor):
        memory = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 1 << 15])
        memory[fx.thread_idx.x] = x[fx.thread_idx.x]
        fx.barrier()
        y[fx.thread_idx.x] = memory[0]

    with pytest.raises(CompileError, match="65536"):
        isa_of(large, "gfx942")


def test_an_unknown_scope_is_an_error():
    @flyc.kernel
    def odd(x: fx.Tensor, y: fx.Tensor):
        fx.memory_fence(syncscope="galaxy")

    with pytest.raises(CompileError):
        isa_of(odd, "gfx942")
