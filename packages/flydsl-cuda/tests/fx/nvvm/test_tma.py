"""Copies of tiles: instructions, parameters of kernels, the maps that a launch asks for, and what they refuse."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError, FrontendError, UnsupportedTargetError
from flydsl.compiler.stages.artifact import Artifact
from flydsl.runtime.kernel import load_launcher
from flydsl.testing.fake_table import FakeTable
from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.tensor_map import Recipe

Body = Callable[..., None]
F32 = np.zeros((40, 64), np.float32)
LAYOUT = "128-byte rows"


def swizzled(rows: int = 8, columns: int = 32, mask: int = 3) -> fx.ComposedLayout:
    return fx.make_composed_layout(
        fx.static(fx.SwizzleType.get(mask, 2, 3)), fx.make_layout((rows, columns), (columns, 1))
    )


def plain(*shape: int) -> fx.Layout:
    strides = [int(np.prod(shape[index + 1 :])) for index in range(len(shape))]
    return fx.make_layout(shape, tuple(strides))


def memory(elements: int = 256) -> tuple[fx.Pointer, fx.Pointer]:
    """A tile and a barrier."""
    shared = fx.SharedAllocator()
    tile = shared.allocate(fx.Array[fx.Float32, elements], 1024).ptr
    return tile, shared.allocate(fx.Array[fx.Int64, 1]).ptr


def compiled(
    make: Callable[[fx.Tensor], Any],
    body: Body,
    x: np.ndarray = F32,
    arch: str = "sm_90a",
    **launch: Any,
) -> Artifact:
    """A kernel that calls `body(*made)`, where `make(x)` made that in host code."""

    @flyc.kernel
    def kernel(made: Any) -> None:
        body(*made)

    @flyc.jit
    def host(x: fx.Tensor) -> None:
        kernel(make(x)).launch(grid=2, block=128, **launch)

    return host.trace(x, backend="cuda", arch=arch).lower().compile()


def copies(artifact: Artifact) -> list[str]:
    return re.findall(r"(cp\.(?:reduce\.)?async\.bulk\.tensor[^;]*);", artifact.disassemble())


def of_width(x: fx.Tensor, columns: int) -> fx.Tensor:
    """A tensor whose extents are known."""
    return fx.make_view(fx.get_iter(x), fx.make_layout((8, columns), (36, 1)))


def of_type(x: fx.Tensor, dtype: Any) -> fx.Tensor:
    """A tensor of (8, 32) elements of another type at the same address."""
    return fx.make_view(fx.recast_iter(dtype, fx.get_iter(x)), fx.make_layout((8, 32), (32, 1)))


def load(load: Any, coordinates: fx.Tensor) -> None:
    tile, full = memory()
    part = fx.zipped_divide(coordinates, (8, 32))[None, (fx.block_idx.x, 1)]
    fx.copy(load, part, tile, mbar=full)


def test_a_load_is_one_instruction_with_the_contiguous_coordinate_first() -> None:
    artifact = compiled(lambda x: fx.nvvm.make_tma_load(x, swizzled()), load)
    (line,) = copies(artifact)
    name = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
    assert re.fullmatch(rf"{re.escape(name)} \[%r\d+\], \[%rd\d+, {{%r\d+, %r\d+}}\], \[%r\d+\]", line)
    text = artifact.disassemble()
    first, second = re.findall(r"{(%r\d+), (%r\d+)}", line)[0]
    assert re.search(rf"mov\.b32\s+{first}, 32;", text)
    assert re.search(rf"shl\.b32\s+{second}, %r\d+, 3;", text)
    assert ".param .align 64 .b8 kernel_0_param_0[128]" in text
    assert "cvta.param.u64" in text


def test_no_copy_spills_or_reads_the_map() -> None:
    artifact = compiled(lambda x: fx.nvvm.make_tma_load(x, swizzled()), load)
    assert "ld.param.b64" not in artifact.disassemble().split("kernel_0_param_0[128]")[1].split("kernel_0_param_1")[0]
    for found in CodeObject.from_bytes(artifact.device).kernels.values():
        assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)


def test_a_tile_is_had_in_the_cache_box_by_box() -> None:
    def body(load: Any, coordinates: fx.Tensor) -> None:
        fx.nvvm.prefetch_tile(load, fx.zipped_divide(coordinates, (8, 64))[None, (fx.block_idx.x, 0)])

    layout = fx.nvvm.smem_layout("k", fx.Float32, (8, 64))  # two boxes of 128 bytes
    lines = re.findall(
        r"cp\.async\.bulk\.prefetch\.tensor\.2d\.L2\.global\.tile \[%rd\d+, \{(%r\d+), (%r\d+)\}\];",
        compiled(lambda x: fx.nvvm.make_tma_load(x, layout), body).disassemble(),
    )
    assert len(lines) == 2
    assert lines[0][0] != lines[1][0]
    assert lines[0][1] == lines[1][1]


def test_stores_and_reductions_are_groups() -> None:
    def make(x: fx.Tensor) -> Any:
        store, coordinates = fx.nvvm.make_tma_store(x, plain(8, 32))
        most, _ = fx.nvvm.make_tma_reduce(of_type(x, fx.Int32), plain(8, 32), op="max")
        return store, most, coordinates

    def body(store: Any, most: Any, coordinates: fx.Tensor) -> None:
        tile, _ = memory()
        part = fx.zipped_divide(coordinates, (8, 32))[None, (fx.block_idx.x, 0)]
        fx.nvvm.prefetch_tensor_map(store)
        fx.copy(store, tile, part, cache="evict_first")
        fx.copy(most, tile, part)
        fx.nvvm.bulk_commit_group()
        fx.nvvm.bulk_wait_group(1, read=True)
        fx.nvvm.bulk_wait_group()

    artifact = compiled(make, body)
    store, reduction = copies(artifact)
    assert store.startswith("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint [")
    assert reduction.startswith("cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.bulk_group [")
    text = artifact.disassemble()
    words = re.findall(r"(prefetch\.tensormap|cp\.async\.bulk\.(?:commit|wait)_group[^;]*);?", text)
    assert [word.split(" [")[0] for word in words] == [
        "prefetch.tensormap",
        "cp.async.bulk.commit_group",
        "cp.async.bulk.wait_group.read 1",
        "cp.async.bulk.wait_group 0",
    ]


def test_a_multicast_load_is_for_the_blocks_of_a_mask() -> None:
    def body(load: Any, coordinates: fx.Tensor) -> None:
        tile, full = memory()
        part = fx.zipped_divide(coordinates, (8, 32))[None, (0, 0)]
        fx.copy(load, part, tile, mbar=full, mask=3, cache="evict_last")

    artifact = compiled(lambda x: fx.nvvm.make_tma_load(x, swizzled(), multicast=True), body, cluster=2)
    (line,) = copies(artifact)
    assert ".multicast::cluster.L2::cache_hint [" in line
    assert line.endswith("], mask, hint")


def test_a_wide_tile_is_several_boxes_behind_each_other() -> None:
    def make(x: fx.Tensor) -> Any:
        columns = fx.make_layout((8, (32, 2)), (32, (1, 256)))
        return fx.nvvm.make_tma_load(x, fx.make_composed_layout(fx.static(fx.SwizzleType.get(3, 2, 3)), columns))

    def body(load: Any, coordinates: fx.Tensor) -> None:
        tile, full = memory(512)
        assert load.tile_bytes == 2048
        fx.copy(load, fx.zipped_divide(coordinates, (8, 64))[None, (fx.block_idx.x, 0)], tile, mbar=full)

    text = compiled(make, body).disassemble()
    places = re.findall(r"complete_tx::bytes \[(%r\d+)\], \[%rd\d+, {(%r\d+), (%r\d+)}", text)
    assert len(places) == 2
    assert re.search(rf"add\.s32\s+{places[1][0]}, {places[0][0]}, 1024;", text)
    assert re.search(rf"mov\.b32\s+{places[1][1]}, 32;", text)
    assert places[0][2] == places[1][2]


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_tensors_have_up_to_five_modes(rank: int) -> None:
    shape, tile = (2, 3, 2, 4, 64)[-rank:], (1, 2, 1, 4, 32)[-rank:]

    def body(load: Any, coordinates: fx.Tensor) -> None:
        tile_memory, full = memory()
        fx.copy(load, fx.zipped_divide(coordinates, tile)[None, 0], tile_memory, mbar=full)

    make = lambda x: fx.nvvm.make_tma_load(x, plain(*tile), tile)  # noqa: E731
    (line,) = copies(compiled(make, body, np.zeros(shape, np.float32)))
    assert line.count("%r", line.index("{"), line.index("}")) == rank
    assert f"tensor.{rank}d." in line


def test_a_ring_of_stages_is_filled_in_a_loop_by_one_warp() -> None:
    stages, elements = 4, 128 * 32

    def body(load: Any, coordinates: fx.Tensor) -> None:
        shared = fx.SharedAllocator()
        ring = shared.allocate(fx.Array[fx.Float32, stages * elements], 1024).ptr
        full = shared.allocate(fx.Array[fx.Int64, stages]).ptr
        empty = shared.allocate(fx.Array[fx.Int64, stages]).ptr
        tiles = fx.zipped_divide(coordinates, (128, 32))
        if fx.nvvm.warp_idx() == 0:  # noqa: SIM102 - the other warps do not elect
            if fx.nvvm.elect_one():
                for tile in range(fx.grid_dim.x):
                    stage = tile % stages
                    fx.nvvm.mbarrier_wait(empty + stage, ((tile // stages) & 1) ^ 1)
                    fx.nvvm.mbarrier_arrive_expect_tx(full + stage, load.tile_bytes)
                    fx.copy(load, tiles[None, (tile, 0)], ring + stage * elements, mbar=full + stage)

    artifact = compiled(lambda x: fx.nvvm.make_tma_load(x, swizzled(128)), body)
    text = artifact.disassemble()
    loop = text[text.index("try_wait") : text.rindex("bra")]
    assert [loop.count(word) for word in ("expect_tx", "cp.async.bulk.tensor")] == [1, 1]
    code = CodeObject.from_bytes(artifact.device)
    assert code.shared_blocks == {"kernel_0": 4 * stages * elements + 16 * stages}
    for found in code.kernels.values():
        assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)


def launched(artifact: Artifact, x: np.ndarray) -> FakeTable:
    """What a launch asks of a runtime."""
    table, launcher, module = FakeTable(), load_launcher(artifact.launcher), ctypes.c_void_p()
    assert launcher.fly_load(table.address, 0, ctypes.byref(module)) == 0
    numbers = iter([x.ctypes.data, *x.shape, *(stride // x.itemsize for stride in x.strides)])
    packed = bytearray(64)
    for slot in artifact.slots:
        values = [next(numbers) for _ in slot.format]
        struct.pack_into(f"<{slot.format}", packed, slot.offset, *values)
    assert launcher.fly_launch_packed(table.address, module, 0, None, bytes(packed)) == 0
    return table


def test_a_launch_has_maps_made_of_its_tensor() -> None:
    x = np.zeros((40, 96), np.float32)[:, :64]
    artifact = compiled(lambda x: fx.nvvm.make_tma_load(x, swizzled()), load, x)
    table = launched(artifact, x)
    (asked,) = table.maps
    assert (asked.address, asked.shape, asked.strides) == (x.ctypes.data, (64, 40), (4, 384))
    assert asked.recipe == Recipe("f32", 4, (32, 8), 3).to_bytes()
    assert table.launches[0].parameters[0] == asked.to_bytes()


def test_a_tensor_that_is_only_loaded_is_not_written() -> None:
    def trace(make: Callable[[fx.Tensor], Any], body: Body) -> tuple[int, ...]:
        @flyc.kernel
        def kernel(made: Any) -> None:
            body(*made)

        @flyc.jit
        def host(x: fx.Tensor) -> None:
            kernel(make(x)).launch(grid=2, block=128)

        return host.trace(F32, backend="cuda", arch="sm_90a").written

    def store(store: Any, coordinates: fx.Tensor) -> None:
        fx.copy(store, memory()[0], fx.zipped_divide(coordinates, (8, 32))[None, 0])

    assert trace(lambda x: fx.nvvm.make_tma_load(x, swizzled()), load) == ()
    assert trace(lambda x: fx.nvvm.make_tma_store(x, swizzled()), store) == (0,)


@pytest.mark.parametrize(("mask", "alignment"), [(3, 1024), (2, 512), (0, 128)])
def test_shared_memory_is_aligned_as_the_swizzles_pattern(mask: int, alignment: int) -> None:
    def make(x: fx.Tensor) -> Any:
        columns = 4 << mask if mask else 32
        return fx.nvvm.make_tma_load(x, swizzled(8, columns, mask) if mask else plain(8, columns))

    def body(load: Any, coordinates: fx.Tensor) -> None:
        shared = fx.SharedAllocator(base_alignment=16)
        part = fx.zipped_divide(coordinates, load.boxes.tile)[None, 0]
        full = shared.allocate(fx.Array[fx.Int64, 1]).ptr
        fx.copy(load, part, shared.allocate(fx.Array[fx.Float32, 256], alignment), mbar=full)
        fx.copy(load, part, shared.allocate(fx.Array[fx.Float32, 260], alignment // 2), mbar=full)

    text = rf"needs shared memory at a multiple of {alignment} bytes, and .* is at one of {alignment // 2}:"
    with pytest.raises(FrontendError, match=text):
        compiled(make, body)


def test_shared_memory_has_room_for_a_tile() -> None:
    def storage(load: Any, coordinates: fx.Tensor) -> None:
        full = fx.SharedAllocator().allocate(fx.Array[fx.Int64, 1]).ptr
        small = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 255], 1024)
        fx.copy(load, fx.zipped_divide(coordinates, (8, 32))[None, 0], small, mbar=full)

    def tensor(store: Any, coordinates: fx.Tensor) -> None:
        part = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 256], 1024).view(plain(8, 16))
        fx.copy(store, part, fx.zipped_divide(coordinates, (8, 32))[None, 0])

    with pytest.raises(FrontendError, match=r"TmaLoad.* moves 1024 bytes, and Storage.* has 1020: allocate as much"):
        compiled(lambda x: fx.nvvm.make_tma_load(x, swizzled()), storage)
    with pytest.raises(FrontendError, match=r"TmaStore.* moves 1024 bytes, and Tensor.* has 512: allocate as much"):
        compiled(lambda x: fx.nvvm.make_tma_store(x, plain(8, 32)), tensor)


def without(body: Body) -> Body:
    def changed(load: Any, coordinates: fx.Tensor) -> None:
        tile, full = memory()
        body(load, fx.zipped_divide(coordinates, (8, 32))[None, (0, 0)], tile, full)

    return changed


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (lambda load, part, tile, full: fx.copy(load, part, tile), r"fx\.copy by TmaLoad.* needs mbar="),
        (lambda load, part, tile, full: fx.copy(load, tile, part, mbar=full), "the source of TmaLoad.* is a part of"),
        (lambda load, part, tile, full: fx.copy(load, part, tile, mbar=full, mask=3), "has no state field 'mask'"),
        (lambda load, part, tile, full: fx.copy(load, part, tile, mbar=tile), "takes a pointer to a barrier"),
        (lambda load, part, tile, full: fx.copy(load, part, tile, mbar=full, pred=part), "takes no pred"),
        (
            lambda load, part, tile, full: fx.copy(load, part, tile, mbar=full, cache="x"),
            "cache of TmaLoad.* is one of",
        ),
        (
            lambda load, part, tile, full: fx.copy(load, fx.zipped_divide(part, (8, 16))[None, 0], tile, mbar=full),
            "has the coordinates .*, not those of one tile",
        ),
        (lambda load, part, tile, full: fx.nvvm.prefetch_tensor_map(tile), "needs an atom of the copy engine"),
        (lambda load, part, tile, full: fx.nvvm.prefetch_tile(tile, part), "needs an atom of the copy engine"),
        (lambda load, part, tile, full: fx.nvvm.prefetch_tile(load, tile), "the source of TmaLoad.* is a part of"),
    ],
)
def test_a_wrong_copy_is_an_error(body: Body, text: str) -> None:
    with pytest.raises(FrontendError, match=text):
        compiled(lambda x: fx.nvvm.make_tma_load(x, swizzled()), without(body))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x: fx.nvvm.make_tma_load(x, fx.make_layout((8, 32), (36, 1))), "make_tma_load: the copy engine writes"),
        (lambda x: fx.nvvm.make_tma_load(x, swizzled(8, 64)), "the rows of a box have 256 bytes, and the swizzle"),
        (lambda x: fx.nvvm.make_tma_load(x, swizzled(), (8, True)), "is positive numbers known while tracing"),
        (lambda x: fx.nvvm.make_tma_store(3, swizzled()), "make_tma_store needs a tensor in global memory, found 3"),
        (lambda x: fx.nvvm.make_tma_store(of_width(x, 33), swizzled()), "overwrite what is behind rows of 132 bytes"),
        (lambda x: fx.nvvm.make_tma_reduce(of_width(x, 33), swizzled()), "overwrite what is behind rows of 132 bytes"),
        (lambda x: fx.nvvm.make_tma_reduce(x, swizzled(), op="mul"), "op of fx.nvvm.make_tma_reduce is one of add"),
        (lambda x: fx.nvvm.make_tma_load(fx.zipped_divide(x, (8, 32)), swizzled()), "modes that are no tuples"),
        (lambda x: fx.nvvm.make_tma_load(x, plain(8, 32), 8), r"is positive numbers known while tracing, found 8"),
        (lambda x: fx.nvvm.make_tma_load(x, None), "smem_layout of fx.nvvm.make_tma_load is the layout of the tile"),
        (
            lambda x: fx.nvvm.make_tma_reduce(x, swizzled(), op="min"),
            "combines no elements of Float32 by 'min'; of these it has add",
        ),
        (
            lambda x: fx.nvvm.make_tma_reduce(of_type(x, fx.Int8), plain(8, 32)),
            "combines no elements of Int8 by 'add'; it does with u32, i32, u64, i64, f16, bf16, f32, f64",
        ),
        (
            lambda x: fx.nvvm.make_tma_reduce(of_type(x, fx.Int32), plain(8, 32), op="inc"),
            "combines no elements of Int32 by 'inc'; of these it has add, min, max, and, or, xor",
        ),
        (
            lambda x: fx.nvvm.make_tma_load(of_type(x, fx.Float4E2M1FN), plain(8, 32)),
            "the copy engine moves elements of 1, 2, 4 or 8 bytes, found Float4E2M1FN",
        ),
        (lambda x: fx.nvvm.make_tma_load(x, plain(8, 257)), "a box has at most 256 elements in a dimension, found 257"),
    ],
)
def test_a_map_that_cannot_be_is_an_error_of_its_line(make: Callable[[fx.Tensor], Any], text: str) -> None:
    with pytest.raises(FlyDSLError, match=text) as caught:
        compiled(make, lambda *made: None)
    assert "test_tma.py" in str(caught.value)


def test_maps_are_made_in_host_code_for_chips_that_have_the_engine() -> None:
    with pytest.raises(UnsupportedTargetError, match=r"sm_80 has no fx.nvvm.make_tma_load; chips that have it: sm_90"):
        compiled(lambda x: fx.nvvm.make_tma_load(x, swizzled()), load, arch="sm_80")
    inside = lambda load, coordinates: fx.nvvm.make_tma_load(coordinates, swizzled())  # noqa: E731
    with pytest.raises(FrontendError, match=r"make_tma_load is called in the @jit function"):
        compiled(lambda x: fx.nvvm.make_tma_load(x, swizzled()), inside)
