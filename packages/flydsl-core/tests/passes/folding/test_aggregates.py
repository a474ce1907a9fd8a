"""Fields that are taken out of structs right after they were put in."""

from __future__ import annotations

from xdsl.dialects import llvm, test
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from flydsl.ir.upstream import StructType
from flydsl.passes.folding.aggregates import extracted
from flydsl.passes.to_llvm.builder import integers

PAIR = StructType((i32, i32))
NESTED = StructType((PAIR, i32))


def value(type_) -> SSAValue:
    return test.TestOp(result_types=[type_]).results[0]


def insert(struct: SSAValue, field: SSAValue, *position: int) -> SSAValue:
    properties = {"position": integers(position, i64)}
    return llvm.InsertValueOp.create(
        operands=[struct, field], result_types=[struct.type], properties=properties
    ).results[0]


def take(struct: SSAValue, type_, *position: int) -> SSAValue | None:
    properties = {"position": integers(position, i64)}
    return extracted(llvm.ExtractValueOp.create(operands=[struct], result_types=[type_], properties=properties))


def test_the_last_value_of_a_field_is_taken():
    a, b, c = (value(i32) for _ in range(3))
    struct = insert(insert(insert(value(PAIR), a, 0), b, 1), c, 0)
    assert (take(struct, i32, 0), take(struct, i32, 1)) == (c, b)


def test_what_was_not_put_in_is_not_known():
    assert take(insert(value(PAIR), value(i32), 0), i32, 1) is None


def test_a_field_of_a_struct_that_was_put_in_whole_and_a_struct_of_which_a_field_was_are_not_looked_into():
    whole = insert(insert(value(NESTED), value(i32), 1), value(PAIR), 0)
    assert take(whole, i32, 0, 1) is None
    part = insert(whole, value(i32), 0, 1)
    assert take(part, PAIR, 0) is None
    assert take(part, i32, 1) is not None


def test_other_operations_are_no_fields():
    assert extracted(test.TestOp(result_types=[i32])) is None
