"""One call of a matrix atom: registers filled by its layouts, executed, and compared with NumPy's product."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.layout as fl
from flydsl_rocm.atoms.matrix_intrinsics import MFMA_BLOCKS, SCALED_FORMATS, WMMA
from flydsl_rocm.features import Feature
from flydsl_rocm.target import TARGETS

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
FAMILIES = {"gfx11": Feature.WMMA_GFX11, "gfx120x": Feature.WMMA_GFX12, "gfx1250": Feature.WMMA_GFX1250}
KINDS: dict[str, tuple[Any, Any]] = {
    "f64": (fx.Float64, np.float64),
    "f32": (fx.Float32, np.float32),
    "f16": (fx.Float16, np.float16),
    "bf16": (fx.BFloat16, ml_dtypes.bfloat16),
    "i32": (fx.Int32, np.int32),
    "i8": (fx.Int8, np.int8),
    "i4": (fx.Int4, np.int8),
    "f8E4M3FN": (fx.Float8E4M3FN, ml_dtypes.float8_e4m3fn),
    "f8E5M2": (fx.Float8E5M2, ml_dtypes.float8_e5m2),
    "f8E4M3FNUZ": (fx.Float8E4M3FNUZ, ml_dtypes.float8_e4m3fnuz),
    "f8E5M2FNUZ": (fx.Float8E5M2FNUZ, ml_dtypes.float8_e5m2fnuz),
    "f6E2M3FN": (fx.Float6E2M3FN, ml_dtypes.float6_e2m3fn),
    "f6E3M2FN": (fx.Float6E3M2FN, ml_dtypes.float6_e3m2fn),
    "f4E2M1FN": (fx.Float4E2M1FN, ml_dtypes.float4_e2m1fn),
}
_FLOATS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
"""Exact in every float type, and so are their products and sums in f32."""


@dataclass(frozen=True)
class MatrixAtom:
    """An operation with the kinds of its operands; `signs` of integers a and b; `scales`: of how many k each."""

    chip: str
    name: str
    make: Callable[[], Any]
    a: str
    b: str
    acc: str
    signs: tuple[bool, bool] = (True, True)
    clamp: bool = False
    scales: int = 0
    state: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.chip}-{self.name}"

    def type(self) -> Any:
        """The operation's type in the dialect."""
        from flydsl_rocm.target import target_of

        return self.make().make(target_of(self.chip))


def draw(rng: np.random.Generator, kind: str, shape: tuple[int, int], signed: bool = True) -> np.ndarray:
    """Numbers of a kind, in float64."""
    if kind in ("i8", "i4", "i32"):
        bits = min(int(kind[1:]), 12)
        low, high = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
        return rng.integers(low, high, shape).astype(np.float64)
    return rng.choice(_FLOATS, shape) * rng.choice([-1.0, 1.0], shape)


def codes_of(values: np.ndarray, kind: str) -> tuple[np.ndarray, int]:
    """The bits of numbers, and how many bits each has."""
    numeric, dtype = KINDS[kind]
    if kind.startswith("i"):
        return values.astype(np.int64) & ((1 << numeric.width) - 1), numeric.width
    typed = values.astype(np.float32).astype(dtype) if numeric.width < 32 else values.astype(dtype)
    return typed.view(f"u{typed.dtype.itemsize}").astype(np.uint64), numeric.width


def numbers_of(codes: np.ndarray, kind: str) -> np.ndarray:
    """The numbers of bits, in float64."""
    dtype = np.dtype(KINDS[kind][1])
    return codes.astype(f"u{dtype.itemsize}").view(dtype).astype(np.float64)


def positions(layout: Any, threads: int) -> np.ndarray:
    """(thread, value) -> position in the operand."""
    return np.array([layout(i) for i in range(fl.size(layout))]).reshape(-1, threads).T


def words_of(values: np.ndarray, kind: str, layout: Any, threads: int) -> np.ndarray:
    """What the registers of each thread hold of a matrix, as words."""
    codes, bits = codes_of(values, kind)
    held = codes.T.ravel()[positions(layout, threads)].astype(np.uint64)
    single = (held[..., None] >> np.arange(bits, dtype=np.uint64)) & np.uint64(1)
    return np.packbits(single.astype(np.uint8).reshape(threads, -1), axis=1, bitorder="little").view(np.int32)


