"""ROCDL intrinsics of matrix multiply-adds, by shape and element types.

Tables from LLVM's intrinsic definitions (IntrinsicsAMDGPU.td, ROCDLOps.td). A `None` operand type means a vector of
the elements.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, VectorType, i16, i32, i64
from xdsl.ir import Attribute

from flydsl_rocm.features import Feature


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """One instruction: `operand` is the type of a and b when it is not a vector of their elements.

    An instruction of several `blocks` computes as many independent products at once.
    """

    name: str
    feature: Feature
    operand: Attribute | None = None
    form: str = "plain"
    blocks: int = 1


Key = tuple[int, int, int, str, str, str]
"""M, N, K, then the kinds of a, b and the accumulator."""

_FP8 = {"f8E4M3FN": "fp8", "f8E4M3FNUZ": "fp8", "f8E5M2": "bf8", "f8E5M2FNUZ": "bf8"}


def kind_of(element: Attribute) -> str:
    """The name of an element type in the tables.

    Both kinds of fp8 share one, since a chip has only one of them, and so do signed, unsigned and signless integers,
    since the instruction's flags say which they are.
    """
    if isinstance(element, IntegerType):
        return f"i{element.width.data}"
    return _FP8.get(str(element), str(element))


def _ints(count: int, type_: IntegerType) -> VectorType[Attribute]:
    return VectorType(type_, [count])


def _mfma() -> dict[tuple[Key, int], Intrinsic]:
    base, cdna2, cdna3, cdna4 = Feature.MFMA, Feature.MFMA_GFX90A, Feature.MFMA_GFX942, Feature.MFMA_GFX950
    pair, four = _ints(2, i16), _ints(4, i16)
    table: dict[tuple[Key, int], Intrinsic] = {}

    def add(
        mn: int,
        k: int,
        kind: str,
        text: str,
        feature: Feature,
        operand: Attribute | None = None,
        blocks: int = 1,
    ) -> None:
        acc = {"i8": "i32", "f64": "f64"}.get(kind, "f32")
        name = f"rocdl.mfma.{acc}.{mn}x{mn}x{k}{text}"
        table[(mn, mn, k, kind, kind, acc), blocks] = Intrinsic(name, feature, operand, blocks=blocks)

    for mn, k in ((32, 2), (16, 4)):
        add(mn, k, "f32", "f32", base)
    for mn, k in ((32, 8), (16, 16)):
        add(mn, k, "f16", "f16", base)
        add(mn, k, "bf16", "bf16.1k", base, four)
        add(mn, k, "i8", "i8", cdna2, i32)
    for mn, k in ((32, 4), (16, 8)):
        add(mn, k, "bf16", "bf16", cdna2, pair)
    for mn, blocks in ((32, 2), (16, 4), (4, 16)):
        add(mn, 1, "f32", "f32", base, blocks=blocks)
        add(mn, 4, "f16", "f16", base, blocks=blocks)
        add(mn, 2, "bf16", "bf16", cdna2, pair, blocks)
        add(mn, 4, "bf16", "bf16.1k", base, four, blocks)
        add(mn, 4, "i8", "i8", base, i32, blocks)
    add(16, 4, "f64", "f64", base)
    add(4, 4, "f64", "f64", base, blocks=4)
    for mn, k in ((16, 32), (32, 16)):
        add(mn, k, "i8", ".i8", cdna3, i64)
        add(mn, k, "f16", ".f16", cdna4)
        add(mn, k, "bf16", ".bf16", cdna4)
        for a in ("fp8", "bf8"):
            for b in ("fp8", "bf8"):
                name = f"rocdl.mfma.f32.{mn}x{mn}x{k}.{a}.{b}"
                table[(mn, mn, k, a, b, "f32"), 1] = Intrinsic(name, Feature.MFMA_FP8, i64)
    for mn, k in ((16, 64), (32, 32)):
        add(mn, k, "i8", ".i8", cdna4, _ints(4, i32))
    return table


_WMMA_FEATURES = {
    "gfx11": Feature.WMMA_GFX11,
    "gfx120x": Feature.WMMA_GFX12,
    "gfx1250": Feature.WMMA_GFX1250,
}


def _wmma() -> dict[tuple[str, Key], Intrinsic]:
    table: dict[tuple[str, Key], Intrinsic] = {}

    def add(family: str, k: int, a: str, b: str, acc: str, text: str, operand: Attribute | None, form: str) -> None:
        name = f"rocdl.wmma.{acc}.16x16x{k}.{text}"
        table[family, (16, 16, k, a, b, acc)] = Intrinsic(name, _WMMA_FEATURES[family], operand, form)

    for family, lanes in (("gfx11", 16), ("gfx120x", 8)):
        add(family, 16, "f16", "f16", "f32", "f16", None, "plain")
        add(family, 16, "bf16", "bf16", "f32", "bf16", _ints(lanes, i16), "plain")
        half = "halves" if family == "gfx11" else "opsel"
        add(family, 16, "f16", "f16", "f16", "f16", None, half)
        add(family, 16, "bf16", "bf16", "bf16", "bf16", _ints(lanes, i16), half)
        add(family, 16, "i8", "i8", "i32", "iu8", _ints(lanes // 4, i32), "signed")
        add(family, 16, "i4", "i4", "i32", "iu4", _ints(2, i32) if family == "gfx11" else i32, "signed")
    add("gfx120x", 32, "i4", "i4", "i32", "iu4", _ints(2, i32), "signed")
    table["gfx1250", (16, 16, 32, "i4", "i4", "i32")] = table["gfx120x", (16, 16, 32, "i4", "i4", "i32")]
    for a in ("fp8", "bf8"):
        for b in ("fp8", "bf8"):
            add("gfx120x", 16, a, b, "f32", f"{a}_{b}", _ints(2, i32), "plain")
            for k in (64, 128):
                for acc in ("f32", "f16"):
                    add("gfx1250", k, a, b, acc, f"{a}_{b}", _ints(k // 8, i32), "plain")
    add("gfx1250", 4, "f32", "f32", "f32", "f32", None, "plain")
    for kind in ("f16", "bf16"):
        add("gfx1250", 32, kind, kind, "f32", kind, None, "plain")
        add("gfx1250", 32, kind, kind, kind, kind, None, "plain")
    add("gfx1250", 64, "i8", "i8", "i32", "iu8", _ints(8, i32), "signed")
    return table


MFMA_BLOCKS = _mfma()
"""By extents and types, and the number of blocks: 32x32x4 of bf16 is one block on gfx90a, or two anywhere."""
MFMA: dict[Key, Intrinsic] = {}
"""Of each shape the instruction of the fewest blocks."""
for (_key, _blocks), _found in sorted(MFMA_BLOCKS.items(), key=lambda item: item[0][1]):
    MFMA.setdefault(_key, _found)
WMMA = _wmma()
"""By family, extents and types. The gfx1250 atom of 4-bit integers is text only: gfx120x has its instruction."""

SCALED_FORMATS = {"f8E4M3FN": 0, "f8E5M2": 1, "f6E2M3FN": 2, "f6E3M2FN": 3, "f4E2M1FN": 4}
"""The element types of scaled instructions, and the numbers that these know them by."""
