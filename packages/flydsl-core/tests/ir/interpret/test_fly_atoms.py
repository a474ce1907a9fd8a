"""Copies and products of one thread: element by element, by predicates and in the order of a traversal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import f32, i8

from flydsl.base.errors import IRError
from flydsl.ir.interpret import Address, Memory, Tensor, run
from flydsl.ir.parse import parse_module
from flydsl.layout import Layout

COPY = "!fly.copy_atom<!fly.universal_copy<32>, 32>"
ADD = "!fly.copy_atom<!fly.universal_atomic<add, f32>, 32>"
FMA = "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"


def tensor(array: np.ndarray, layout: Layout) -> Tensor:
    return Tensor(Address(Memory(array.data.cast("B")), 0, i8 if array.dtype == np.int8 else f32), layout)


def do(name: str, types: list[str], *values: Any, attributes: str = "") -> None:
    arguments = ", ".join(f"%a{i}: {type_}" for i, type_ in enumerate(types))
    names = ", ".join(f"%a{i}" for i in range(len(types)))
    text = f"func.func @f({arguments}) {{ fly.{name}({names}) {attributes} : ({', '.join(types)}) -> () func.return }}"
    run(next(op for op in parse_module(text).walk() if op.name == "func.func"), values)


def of(layout: str, element: str = "f32") -> str:
    return f"!fly.memref<{element}, global, {layout}>"


def test_a_copy_follows_both_layouts(rng: np.random.Generator) -> None:
    x, y = rng.standard_normal((3, 5)).astype(np.float32), np.zeros((5, 3), np.float32)
    types = [COPY, of("(3,5):(5,1)"), of("(3,5):(1,3)")]
    do("copy", types, None, tensor(x, Layout((3, 5), (5, 1))), tensor(y, Layout((3, 5), (1, 3))))
    np.testing.assert_array_equal(y, x.T)


def test_a_predicate_chooses_elements() -> None:
    x, y, flags = np.arange(1, 7, dtype=np.float32), np.zeros(6, np.float32), np.array([1, 0, 1], np.int8)
    layout = Layout((2, 3), (1, 2))
    types = [COPY, of("(2,3):(1,2)"), of("(2,3):(1,2)"), of("3:1", "i8")]
    do("copy", types, None, tensor(x, layout), tensor(y, layout), tensor(flags, Layout(3, 1)))
    np.testing.assert_array_equal(y, [1, 2, 0, 0, 5, 6])


def test_an_atomic_copy_combines_with_the_destination() -> None:
    x, y = np.arange(4, dtype=np.float32), np.full(4, 10, np.float32)
    do("copy", [ADD, of("4:1"), of("4:1")], None, tensor(x, Layout(4, 1)), tensor(y, Layout(4, 1)))
    np.testing.assert_array_equal(y, 10 + x)


def test_copies_between_other_sizes_are_errors() -> None:
    x = np.zeros(4, np.float32)
    with pytest.raises(IRError, match="cannot copy 4:1 to 3:1"):
        do("copy", [COPY, of("4:1"), of("3:1")], None, tensor(x, Layout(4, 1)), tensor(x, Layout(3, 1)))


ORDERS = ["", *(f"{{traversalOrder = #fly<gemm_traversal_order {order}>}}" for order in ("kmn", "nmk_serpentine"))]


@pytest.mark.parametrize("order", ORDERS)
def test_a_product_is_that_of_numpy_in_any_order(rng: np.random.Generator, order: str) -> None:
    m, n, k = 3, 2, 5
    a, b, c = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((m, k), (n, k), (m, n)))
    d = np.zeros_like(c)
    layouts = [Layout((1, rows, columns), (0, columns, 1)) for rows, columns in ((m, n), (m, k), (n, k), (m, n))]
    types = [FMA, *(of(f"(1,{r},{s}):(0,{s},1)") for r, s in ((m, n), (m, k), (n, k), (m, n)))]
    operands = [tensor(x, layout) for x, layout in zip((d, a, b, c), layouts, strict=True)]
    do("gemm", types, None, *operands, attributes=order)
    np.testing.assert_array_equal(d, a @ b.T + c)


def test_a_layout_of_steps_visits_each_once() -> None:
    x = np.ones(4, np.float32)
    parts = [tensor(x, Layout((1, 2, 2), (0, 1, 2))) for _ in range(4)]
    types = [FMA, *[of("(1,2,2):(0,1,2)")] * 4, "!fly.layout<(2,2,2):(1,2,0)>"]
    with pytest.raises(IRError, match=r"the traversal layout .* must visit each of \(2, 2, 2\) once"):
        do("gemm", types, None, *parts, Layout((2, 2, 2), (1, 2, 0)))


def test_one_product_of_one_element() -> None:
    d, a, b, c = (np.array([value], np.float32) for value in (0, 3, 4, 5))
    do("mma_atom_call", [FMA, *[of("1:0")] * 4], None, *(tensor(x, Layout(1, 0)) for x in (d, a, b, c)))
    assert d[0] == 17
