"""Matrix atoms of CDNA: text, layouts, and the products that their layouts describe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

import flydsl.layout as fl
from flydsl.ir.context import create_context
from flydsl_rocm.atoms.matrix_intrinsics import MFMA_BLOCKS
from flydsl_rocm.atoms.matrix_types import RocmMmaType
from flydsl_rocm.dialect import FLY_ROCDL

DATA = Path(__file__).parent.parent / "data"
TABLE = [json.loads(line) for line in (DATA / "mma_atom_tv.jsonl").read_text().splitlines()]
DEVIATIONS = {
    row["atom"]: row for row in map(json.loads, (DATA / "mma_atom_deviations.jsonl").read_text().splitlines())
}
"""Where the table is wrong: the layouts that the instruction has, with the reason."""
ELEMENTS = {"fp8": "f8E4M3FN", "bf8": "f8E5M2"}


def parse(text: str) -> RocmMmaType:
    type_ = Parser(create_context([FLY_ROCDL]), text).parse_type()
    assert isinstance(type_, RocmMmaType)
    return type_


def all_atoms() -> list[str]:
    texts = []
    for (m, n, k, a, b, acc), blocks in MFMA_BLOCKS:
        types = f"({ELEMENTS.get(a, a)}, {ELEMENTS.get(b, b)}) -> {acc}"
        texts.append(f"!fly_rocdl.cdna3.mfma<{m}x{n}x{k}, {types}, blocks = {blocks}>")
    return texts + [row["atom"] for row in TABLE if "mfma_scale" in row["atom"]]


@pytest.mark.parametrize("row", TABLE, ids=[row["atom"].partition(".")[2] for row in TABLE])
def test_layouts_are_those_of_the_reference_table(row: dict[str, str]) -> None:
    type_ = parse(row["atom"])
    assert str(type_) == row["atom"]
    assert str(type_.thr_layout) == row["thr"]
    right = DEVIATIONS.get(row["atom"], row)
    assert [str(layout) for layout in type_.tv_layouts] == [right["atom_tvA"], right["atom_tvB"], right["atom_tvC"]]


@pytest.mark.parametrize("row", DEVIATIONS.values(), ids=DEVIATIONS)
def test_a_deviation_has_a_reason(row: dict[str, str]) -> None:
    assert row["reason"]
    assert [str(layout) for layout in parse(row["atom"]).tv_layouts] == [row[f"atom_tv{name}"] for name in "ABC"]


@pytest.mark.parametrize("text", all_atoms())
def test_threads_and_values_cover_every_matrix_element(text: str) -> None:
    type_ = parse(text)
    m, n, k = type_.shape_mnk
    replicas = type_.shape_mnk[1] // type_.shape[1]  # blocks have the same A
    for layout, extent, copies in zip(type_.tv_layouts, (m * k, n * k, m * n), (replicas, 1, 1), strict=True):
        reached = sorted(layout(i) for i in range(fl.size(layout)))
        assert reached == sorted(list(range(extent)) * copies)
        assert fl.size(fl.get(layout, 0)) == fl.size(type_.thr_layout)


@pytest.mark.parametrize(
    "text",
    [
        "!fly_rocdl.cdna3.mfma<16x16x5, (f16, f16) -> f32>",
        "!fly_rocdl.cdna3.mfma<16x16x16, (f16, bf16) -> f32>",
        "!fly_rocdl.cdna3.mfma<16x16x16, (f16, f16) -> f32, blocks = 4>",
        "!fly_rocdl.cdna4.mfma_scale<16x16x64, (f8E4M3FN, f8E4M3FN) -> f32, opselA = 0, opselB = 0>",
        "!fly_rocdl.cdna4.mfma_scale<16x16x128, (f16, f8E4M3FN) -> f32, opselA = 0, opselB = 0>",
        "!fly_rocdl.cdna4.mfma_scale<16x16x128, (f8E4M3FN, f8E4M3FN) -> f32, opselA = 4, opselB = 0>",
    ],
)
def test_shapes_that_no_instruction_has_are_refused(text: str) -> None:
    with pytest.raises((ParseError, VerifyException)):
        parse(text)


def test_several_blocks_are_one_wide_product() -> None:
    type_ = parse("!fly_rocdl.cdna3.mfma<4x4x1, (f32, f32) -> f32>")
    assert type_.shape_mnk == (4, 64, 1)
    assert [str(layout) for layout in type_.tv_layouts] == [
        "((4,16),1):((1,0),4)",
        "((4,16),1):((1,4),64)",
        "((4,16),4):((4,16),1)",
    ]


def test_the_number_of_blocks_is_printed_where_a_shape_has_two() -> None:
    single, double = (
        "!fly_rocdl.cdna3.mfma<32x32x4, (bf16, bf16) -> f32>",
        "!fly_rocdl.cdna3.mfma<32x32x4, (bf16, bf16) -> f32, blocks = 2>",
    )
    assert str(parse(single)) == single
    assert str(parse(double)) == double
    assert parse(single).shape_mnk == (32, 32, 4)
    assert parse(double).shape_mnk == (32, 64, 4)
    assert str(parse("!fly_rocdl.cdna3.mfma<4x4x4, (f16, f16) -> f32, blocks = 16>")).endswith("-> f32>")
