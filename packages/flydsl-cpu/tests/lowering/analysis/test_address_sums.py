"""Sums of addresses: equal computations cancel, and what may wrap is compared modulo 2^32."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import i8, i16, i32, i64
from xdsl.ir import Attribute, Block, SSAValue

from flydsl.passes.to_llvm.builder import LLVMBuilder, pointer_type
from flydsl_cpu.lowering.analysis.address_sums import AddressSums, Sum, are_disjoint


@pytest.fixture
def build() -> LLVMBuilder:
    """A builder in a block with a pointer, two i32 and an i8."""
    return LLVMBuilder(Block(arg_types=(pointer_type(), i32, i32, i8)))


def distance(build: LLVMBuilder, a: SSAValue, b: SSAValue) -> int | None:
    """Bytes from `a` to `b`, None when they do not differ by a number."""
    sums = AddressSums()
    difference = sums.of(b).plus(sums.of(a), -1)
    return None if difference.terms else difference.constant


def element(build: LLVMBuilder, index: SSAValue, type_: Attribute = i32) -> SSAValue:
    return build.gep(build.block.args[0], (build.integer_cast(index, i64),), type_)


def test_the_same_computation_made_twice_is_one_term(build: LLVMBuilder) -> None:
    _, x, y, _ = build.block.args
    first, second = (build.add(build.mul(x, build.constant(4)), build.bit_xor(x, y)) for _ in range(2))
    assert distance(build, element(build, first), element(build, build.add(second, build.constant(3)))) == 12
    assert distance(build, element(build, first), element(build, build.bit_xor(x, y))) is None


def test_an_address_of_an_address_is_counted_from_its_base(build: LLVMBuilder) -> None:
    pointer, x, _, _ = build.block.args
    row = build.gep(pointer, (x,), i64)
    assert distance(build, row, build.gep(build.gep(row, (2,), i16), (5,), i8)) == 9
    assert distance(build, pointer, row) is None


def test_products_and_differences_are_taken_apart(build: LLVMBuilder) -> None:
    _, x, y, _ = build.block.args
    both = build.mul(build.sub(x, y), build.constant(-3))
    apart = build.sub(build.mul(y, build.constant(3)), build.mul(build.constant(3), x))
    assert distance(build, element(build, both), element(build, apart)) == 0
    assert distance(build, element(build, build.mul(x, y)), element(build, build.mul(x, x))) is None


def test_arithmetic_of_narrow_integers_is_a_term(build: LLVMBuilder) -> None:
    """200 + 100 is 44 in 8 bits."""
    narrow = build.block.args[3]
    grown = build.add(narrow, build.constant(1, i8))
    assert (
        distance(build, element(build, build.zero_extend(narrow, i32)), element(build, build.zero_extend(grown, i32)))
        is None
    )


def test_a_long_chain_does_not_exhaust_the_stack(build: LLVMBuilder) -> None:
    value: SSAValue = build.block.args[1]
    for _ in range(5000):
        value = build.value(arith.AddiOp, (value, build.block.args[2]), i32)
    assert len(AddressSums().of(element(build, value)).terms) == 2


@pytest.mark.parametrize(
    ("start", "size", "expected"),
    [(4, 4, True), (3, 4, False), (0, 4, False), (-4, 4, True), (-3, 4, False), (-4, 5, False), (1 << 32, 4, False)],
)
def test_accesses_are_disjoint_by_their_sizes(start: int, size: int, expected: bool) -> None:
    a, b = Sum(((0, 8),), 100), Sum(((0, 8),)).plus(Sum((), start + 100))
    assert are_disjoint(a, 4, b, size) == expected
    assert not are_disjoint(a, 4, Sum(((1, 8),), 200), size)