def matrix_of(words: np.ndarray, kind: str, layout: Any, shape: tuple[int, int]) -> np.ndarray:
    """The matrix that the registers of all threads hold."""
    bits, threads = KINDS[kind][0].width, len(words)
    single = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").reshape(threads, -1, bits)
    codes = (single.astype(np.uint64) << np.arange(bits, dtype=np.uint64)).sum(axis=2, dtype=np.uint64)
    flat = np.zeros(shape[0] * shape[1], np.uint64)
    flat[positions(layout, threads)] = codes
    return numbers_of(flat, kind).reshape(shape[::-1]).T


def call_of(atom: MatrixAtom, words: tuple[int, int, int], threads: int) -> Any:
    """The host function: words of a, b, c, scales of a and b, and the words of d to be written."""

    @flyc.kernel
    def kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, sa: fx.Tensor, sb: fx.Tensor, d: fx.Tensor):
        mma = fx.make_mma_atom(atom.make())
        thread = fx.thread_idx.x
        frags = []
        for source, count, kind in zip((a, b, c), words, (atom.a, atom.b, atom.acc), strict=True):
            register = fx.make_rmem_tensor(count, fx.Int32)
            for i in fx.range_constexpr(count):
                register[i] = source[thread, i]
            held = register.load().bitcast(KINDS[kind][0])
            frag = fx.make_rmem_tensor(held.shape[0], KINDS[kind][0])
            frag.store(held)
            frags.append(frag)
        result = fx.make_rmem_tensor(frags[2].shape, KINDS[atom.acc][0])
        if fx.const_expr(atom.scales > 0):
            fx.mma_atom_call(mma, result, *frags, scale_a=sa[thread], scale_b=sb[thread])
        else:
            fx.mma_atom_call(mma, result, *frags)
        made = result.load().bitcast(fx.Int32)
        for i in fx.range_constexpr(words[2]):
            d[thread, i] = made[i]

    @flyc.jit
    def launch(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, sa: fx.Tensor, sb: fx.Tensor, d: fx.Tensor):
        kernel(a, b, c, sa, sb, d).launch(grid=1, block=threads)

    return launch


