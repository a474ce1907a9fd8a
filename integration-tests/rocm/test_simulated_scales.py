"""Scaled products on simulated gfx950 and gfx1250: tiles of narrow floats, scales as state of atoms in control flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.matrix_atoms import KINDS, draw

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, IRError
from flydsl_hipsim.bench import HipsimBench

WAVES = {"gfx950": 64, "gfx1250": 32}
ONE = 0x7F7F7F7F
PLAIN = fx.make_layout((1, 1, 1), (1, 1, 1))


def scaled(chip: str, a: str, b: str) -> Any:
    """The operation 16x16x128 of a chip, made while tracing."""
    make = fx.rocdl.cdna4.MFMAScale if chip == "gfx950" else fx.rocdl.WMMAScale
    return make(16, 16, 128, KINDS[a][0], KINDS[b][0])


def tiled_product(chip: str, kinds: tuple[str, str]) -> Any:
    """C = (A * scales) @ (B * scales).T of whole tiles: a and b as Float32, scales a byte each 32 k, as Int32."""

    @flyc.kernel
    def kernel(a: fx.Tensor, b: fx.Tensor, scales_a: fx.Tensor, scales_b: fx.Tensor, c: fx.Tensor):
        lane = fx.thread_idx.x
        tiled = fx.make_tiled_mma(fx.make_mma_atom(scaled(chip, *kinds)), PLAIN)
        thread = tiled.get_slice(lane)
        part_a, part_b, part_c = thread.partition_A(a), thread.partition_B(b), thread.partition_C(c)
        frag_a, frag_b = tiled.make_fragment_A(part_a), tiled.make_fragment_B(part_b)
        frag_c = tiled.make_fragment_C(part_c)
        frag_a.store(part_a.load().to(KINDS[kinds[0]][0]))
        frag_b.store(part_b.load().to(KINDS[kinds[1]][0]))
        frag_c.fill(0)

        def with_scales(atom: Any, tile: tuple[int, int, int]) -> Any:
            m, n, k = tile
            row_a, row_b = m * 16 + lane % 16, n * 16 + lane % 16
            if chip == "gfx950":  # the byte of the 32 k that the thread has
                byte = k * 4 + lane // 16
                return atom.set_value({"scale_a": scales_a[row_a, byte], "scale_b": scales_b[row_b, byte]})
            words = []
            for scales, row in ((scales_a, row_a), (scales_b, row_b)):
                codes = fx.Vector.from_elements([scales[row, k * 4 + i].to(fx.Int8) for i in range(4)])
                words.append(codes)
            return atom.set_value({"scale_a": words[0], "scale_b": words[1]})

        fx.gemm(tiled, frag_c, frag_a, frag_b, frag_c, atom_callback=with_scales)
        part_c.store(frag_c.load())

    @flyc.jit
    def launch(a: fx.Tensor, b: fx.Tensor, scales_a: fx.Tensor, scales_b: fx.Tensor, c: fx.Tensor):
        kernel(a, b, scales_a, scales_b, c).launch(grid=1, block=WAVES[chip])

    return launch


@pytest.mark.parametrize("chip", WAVES)
@pytest.mark.parametrize(
    "kinds", [("f4E2M1FN", "f4E2M1FN"), ("f6E3M2FN", "f8E4M3FN"), ("f8E5M2", "f4E2M1FN")], ids="-".join
)
def test_a_tile_of_scaled_products(
    chip: str, kinds: tuple[str, str], hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    m, n, k = 32, 16, 256
    a, b = draw(rng, kinds[0], (m, k)), draw(rng, kinds[1], (n, k))
    codes = [rng.integers(124, 131, (rows, k // 32)).astype(np.int32) for rows in (m, n)]
    factors = [np.repeat(2.0 ** (code - 127.0), 32, axis=1) for code in codes]
    c = np.full((m, n), np.nan, np.float32)
    static = [flyc.from_dlpack(array) for array in (a.astype(np.float32), b.astype(np.float32), *codes, c)]
    tiled_product(chip, kinds)(*static)
    np.testing.assert_array_equal(c, (a * factors[0]) @ (b * factors[1]).T)


def summed(chip: str, use: Callable[..., None]) -> Any:
    """y = a sum of products of ones, 128 each; `use(atom, step, scales, count)` multiplies with state of its choice."""
    count = 32 if chip == "gfx950" else 64

    @flyc.kernel
    def kernel(scales: fx.Tensor, y: fx.Tensor, steps: fx.Int32):
        op = scaled(chip, "f8E4M3FN", "f8E4M3FN")
        operands = [fx.make_rmem_tensor((count, 1, 1), fx.Float8E4M3FN) for _ in range(2)]
        for operand in operands:
            operand.fill(fx.Float8E4M3FN(1))
        sums = fx.make_rmem_tensor((256 // WAVES[chip], 1, 1), fx.Float32)
        sums.fill(0)
        use(op, lambda atom: fx.gemm(atom, sums, *operands, sums), scales, steps)
        y[fx.thread_idx.x] = sums[0]

    @flyc.jit
    def launch(scales: fx.Tensor, y: fx.Tensor, steps: fx.Int32):
        kernel(scales, y, steps).launch(grid=1, block=WAVES[chip])

    return launch


def carried(op: Any, multiply: Callable[[Any], None], scales: Any, steps: Any) -> None:
    atom = fx.make_mma_atom(op).set_value({"scale_a": ONE, "scale_b": ONE})
    for i in range(steps):
        multiply(atom)
        atom = atom.set_value("scale_a", scales[i])
    if steps > 2:
        atom = atom.set_value("scale_b", ONE - 0x01010101)
    multiply(atom)


def carried_by_a_tiled_product(op: Any, multiply: Callable[[Any], None], scales: Any, steps: Any) -> None:
    tiled = fx.make_tiled_mma(fx.make_mma_atom(op), PLAIN).set_value({"scale_a": ONE, "scale_b": ONE})
    for i in range(steps):
        multiply(tiled)
        tiled = tiled.set_value("scale_a", scales[i])
    if steps > 2:
        tiled = tiled.set_value("scale_b", ONE - 0x01010101)
    multiply(tiled)


@pytest.mark.parametrize("chip", WAVES)
@pytest.mark.parametrize("use", [carried, carried_by_a_tiled_product])
def test_control_flow_carries_the_state_of_an_atom(chip: str, use: Callable[..., None], hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    scales = np.array([0x80808080, 0x81818181, ONE], np.uint32).view(np.int32)
    launch, y = summed(chip, use), np.zeros(WAVES[chip], np.float32)
    for steps, factor in ((0, 1), (1, 1 + 2), (3, 1 + 2 + 4 + 0.5)):
        launch(scales, y, steps)
        np.testing.assert_array_equal(y, np.full_like(y, 128 * factor))


@pytest.mark.parametrize(("chip", "expected"), [("gfx950", 128), ("gfx1250", 0)])
def test_scales_that_are_not_set_are_zero(chip: str, expected: float, hipsim: HipsimBench) -> None:
    """Which the compiler takes for no scales on gfx950, and the chip for 2**-127 each on gfx1250."""
    hipsim.use(chip)
    launch = summed(chip, lambda op, multiply, *_: multiply(fx.make_mma_atom(op)))
    y = np.ones(WAVES[chip], np.float32)
    launch(np.zeros(1, np.int32), y, 0)
    np.testing.assert_array_equal(y, np.full_like(y, expected))


def test_a_tiled_product_has_the_state_that_its_atom_had_on_the_host(hipsim: HipsimBench) -> None:
    @flyc.kernel
    def kernel(tiled: fx.TiledMma, atom: fx.MmaAtom, y: fx.Tensor):
        operands = [fx.make_rmem_tensor((64, 1, 1), fx.Float8E4M3FN) for _ in range(2)]
        for operand in operands:
            operand.fill(fx.Float8E4M3FN(1))
        sums = fx.make_rmem_tensor((8, 1, 1), fx.Float32)
        sums.fill(0)
        for each in (tiled, tiled.atom, atom):
            fx.gemm(each, sums, *operands, sums)
        y[fx.thread_idx.x] = sums[0]

    @flyc.jit
    def launch(scale: fx.Int64, y: fx.Tensor):
        op = fx.rocdl.WMMAScale(16, 16, 128, fx.Float8E4M3FN, block_size=16)
        atom = fx.make_mma_atom(op).set_value({"scale_a": scale, "scale_b": fx.Vector.filled(8, 127, fx.Int8)})
        kernel(fx.make_tiled_mma(atom, PLAIN), atom, y).launch(grid=1, block=32)

    hipsim.use("gfx1250")
    y = np.zeros(32, np.float32)
    for exponent in (0, 2):
        launch((127 + exponent) * 0x0101010101010101 - (1 << 64) * (exponent > 0), y)
        np.testing.assert_array_equal(y, np.full_like(y, 3 * 128 * 2**exponent))


@pytest.mark.parametrize(("mod_c", "expected"), [(0, 123), (1, 133), (2, 133), (3, 123)])
def test_c_is_negated_and_made_positive(mod_c: int, expected: float, hipsim: HipsimBench) -> None:
    @flyc.kernel
    def kernel(y: fx.Tensor):
        op = fx.rocdl.WMMAScale(16, 16, 128, fx.Float8E4M3FN, mod_c=mod_c, reuse_a=True, reuse_b=True)
        atom = fx.make_mma_atom(op).set_value({"scale_a": ONE, "scale_b": ONE})
        operand, sums = fx.make_rmem_tensor(64, fx.Float8E4M3FN), fx.make_rmem_tensor(8, fx.Float32)
        operand.fill(fx.Float8E4M3FN(1))
        sums.fill(-5)
        fx.mma_atom_call(atom, sums, operand, operand, sums)
        y[fx.thread_idx.x] = sums[0]

    @flyc.jit
    def launch(y: fx.Tensor):
        kernel(y).launch(grid=1, block=32)

    hipsim.use("gfx1250")
    y = np.zeros(32, np.float32)
    launch(y)
    np.testing.assert_array_equal(y, np.full(32, expected, np.float32))
    isa = launch.trace(y, arch="gfx1250").lower().compile().disassemble()
    assert "matrix_a_reuse matrix_b_reuse" in isa


def refused(op: Callable[[], Any], counts: tuple[int, int, int], **state: Any) -> Any:
    @flyc.kernel
    def kernel(y: fx.Tensor):
        frags = [fx.make_rmem_tensor(count, fx.Float8E4M3FN) for count in counts[:2]]
        sums = fx.make_rmem_tensor(counts[2], fx.Float32)
        fx.mma_atom_call(fx.make_mma_atom(op()), sums, *frags, sums, **state)
        y[fx.thread_idx.x] = sums[0]

    @flyc.jit
    def launch(y: fx.Tensor):
        kernel(y).launch(grid=1, block=32)

    return launch


@pytest.mark.parametrize(
    ("options", "counts", "state", "error", "message"),
    [
        ({"block_size": 16}, (64, 64, 8), {"scale_a": 127}, IRError, "'scale_a' of .* has 64 bits, found .* i32"),
        ({}, (64, 64, 8), {"scale_a": 1 << 40}, IRError, "'scale_a' of .* has 32 bits, found .* i64"),
        ({}, (64, 64, 8), {"scale": 127}, FrontendError, "no state field 'scale'; it has"),
        ({}, (32, 64, 8), {}, IRError, "operand a of .* has 32 values in a thread, where the atom has 64"),
        ({}, (64, 64, 4), {}, IRError, "operand d of .* has 4 values in a thread, where the atom has 8"),
        ({"mod_c": 4}, (64, 64, 8), {}, FrontendError, "mod_c is 1 to negate C"),
        ({"opsel_a": 2}, (64, 64, 8), {}, FrontendError, "opselA must be 0 or 1"),
        ({"block_size": 64}, (64, 64, 8), {}, FrontendError, "blockSize must be 16 or 32, got 64"),
    ],
)
def test_what_an_atom_cannot_take_is_told_with_its_line(
    options: dict[str, int], counts: tuple[int, int, int], state: dict[str, int], error: type[Exception], message: str
) -> None:
    op = lambda: fx.rocdl.WMMAScale(16, 16, 128, fx.Float8E4M3FN, **options)  # noqa: E731
    with pytest.raises(error, match=message) as caught:
        refused(op, counts, **state).trace(np.zeros(32, np.float32), arch="gfx1250").lower().compile()
    assert "fx.mma_atom_call(fx.make_mma_atom(op())" in str(caught.value)
