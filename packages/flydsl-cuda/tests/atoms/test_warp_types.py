"""Warp atoms: who holds what, by the fragments that the PTX ISA publishes; their text, and what there is not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import Float8E4M3FNType, bf16, f16, f32, i8, i32
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.context import create_context
from flydsl.ir.parse import parse_type
from flydsl.layout import Layout
from flydsl_cuda.atoms.warp_types import CpAsyncType, LdMatrixType, MmaSyncType, StMatrixType
from flydsl_cuda.dialect import FLY_NVVM

Place = Callable[[int, int], tuple[int, int]]
E4M3 = Float8E4M3FNType()


def a_of_16_bits(lane: int, i: int) -> tuple[int, int]:
    """Row and column of a_i in m16n8k16 and m16n8k8, as the PTX ISA says it."""
    row = lane // 4 if i < 2 or 4 <= i < 6 else lane // 4 + 8
    return row, lane % 4 * 2 + (i & 1) + (8 if i >= 4 else 0)


def b_of_16_bits(lane: int, i: int) -> tuple[int, int]:
    return lane % 4 * 2 + (i & 1) + (8 if i >= 2 else 0), lane // 4


def a_of_tf32(lane: int, i: int) -> tuple[int, int]:
    return lane // 4 + (8 if i in (1, 3) else 0), lane % 4 + (4 if i >= 2 else 0)


def b_of_tf32(lane: int, i: int) -> tuple[int, int]:
    return lane % 4 + 4 * i, lane // 4


def a_of_8_bits(lane: int, i: int) -> tuple[int, int]:
    row = lane // 4 if i < 4 or 8 <= i < 12 else lane // 4 + 8
    return row, lane % 4 * 4 + (i & 3) + (16 if i >= 8 else 0)


def b_of_8_bits(lane: int, i: int) -> tuple[int, int]:
    return lane % 4 * 4 + (i & 3) + (16 if i >= 4 else 0), lane // 4


FRAGMENTS: list[tuple[Attribute, Attribute, int, Place, Place]] = [
    (f16, f32, 16, a_of_16_bits, b_of_16_bits),
    (bf16, f32, 16, a_of_16_bits, b_of_16_bits),
    (f16, f16, 8, a_of_16_bits, b_of_16_bits),
    (f32, f32, 8, a_of_tf32, b_of_tf32),
    (f32, f32, 4, a_of_tf32, b_of_tf32),
    (i8, i32, 32, a_of_8_bits, b_of_8_bits),
    (i8, i32, 16, a_of_8_bits, b_of_8_bits),
    (E4M3, f32, 32, a_of_8_bits, b_of_8_bits),
]


def registers(layout: Layout, matrix: np.ndarray) -> np.ndarray:
    """What lanes hold of a matrix, whose elements are numbered down its columns."""
    numbers = matrix.reshape(-1, order="F")
    return np.array([[numbers[layout((lane, i))] for i in range(matrix.size // 32)] for lane in range(32)])


@pytest.mark.parametrize(("kind", "acc", "k", "place_a", "place_b"), FRAGMENTS)
def test_products_of_the_registers_are_those_of_the_matrices(
    kind: Attribute, acc: Attribute, k: int, place_a: Place, place_b: Place
) -> None:
    """A model of the instruction gathers the operands from registers as PTX has them, and gives C to registers."""
    layout_a, layout_b, layout_c = MmaSyncType((16, 8, k), kind, kind, acc).tv_layouts
    rng = np.random.default_rng()
    a, b = rng.integers(-9, 9, (16, k)), rng.integers(-9, 9, (8, k))  # B of the layout is (N, K)
    held_a, held_b = registers(layout_a, a), registers(layout_b, b)
    read_a, read_b = np.full((16, k), 99), np.full((k, 8), 99)
    for lane in range(32):
        for i, value in enumerate(held_a[lane]):
            read_a[place_a(lane, i)] = value
        for i, value in enumerate(held_b[lane]):
            read_b[place_b(lane, i)] = value
    product = read_a @ read_b
    c = np.full(16 * 8, 99)
    for lane in range(32):
        for i in range(4):
            c[layout_c((lane, i))] = product[lane // 4 + 8 * (i // 2), lane % 4 * 2 + i % 2]
    np.testing.assert_array_equal(c.reshape(16, 8, order="F"), a @ b.T)


@pytest.mark.parametrize("num", [1, 2, 4])
@pytest.mark.parametrize("trans", [False, True])
@pytest.mark.parametrize("kind", [LdMatrixType, StMatrixType])
def test_matrices_go_between_rows_and_registers(kind: type, num: int, trans: bool) -> None:
    """Lane 8 i + r has row r of matrix i; register i of lane l has elements 2 (l mod 4) (+ 1) of row l / 4, or column.

    Both sides number the bits of the matrices alike.
    """
    atom = kind(num, trans)
    rows, held = atom.src_tv_bits, atom.dst_tv_bits
    if kind is StMatrixType:
        rows, held = held, rows
    assert str(atom.ref_tv_bits) == str(held)
    for lane in range(32):
        matrix, row = divmod(lane % (8 * num), 8)
        assert [rows((lane, 16 * i)) for i in range(8)] == [1024 * matrix + 128 * row + 16 * i for i in range(8)]
        for i in range(2 * num):
            line, place = lane // 4, lane % 4 * 2 + i % 2
            row, column = (place, line) if trans else (line, place)
            assert held((lane, 16 * i)) == 1024 * (i // 2) + 128 * row + 16 * column


@pytest.mark.parametrize(
    "atom",
    [
        MmaSyncType((16, 8, 16), bf16, bf16, f32),
        LdMatrixType(4, True),
        LdMatrixType(2, False),
        StMatrixType(1, False),
        CpAsyncType(128, "cg"),
        CpAsyncType(32, "ca"),
    ],
)
def test_text_is_read_back(atom: Attribute) -> None:
    assert parse_type(str(atom), create_context([FLY_NVVM])) == atom


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MmaSyncType((16, 8, 4), f16, f16, f32), "16x8x8, 16x8x16"),
        (lambda: MmaSyncType((16, 16, 16), f16, f16, f32), "there is no mma"),
        (lambda: MmaSyncType((16, 8, 16), bf16, bf16, bf16), "shapes of these types: none"),
        (lambda: LdMatrixType(3, False), "1, 2 or 4 matrices, found 3"),
        (lambda: CpAsyncType(16, "ca"), "32, 64 or 128 bits, found 16"),
        (lambda: CpAsyncType(64, "cg"), "of 128 bits also past the first"),
    ],
)
def test_what_there_is_not_is_refused(make: Callable[[], Attribute], message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        make()