def run_atom(atom: MatrixAtom, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """d as the chip leaves it in the registers, and as NumPy makes it."""
    type_ = atom.type()
    (m, n, k), layouts, threads = type_.shape_mnk, type_.tv_layouts, fl.size(type_.thr_layout)
    a, b = draw(rng, atom.a, (m, k), atom.signs[0]), draw(rng, atom.b, (n, k), atom.signs[1])
    c = draw(rng, atom.acc, (m, n))
    if atom.clamp:
        c = np.where(rng.integers(0, 2, c.shape), 2.0**31 - 1, -(2.0**31))
    held = [
        words_of(values, kind, layout, threads)
        for values, kind, layout in zip((a, b, c), (atom.a, atom.b, atom.acc), layouts, strict=True)
    ]
    scales, factors = drawn_scales(rng, atom, (m, n, k), threads)
    d = np.zeros_like(held[2])
    call_of(atom, tuple(part.shape[1] for part in held), threads)(*held, *scales, d)  # type: ignore[arg-type]
    total = c + (a * factors[0]) @ (b * factors[1]).T
    if atom.acc == "i32":
        expected = np.clip(total, -(2.0**31), 2.0**31 - 1) if atom.clamp else total
    else:
        expected = numbers_of(codes_of(total, atom.acc)[0], atom.acc)
    return matrix_of(d, atom.acc, layouts[2], (m, n)), expected


def drawn_scales(
    rng: np.random.Generator, atom: MatrixAtom, shape: tuple[int, int, int], threads: int
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The words of the scales in each thread, and the factor of each element of a and b."""
    dtype = np.int64 if atom.scales == 16 else np.int32
    if not atom.scales:
        return [np.zeros(threads, dtype)] * 2, [np.ones((1, 1))] * 2
    m, n, k = shape
    words, factors = [], []
    for rows, opsel in ((m, atom.state.get("opsel_a", 0)), (n, atom.state.get("opsel_b", 0))):
        codes = rng.integers(125, 130, (rows, k // atom.scales))
        held = rng.integers(0, 256, (threads, np.dtype(dtype).itemsize)).astype(np.uint8)
        if threads == 64:  # CDNA: a byte of the word that each thread of a row has
            for run in range(64 // rows):
                held[np.arange(rows) + rows * run, opsel] = codes[:, run]
        else:
            held[np.arange(rows) + (16 * opsel if rows == 16 else 0)] = codes
        words.append(held.view(dtype)[:, 0])
        factors.append(np.repeat(2.0 ** (codes - 127.0), atom.scales, axis=1))
    return words, factors


def _kind(name: str, chip: str) -> str:
    return dict(zip(("fp8", "bf8"), TARGETS[chip].fp8, strict=True)).get(name, name)


def plain_atoms(chip: str) -> Iterator[MatrixAtom]:
    """Every product of the chip that has no scales."""
    target = TARGETS[chip]
    for ((m, n, k, *kinds), blocks), entry in MFMA_BLOCKS.items():
        if entry.feature in target.features:
            a, b, acc = (_kind(name, chip) for name in kinds)
            types = (KINDS[a][0], KINDS[b][0]), KINDS[acc][0]
            yield MatrixAtom(
                chip,
                entry.name.removeprefix("rocdl.") + ("" if blocks == 1 else f"-{blocks}blocks"),
                lambda m=m, n=n, k=k, types=types, blocks=blocks: fx.rocdl.MFMA(m, n, k, *types, blocks=blocks),
                *(a, b, acc),
            )
    for (family, (m, n, k, *kinds)), entry in WMMA.items():
        if entry.feature not in target.features or FAMILIES[family] not in target.features:
            continue
        a, b, acc = (_kind(name, chip) for name in kinds)
        types = (KINDS[a][0], KINDS[b][0]), KINDS[acc][0]
        both = [(first, second) for first in (False, True) for second in (False, True)]
        for signs in both if acc == "i32" else [(True, True)]:
            for clamp in (False, True) if acc == "i32" and signs == (True, False) else (False,):
                flags = {"signA": signs[0], "signB": signs[1], "clamp": clamp} if acc == "i32" else {}
                name = entry.name.removeprefix("rocdl.") + "".join(f"-{f}" for f, value in flags.items() if value)
                yield MatrixAtom(
                    chip,
                    name,
                    lambda m=m, n=n, k=k, types=types, flags=flags: fx.rocdl.WMMA(m, n, k, *types, **flags),
                    *(a, b, acc, signs, clamp),
                )


def _scaled_atoms() -> Iterator[MatrixAtom]:
    formats = list(SCALED_FORMATS)
    pairs = [(a, b) for a in formats for b in formats]
    for number, (a, b) in enumerate(pairs):
        for m, k in ((16, 128), (32, 64))[: 1 + (a == b)]:
            opsel = {"opsel_a": number % 4, "opsel_b": (number + 1) % 4}
            yield MatrixAtom(
                *("gfx950", f"mfma_scale-{m}-{a}-{b}"),
                lambda m=m, k=k, a=a, b=b, o=opsel: fx.rocdl.cdna4.MFMAScale(m, m, k, KINDS[a][0], KINDS[b][0], **o),
                *(a, b, "f32"),
                scales=32,
                state=opsel,
            )
    shapes = [(16, a, b) for a, b in pairs] + [(32, "f4E2M1FN", "f4E2M1FN")]
    for number, (m, a, b) in enumerate(shapes):
        for block in (32, 16)[: 1 + (number % 4 == 0 or m == 32)]:
            opsel = {"opsel_a": number % 2, "opsel_b": number // 2 % 2}
            yield MatrixAtom(
                *("gfx1250", f"wmma_scale-{m}-{a}-{b}-{block}"),
                lambda m=m, a=a, b=b, block=block, o=opsel: fx.rocdl.WMMAScale(
                    m, 16, 128, KINDS[a][0], KINDS[b][0], block_size=block, **o
                ),
                *(a, b, "f32"),
                scales=block,
                state=opsel,
            )


ATOMS = [*(atom for chip in CHIPS for atom in plain_atoms(chip)), *_scaled_atoms()]
