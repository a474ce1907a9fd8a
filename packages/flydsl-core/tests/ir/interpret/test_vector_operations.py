"""Vectors and structs as lists: parts taken out, put in and folded."""

from __future__ import annotations

import pytest

from flydsl.ir.interpret import run
from flydsl.ir.parse import parse_module

V4, M23 = "vector<4xi32>", "vector<2x3xi32>"


def call(body: str, arguments: str, result: str, *values: object) -> object:
    module = parse_module(f"func.func @f({arguments}) -> {result} {{\n  %r = {body}\n  func.return %r : {result}\n}}")
    return run(module.body.block.first_op, values)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "arguments", "result", "values", "expected"),
    [
        ("vector.extract %v[2] : i32 from vector<4xi32>", f"%v: {V4}", "i32", [[5, 6, 7, 8]], 7),
        ("vector.insert %x, %v[1] : i32 into vector<4xi32>", f"%x: i32, %v: {V4}", V4, [0, [5, 6, 7, 8]], [5, 0, 7, 8]),
        ('"vector.broadcast"(%x) : (i32) -> vector<4xi32>', "%x: i32", V4, [3], [3, 3, 3, 3]),
        (
            '"vector.shuffle"(%v, %w) <{mask = array<i64: 0, 5, 3>}> : (vector<4xi32>, vector<4xi32>) -> vector<3xi32>',
            f"%v: {V4}, %w: {V4}",
            "vector<3xi32>",
            [[1, 2, 3, 4], [5, 6, 7, 8]],
            [1, 6, 4],
        ),
        (
            '"vector.extract_strided_slice"(%v) <{offsets = [1], sizes = [2], strides = [1]}> : '
            "(vector<4xi32>) -> vector<2xi32>",
            f"%v: {V4}",
            "vector<2xi32>",
            [[5, 6, 7, 8]],
            [6, 7],
        ),
        (
            '"vector.from_elements"(%a, %b) : (i32, i32) -> vector<2xi32>',
            "%a: i32, %b: i32",
            "vector<2xi32>",
            [1, 2],
            [1, 2],
        ),
        (
            '"vector.shape_cast"(%v) : (vector<2x3xi32>) -> vector<6xi32>',
            f"%v: {M23}",
            "vector<6xi32>",
            [[1, 2, 3, 4, 5, 6]],
            [1, 2, 3, 4, 5, 6],
        ),
        (
            "vector.extract %v[1] : vector<3xi32> from vector<2x3xi32>",
            f"%v: {M23}",
            "vector<3xi32>",
            [[1, 2, 3, 4, 5, 6]],
            [4, 5, 6],
        ),
    ],
)
def test_parts_of_vectors(body: str, arguments: str, result: str, values: list[object], expected: object) -> None:
    assert call(body, arguments, result, *values) == expected


@pytest.mark.parametrize(
    ("kind", "expected"), [("add", 10), ("mul", 24), ("minsi", 1), ("maxsi", 4), ("and", 0), ("or", 7), ("xor", 4)]
)
def test_reductions(kind: str, expected: int) -> None:
    body = f'"vector.reduction"(%v) <{{kind = #vector.kind<{kind}>, fastmath = #arith.fastmath<none>}}> : ({V4}) -> i32'
    assert call(body, f"%v: {V4}", "i32", [1, 2, 3, 4]) == expected
