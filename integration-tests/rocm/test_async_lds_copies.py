"""gfx950's asynchronous copies to LDS with marks: the code has the waits asked for, and is right when simulated."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure
from flydsl_hipsim.bench import HipsimBench

THREADS, WAVE = 128, 64
ORDERS = ["forward", "backward", "random:3"]


@pytest.fixture(autouse=True)
def chip(hipsim: HipsimBench) -> HipsimBench:
    hipsim.use("gfx950")
    return hipsim


def atom(kind: str, bits: int) -> Any:
    make = fx.rocdl.cdna4.BufferLoadAsyncLDS if kind == "buffer" else fx.rocdl.cdna4.GlobalLoadAsyncLDS
    return fx.make_copy_atom(make(bits), fx.Float32)


def memory(kind: str, x: fx.Tensor) -> fx.Tensor:
    return fx.rocdl.make_buffer_tensor(x, max_size=False) if fx.const_expr(kind == "buffer") else x


def shared(count: int) -> fx.Tensor:
    place = fx.SharedAllocator().allocate(count * 4, 16)
    return fx.make_view(fx.recast_iter(fx.Float32, place), fx.make_layout(count, 1))


def start(copy: Any, source: fx.Tensor, first: Any, lds: fx.Tensor, place: Any, width: int, **state: Any) -> None:
    """Each wave of the block copies its part of THREADS * width elements."""
    mine = fx.logical_divide(source, fx.make_layout(width, 1))[None, first + fx.thread_idx.x]
    wave = fx.thread_idx.x // WAVE * WAVE
    fx.copy(copy, mine, fx.make_view(fx.get_iter(lds) + (place + wave) * width, fx.make_layout(width, 1)), **state)


def pipelined(kind: str, bits: int, stages: int, copies: int = 1) -> Any:
    """Sums over tiles, of which `stages` - 1 are on their way while one is used."""
    width = bits // 32
    tile = THREADS * copies

    def fetch(copy: Any, source: fx.Tensor, lds: fx.Tensor, number: Any) -> None:
        for part in fx.range_constexpr(copies):
            start(copy, source, number * tile + part * THREADS, lds, number % stages * tile + part * THREADS, width)
        fx.rocdl.asyncmark()

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, count: fx.Int32):
        i, copy, source, lds = fx.thread_idx.x, atom(kind, bits), memory(kind, x), shared(stages * tile * width)
        for number in fx.range_constexpr(stages - 1):
            fetch(copy, source, lds, fx.Int32(number))
        total = fx.Float32(0)
        for number in range(count):
            fetch(copy, source, lds, fx.min(number + stages - 1, count + stages - 2))
            fx.rocdl.wait_asyncmark(stages - 1)
            fx.barrier()
            for part in fx.range_constexpr(copies):
                for e in fx.range_constexpr(width):
                    opposite = THREADS - 1 - i
                    total = total + lds[(number % stages * tile + part * THREADS + opposite) * width + e]
            fx.barrier()
        y[THREADS - 1 - i] = total
        fx.rocdl.wait_asyncmark(0)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, count: fx.Int32):
        kernel(x, y, count).launch(grid=1, block=THREADS)

    return host


def padded(rng: np.random.Generator, tiles: int, stages: int, size: int) -> np.ndarray[Any, Any]:
    return rng.integers(-50, 50, ((tiles + stages - 1), size)).astype(np.float32)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("bits", [32, 96, 128])
@pytest.mark.parametrize("kind", ["buffer", "global"])
def test_tiles_are_on_their_way_while_one_is_used(
    chip: HipsimBench, kind: str, bits: int, stages: int, copies: int, order: str, rng: np.random.Generator
) -> None:
    chip.set_order(order)
    width, tiles = bits // 32, 5
    x = padded(rng, tiles, stages, copies * THREADS * width)
    y = np.zeros(THREADS, np.float32)
    pipelined(kind, bits, stages, copies)(x.ravel(), y, tiles)
    expected = x[:tiles].reshape(tiles, copies, THREADS, width).sum(axis=(0, 1, 3), dtype=np.float64)
    np.testing.assert_array_equal(y, expected)


def isa(function: Any, *arguments: Any, arch: str = "gfx950") -> str:
    code: str = function.trace(*arguments, arch=arch).lower().compile().disassemble()
    return code


def waits(code: str) -> list[int]:
    """The counts of vector memory that the code waits for, in order."""
    return [int(n) for n in re.findall(r"s_waitcnt vmcnt\((\d+)\)", code)]


@pytest.mark.parametrize(("stages", "copies"), [(2, 1), (3, 1), (3, 4)])
@pytest.mark.parametrize("kind", ["buffer", "global"])
def test_the_code_has_the_waits_that_are_asked_for(kind: str, stages: int, copies: int) -> None:
    arguments = np.zeros(1 << 16, np.float32), np.zeros(THREADS, np.float32), 3
    code = isa(pipelined(kind, 128, stages, copies), *arguments)
    loads = "buffer_load_dwordx4 .* lds" if kind == "buffer" else "global_load_lds_dwordx4"
    assert len(re.findall(loads, code)) == stages * copies
    assert waits(code) == [(stages - 1) * copies, 0]


def stepping(body: Any) -> Any:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, flag: fx.Int32):
        copy, source, lds = atom("global", 128), x, shared(4 * 512)
        body(lambda place: start(copy, source, place * THREADS, lds, place * THREADS, 4), flag)
        fx.barrier()
        y[fx.thread_idx.x] = lds[fx.thread_idx.x]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, flag: fx.Int32):
        kernel(x, y, flag).launch(grid=1, block=THREADS)

    return host


def several_groups(copy: Any, flag: Any) -> None:
    copy(0)
    fx.rocdl.asyncmark()
    copy(1)
    copy(2)
    fx.rocdl.asyncmark()
    copy(3)
    fx.rocdl.wait_asyncmark(2)
    fx.rocdl.wait_asyncmark(1)
    fx.rocdl.wait_asyncmark(0)


def on_one_way_only(copy: Any, flag: Any) -> None:
    copy(0)
    fx.rocdl.asyncmark()
    if flag > 0:
        copy(1)
        copy(2)
    else:
        copy(3)
    fx.rocdl.wait_asyncmark(0)


def marked_on_one_way_only(copy: Any, flag: Any) -> None:
    copy(0)
    fx.rocdl.asyncmark()
    copy(1)
    if flag > 0:
        copy(2)
        fx.rocdl.asyncmark()
    fx.rocdl.wait_asyncmark(0)


def in_a_loop(copy: Any, flag: Any) -> None:
    copy(0)
    fx.rocdl.asyncmark()
    copy(1)
    for _ in range(flag):
        copy(2)
    fx.rocdl.wait_asyncmark(0)


def more_than_can_be_counted(copy: Any, flag: Any) -> None:
    copy(0)
    fx.rocdl.asyncmark()
    for _ in fx.range_constexpr(70):
        copy(1)
    fx.rocdl.wait_asyncmark(0)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (several_groups, [3, 1]),
        (on_one_way_only, [1]),
        (marked_on_one_way_only, [0]),
        (in_a_loop, [1]),
        (more_than_can_be_counted, [63]),
    ],
)
def test_a_wait_is_for_the_way_with_the_fewest_copies(body: Any, expected: list[int]) -> None:
    code = isa(stepping(body), np.zeros(4 * 512, np.float32), np.zeros(THREADS, np.float32), 1)
    assert waits(code) == expected


@pytest.mark.parametrize("flag", [0, 1, 3])
@pytest.mark.parametrize("body", [several_groups, on_one_way_only, marked_on_one_way_only, in_a_loop])
def test_what_was_waited_for_is_there(chip: HipsimBench, body: Any, flag: int, rng: np.random.Generator) -> None:
    chip.set_check("waits")
    x, y = rng.standard_normal(4 * 512).astype(np.float32), np.zeros(THREADS, np.float32)
    stepping(body)(x, y, flag)
    np.testing.assert_array_equal(y, x[:THREADS])


def test_what_was_not_waited_for_is_found(chip: HipsimBench) -> None:
    chip.set_check("waits")
    function = stepping(lambda copy, flag: copy(0))
    with pytest.raises(RuntimeFailure, match="missing wait"):
        function(np.zeros(4 * 512, np.float32), np.zeros(THREADS, np.float32), 1)


def test_offsets_of_the_instruction(rng: np.random.Generator) -> None:
    """`soffset` in elements; `imm_offset` in bytes moves the address in LDS too."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, step: fx.Int32):
        lds, i = shared(4 * 512), fx.thread_idx.x
        start(atom("buffer", 128), memory("buffer", x), 0, lds, 0, 4, soffset=step, imm_offset=64)
        fx.rocdl.asyncmark()
        fx.rocdl.wait_asyncmark(0)
        fx.barrier()
        y[i] = lds[i + 16]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, step: fx.Int32):
        kernel(x, y, step).launch(grid=1, block=THREADS)

    x, y = rng.standard_normal(4 * 512).astype(np.float32), np.zeros(THREADS, np.float32)
    host(x, y, 100)
    np.testing.assert_array_equal(y, x[116 : 116 + THREADS])


def test_an_offset_of_each_thread_is_left_to_llvm(rng: np.random.Generator) -> None:
    """Not the same in all threads of a wave: LLVM loops over the values, and waits itself."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        lds, i = shared(512), fx.thread_idx.x
        start(atom("buffer", 128), memory("buffer", x), 0, lds, 0, 4, soffset=i // 32 * 4)
        fx.rocdl.asyncmark()
        fx.rocdl.wait_asyncmark(0)
        fx.barrier()
        for e in fx.range_constexpr(4):
            y[4 * i + e] = lds[4 * i + e]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=THREADS)

    x, y = rng.standard_normal(1024).astype(np.float32), np.zeros(512, np.float32)
    host(x, y)
    thread = np.arange(512) // 4
    np.testing.assert_array_equal(y, x[np.arange(512) + thread // 32 * 4])
