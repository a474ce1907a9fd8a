"""Matrix atoms of RDNA and gfx1250: text, layouts, and the words of refusals, which tools match."""

from __future__ import annotations

import re

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

import flydsl.layout as fl
from flydsl.ir.context import create_context
from flydsl_rocm.atoms.matrix_intrinsics import SCALED_FORMATS, WMMA
from flydsl_rocm.atoms.matrix_types import RocmMmaType
from flydsl_rocm.dialect import FLY_ROCDL

ELEMENTS = {"fp8": "f8E4M3FN", "bf8": "f8E5M2"}
SCALED = (
    "!fly_rocdl.gfx1250.wmma_scale<{}, opselA = {}, opselB = {}, modC = {}, reuseA = {}, reuseB = {}, blockSize = {}>"
)


def parse(text: str) -> RocmMmaType:
    type_ = Parser(create_context([FLY_ROCDL]), text).parse_type()
    assert isinstance(type_, RocmMmaType)
    return type_


def wmma(family: str, shape: str, flags: tuple[bool, bool, bool] = (False, False, False)) -> str:
    words = [f"{name} = {str(flag).lower()}" for name, flag in zip(("signA", "signB", "clamp"), flags, strict=True)]
    return f"!fly_rocdl.{family}.wmma<{shape}, {', '.join(words)}>"


def scaled(shape: str, opsel: tuple[int, int] = (0, 0), mod_c: int = 0, block: int = 32) -> str:
    return SCALED.format(shape, *opsel, mod_c, "false", "true", block)


def all_atoms() -> list[str]:
    texts = []
    for family, (m, n, k, a, b, acc) in WMMA:
        texts.append(wmma(family, f"{m}x{n}x{k}, ({ELEMENTS.get(a, a)}, {ELEMENTS.get(b, b)}) -> {acc}"))
    for a in SCALED_FORMATS:
        texts += [scaled(f"16x16x128, ({a}, {b}) -> f32", block=block) for b in SCALED_FORMATS for block in (16, 32)]
    return [*texts, scaled("32x16x128, (f4E2M1FN, f4E2M1FN) -> f32")]


@pytest.mark.parametrize("text", all_atoms())
def test_threads_and_values_cover_every_matrix_element(text: str) -> None:
    type_ = parse(text)
    assert str(type_) == text
    m, n, k = type_.shape_mnk
    replicas = 2 if "gfx11." in text else 1
    for layout, extent, copies in zip(type_.tv_layouts, (m * k, n * k, m * n), (replicas, replicas, 1), strict=True):
        reached = sorted(layout(i) for i in range(fl.size(layout)))
        assert reached == sorted(list(range(extent)) * copies)
        assert fl.size(fl.get(layout, 0)) == fl.size(type_.thr_layout)


@pytest.mark.parametrize("element", ["i8", "si8", "ui8", "i4", "si4", "ui4"])
def test_integers_of_any_signedness_are_operands(element: str) -> None:
    text = wmma("gfx11", f"16x16x16, ({element}, {element}) -> i32", (True, False, True))
    assert str(parse(text)) == text


def test_scales_of_one_size_have_the_layout_of_other_atoms_where_that_is_right() -> None:
    eight = parse(scaled("16x16x128, (f8E4M3FN, f8E5M2) -> f32")).tv_layouts
    plain = parse(wmma("gfx1250", "16x16x128, (f8E4M3FN, f8E5M2) -> f32")).tv_layouts
    assert eight == plain
    mixed = parse(scaled("16x16x128, (f8E4M3FN, f4E2M1FN) -> f32")).tv_layouts
    assert [str(layout) for layout in mixed[:2]] == [
        "((16,2),(16,4)):((1,256),(16,512))",
        "((16,2),(32,2)):((1,512),(16,1024))",
    ]


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_values_of_a_packed_accumulator_are_rows_in_order(kind: str) -> None:
    """Element 2r and 2r + 1 of the vector are the halves of register r, which are rows 2r and 2r + 1."""
    result = parse(wmma("gfx1250", f"16x16x32, ({kind}, {kind}) -> {kind}")).tv_layouts[2]
    assert [result(32 * value) for value in range(8)] == list(range(8))


EIGHT = "(f8E4M3FN, f8E4M3FN) -> f32"
REFUSED = [
    (wmma("gfx11", "16x16x32, (f16, f16) -> f32"), "GFX11 WMMA requires M=N=K=16, got 16x16x32"),
    (
        wmma("gfx11", "16x16x16, (f32, f32) -> f32"),
        "unsupported GFX11 WMMA configuration: 16x16x16 with A='f32', B='f32', Acc='f32'",
    ),
    (
        wmma("gfx11", "16x16x16, (bf16, bf16) -> f32", (True, False, False)),
        "GFX11 WMMA fp16/bf16 path does not accept signA/signB/clamp (",
    ),
    (
        wmma("gfx120x", "16x16x32, (f16, f16) -> f32"),
        "GFX120X WMMA floating-point forms require M=N=K=16, got 16x16x32",
    ),
    (
        wmma("gfx120x", "16x16x64, (i8, i8) -> i32"),
        "unsupported GFX120X WMMA configuration: 16x16x64 with A='i8', B='i8', Acc='i32'",
    ),
    (
        wmma("gfx120x", "16x16x16, (f8E4M3FNUZ, f8E4M3FNUZ) -> f32"),
        "unsupported GFX120X WMMA configuration: 16x16x16 with A='f8E4M3FNUZ', B='f8E4M3FNUZ', Acc='f32'",
    ),
    (
        wmma("gfx120x", "16x16x16, (f8E4M3FN, f8E5M2) -> f32", (False, False, True)),
        "GFX120X WMMA floating-point path does not accept signA/signB/clamp (",
    ),
    (
        wmma("gfx1250", "16x16x32, (f16, f16) -> f32", (False, True, False)),
        "signA/signB/clamp are only valid for integer (iu4/iu8) WMMA, got A='f16'",
    ),
    (
        wmma("gfx1250", "16x16x16, (f16, f16) -> f32"),
        "unsupported GFX1250 WMMA configuration: 16x16x16 with A='f16', B='f16', Acc='f32'",
    ),
    (scaled(f"16x16x64, {EIGHT}", block=8), "blockSize must be 16 or 32, got 8"),
    (
        scaled(f"16x16x64, {EIGHT}"),
        "unsupported MNK for GFX1250 WMMA_Scale: 16x16x64 (expected 16x16x128 or 32x16x128)",
    ),
    (
        scaled(f"32x16x128, {EIGHT}"),
        "GFX1250 WMMA_Scale 32x16x128 requires f4E2M1FN A and B, got A='f8E4M3FN', B='f8E4M3FN'",
    ),
    (scaled("16x16x128, (f16, f8E4M3FN) -> f32"), "GFX1250 WMMA_Scale takes f8E4M3FN, f8E5M2, f6E2M3FN"),
    (scaled("16x16x128, (f8E5M2, f8E5M2) -> f16"), "GFX1250 WMMA_Scale has an f32 accumulator, got 'f16'"),
    (scaled(f"16x16x128, {EIGHT}", opsel=(2, 0)), "opselA must be 0 or 1"),
    (scaled(f"16x16x128, {EIGHT}", opsel=(0, 2)), "opselB must be 0 or 1"),
    (scaled(f"16x16x128, {EIGHT}", mod_c=65536), "modC must be in 0..65535, got 65536"),
]


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_refusals_have_their_words(text: str, words: str) -> None:
    with pytest.raises(ParseError, match=re.escape(words)):
        parse(text)
