"""Matrix atoms: text, layouts, and the products that their layouts describe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

import flydsl.layout as fl
from flydsl.ir.context import create_context
from flydsl_rocm.atoms.matrix_intrinsics import MFMA, WMMA
from flydsl_rocm.atoms.matrix_types import RocmMmaType
from flydsl_rocm.dialect import FLY_ROCDL

TABLE = [
    json.loads(line) for line in (Path(__file__).parent.parent / "data/mma_atom_tv.jsonl").read_text().splitlines()
]
ELEMENTS = {"fp8": "f8E4M3FN", "bf8": "f8E5M2"}


def parse(text: str) -> RocmMmaType:
    type_ = Parser(create_context([FLY_ROCDL]), text).parse_type()
    assert isinstance(type_, RocmMmaType)
    return type_


def all_atoms() -> list[str]:
    texts = []
    for family, key in [(None, key) for key, entry in MFMA.items() if entry.blocks == 1] + list(WMMA):
        m, n, k, a, b, acc = key
        shape = f"{m}x{n}x{k}, ({ELEMENTS.get(a, a)}, {ELEMENTS.get(b, b)}) -> {acc}"
        flags = "" if family is None else ", signA = false, signB = false, clamp = false"
        texts.append(f"!fly_rocdl.{'cdna3.mfma' if family is None else f'{family}.wmma'}<{shape}{flags}>")
    texts += [row["atom"] for row in TABLE if "mfma_scale" in row["atom"]]
    return texts


@pytest.mark.parametrize("row", TABLE, ids=[row["atom"].partition(".")[2] for row in TABLE])
def test_layouts_are_those_of_the_reference_table(row: dict[str, str]) -> None:
    type_ = parse(row["atom"])
    assert str(type_) == row["atom"]
    assert str(type_.thr_layout) == row["thr"]
    assert [str(layout) for layout in type_.tv_layouts] == [row["atom_tvA"], row["atom_tvB"], row["atom_tvC"]]


@pytest.mark.parametrize("text", all_atoms())
def test_threads_and_values_cover_every_matrix_element(text: str) -> None:
    type_ = parse(text)
    m, n, k = type_.shape_mnk
    replicas = 2 if "gfx11." in text else 1
    for layout, extent, copies in zip(type_.tv_layouts, (m * k, n * k, m * n), (replicas, replicas, 1), strict=True):
        reached = sorted(layout(i) for i in range(fl.size(layout)))
        assert reached == sorted(list(range(extent)) * copies)
        assert fl.size(fl.get(layout, 0)) == fl.size(type_.thr_layout)


@pytest.mark.parametrize(
    "text",
    [
        "!fly_rocdl.cdna3.mfma<16x16x5, (f16, f16) -> f32>",
        "!fly_rocdl.cdna3.mfma<16x16x16, (f16, bf16) -> f32>",
        "!fly_rocdl.gfx11.wmma<16x16x32, (f16, f16) -> f32, signA = false, signB = false, clamp = false>",
        "!fly_rocdl.cdna4.mfma_scale<16x16x64, (f8E4M3FN, f8E4M3FN) -> f32, opselA = 0, opselB = 0>",
        "!fly_rocdl.cdna4.mfma_scale<16x16x128, (f8E4M3FN, f8E4M3FN) -> f32, opselA = 4, opselB = 0>",
    ],
)
def test_shapes_that_no_instruction_has_are_refused(text: str) -> None:
    with pytest.raises((ParseError, VerifyException)):
        parse(text)


def test_several_products_at_once_have_no_layout() -> None:
    with pytest.raises(VerifyException, match="several blocks"):
        _ = parse("!fly_rocdl.cdna3.mfma<4x4x1, (f32, f32) -> f32>").tv_layouts
