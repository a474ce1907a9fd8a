"""The text of a launcher's module: one function for each launch, the slots read in both forms of a call."""

from __future__ import annotations

import re

import pytest

from flydsl.toolchain.launcher_text import Launch, bits_type, launcher_module
from flydsl.toolchain.slots import slot_table

HOST = '"func.func"() <{sym_name = "fly_host"}>'
SIX = ("index",) * 6


def lines(text: str, word: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if word in line]


def test_every_slot_is_read_in_both_entries_at_its_offset() -> None:
    slots = slot_table([("pointer", "!llvm.ptr"), ("scalar", "i1"), ("scalar", "index"), ("scalar", "f64")])
    text = launcher_module(slots, [], ["k"], HOST)
    packed = text.split("@fly_launch_packed")[1]
    assert [int(n) for n in re.findall(r"getelementptr %packed\[(\d+)\]", packed)] == [0, 8, 16, 24]
    assert re.findall(r"getelementptr %argv\[(\d+)\]", text) == ["0", "1", "2", "3"]
    assert "%v1 = arith.cmpi ne, %s1" in packed  # a truth value is a byte in memory
    assert "%v2 = arith.index_cast %s2 : i64 to index" in packed
    assert "(%state, %v0, %v1, %v2, %v3) : (!llvm.ptr, !llvm.ptr, i1, index, f64) -> ()" in packed


def test_a_launch_stores_its_sizes_its_parameters_and_their_count() -> None:
    launch = Launch("fly_one", 3, (*SIX, "i32", "i32", "i64"), True, ("i1", "f32", "index"))
    text = launcher_module((), [launch], ["k"], HOST).split(HOST)[1]
    assert "constant @fly_one_sizes(dense<[1, 4, 8]> : tensor<3xi32>)" in text
    assert "%kernel = arith.constant 3 : i32" in text
    assert "%count = arith.constant 3 : i32" in text
    assert len(lines(text, "func.call @fly_extent")) == 9
    assert len(lines(text, "arith.extsi")) == 2
    assert "%s0 = arith.extui %a0 : i1 to i8" in text
    assert "%shared = arith.constant 0" not in text


def test_missing_extents_of_a_cluster_are_one() -> None:
    text = launcher_module((), [Launch("fly_one", 0, SIX, False, ())], ["k"], HOST).split(HOST)[1]
    assert len(lines(text, "%unit) : (!llvm.ptr, !llvm.ptr, i32, i64)")) == 3
    assert "%shared = arith.constant 0 : i32" in text
    assert "%sizes = llvm.mlir.zero" in text


def test_names_of_kernels_are_escaped_constants_in_order() -> None:
    text = launcher_module((), [], ["a.b$1", "é"], HOST)
    assert '@fly_name_0("a\\2Eb\\241\\00")' in text
    assert '@fly_name_1("\\C3\\A9\\00")' in text
    assert "!llvm.array<2 x ptr>" in text


@pytest.mark.parametrize(
    ("kind", "bits"),
    [
        ("f16", "i16"),
        ("bf16", "i16"),
        ("f8E4M3FN", "i8"),
        ("vector<4xbf16>", "vector<4xi16>"),
        ("f32", "f32"),
        ("i16", "i16"),
        ("!llvm.ptr", "!llvm.ptr"),
    ],
)
def test_narrow_floats_are_handed_on_as_bits(kind: str, bits: str) -> None:
    assert bits_type(kind) == bits
