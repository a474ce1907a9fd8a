"""Warp-group matrix atoms: thread-value layouts as PTX documents them, their text, and what there is not."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import Float8E4M3FNType, Float8E5M2Type, bf16, f16, f32, i8, i32
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.ir.context import create_context
from flydsl.ir.parse import parse_type
from flydsl_cuda.atoms.wgmma_types import WgmmaType
from flydsl_cuda.dialect import FLY_NVVM

E4M3, E5M2 = Float8E4M3FNType(), Float8E5M2Type()


def of(n: int, kind: Attribute = bf16, acc: Attribute = f32, a: str = "smem", **rest: tuple[str, str]) -> WgmmaType:
    bits = {"bf16": 16, "f16": 16, "f32": 32}.get(str(kind), 8)
    return WgmmaType((64, n, 256 // bits), kind, kind, acc, a, **rest)


@pytest.mark.parametrize("n", [8, 64, 256])
def test_accumulators_are_where_the_tensor_cores_leave_them(n: int) -> None:
    """Register i of thread t: row 16 w + t / 4 (+ 8), column 8 j + 2 (t mod 4) (+ 1)."""
    layout = of(n).tv_layouts[2]
    assert str(layout) == f"((4,8,4),(2,2,{n // 8})):((128,1,16),(64,8,512))"
    for thread in range(128):
        warp, lane = divmod(thread, 32)
        for i in range(n // 2):
            row = 16 * warp + lane // 4 + 8 * (i // 2 % 2)
            column = 8 * (i // 4) + 2 * (lane % 4) + i % 2
            assert layout((thread, i)) == row + 64 * column


@pytest.mark.parametrize(("kind", "neighbours"), [(bf16, 2), (f16, 2), (E4M3, 4), (i8, 4), (f32, 1)])
def test_a_in_registers_is_four_words_of_a_thread(kind: Attribute, neighbours: int) -> None:
    """Word w: row t / 4 (+ 8 when w is odd), the columns of thread t mod 4 in the left half (w < 2) or the right."""
    acc = i32 if kind == i8 else f32
    layout = of(64, kind, acc, a="reg").tv_layouts[0]
    for thread in range(128):
        warp, lane = divmod(thread, 32)
        for i in range(4 * neighbours):
            word, place = divmod(i, neighbours)
            row = 16 * warp + lane // 4 + 8 * (word % 2)
            column = 4 * neighbours * (word // 2) + neighbours * (lane % 4) + place
            assert layout((thread, i)) == row + 64 * column


def test_what_is_read_from_shared_memory_all_threads_have() -> None:
    atom = of(96)
    assert atom.memory_operands == {"a", "b"}
    assert of(96, a="reg").memory_operands == {"b"}
    a, b, _ = atom.tv_layouts
    for layout, rows in ((a, 64), (b, 96)):
        assert {layout((thread, 5)) for thread in range(128)} == {5}
        assert fl.size(layout[1]) == rows * 16


@pytest.mark.parametrize(
    "text",
    [
        "!fly_nvvm.sm90.wgmma<64x128x16, (bf16, bf16) -> f32, a = smem, majors = (k, k)>",
        "!fly_nvvm.sm90.wgmma<64x8x16, (f16, f16) -> f16, a = reg, majors = (k, mn)>",
        "!fly_nvvm.sm90.wgmma<64x256x32, (f8E4M3FN, f8E5M2) -> f32, a = smem, majors = (k, k)>",
    ],
)
def test_the_text_of_a_type_is_read_again(text: str) -> None:
    found = parse_type(text, create_context([FLY_NVVM]))
    assert isinstance(found, WgmmaType)
    assert str(found) == text


@pytest.mark.parametrize(
    ("kinds", "name"),
    [
        ((bf16, bf16, f32), "m64n64k16.f32.bf16.bf16"),
        ((f16, f16, f16), "m64n64k16.f16.f16.f16"),
        ((f32, f32, f32), "m64n64k8.f32.tf32.tf32"),
        ((E4M3, E5M2, f16), "m64n64k32.f16.e4m3.e5m2"),
        ((i8, i8, i32), "m64n64k32.s32.s8.s8"),
    ],
)
def test_names_of_instructions(kinds: tuple[Attribute, Attribute, Attribute], name: str) -> None:
    a, b, acc = kinds
    k = int(name.partition("k")[2].partition(".")[0])
    assert WgmmaType((64, 64, k), a, b, acc).ptx_name() == f"wgmma.mma_async.sync.aligned.{name}"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: of(260), "n of wgmma is a multiple of 8 from 8 to 256, found 260"),
        (lambda: of(12), "found 12"),
        (lambda: of(40, i8, i32), "a multiple of 16 from 8 to 256, found 40"),
        (lambda: WgmmaType((64, 64, 32), bf16, bf16, f32), "wgmma of bf16 is 64 x n x 16, found 64 x 64 x 32"),
        (lambda: WgmmaType((128, 64, 16), bf16, bf16, f32), "found 128 x 64 x 16"),
        (lambda: WgmmaType((64, 64, 16), bf16, f16, f32), "one type or both fp8; found bf16, f16"),
        (lambda: of(64, bf16, f16), "wgmma of bf16 adds to f32, found f16"),
        (lambda: of(64, i8, f32), "wgmma of i8 adds to i32"),
        (lambda: of(64, a="global"), "takes A from 'smem' or 'reg', found 'global'"),
        (lambda: of(64, E4M3, majors=("k", "mn")), "takes B with neighbours along K"),
        (lambda: of(64, majors=("row", "k")), "A of wgmma is 'k'-major or 'mn'-major, found 'row'"),
        (lambda: of(64, a="reg", majors=("mn", "k")), "A of wgmma is in registers"),
    ],
)
def test_what_there_is_not(make: object, message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        make()  # type: ignore[operator]
