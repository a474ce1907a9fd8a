"""Bare SSA values as leaves of variables."""

from __future__ import annotations

from xdsl.dialects.llvm import LLVMPointerType

import flydsl.expr as fx
from flydsl.expr.tracing.context import current
from flydsl.frontend.control.join import join
from flydsl.frontend.control.pytree import flatten, structure
from flydsl.frontend.control.raw_values import RawValue, bare, is_same_leaf
from flydsl.frontend.control.undefined import Undefined


def test_a_bare_value_is_one_leaf_and_comes_back_bare(emitted):
    def trees(x, y):
        one, other = x.ir_value(), y.ir_value()
        leaves, build = flatten([one, {"a": x}])
        assert isinstance(leaves[0], RawValue)
        assert structure([one, {"a": x}]) == structure([other, {"a": y}])
        made = build([RawValue(other), y])
        return made[0] is other, is_same_leaf(RawValue(one), RawValue(one)), is_same_leaf(leaves[0], RawValue(other))

    assert emitted(trees, fx.Int32, fx.Int32).result == (True, True, False)


def test_stand_ins_stay_and_values_of_the_language_become_bare(emitted):
    def ask(x):
        missing = Undefined("x")
        return bare(missing) is missing, bare(x) is x.ir_value()

    assert emitted(ask, fx.Int32).result == (True, True)


def test_two_types_have_no_common_one(emitted):
    def ask(x, y):
        lhs, rhs, finish = join("p", x.ir_value(), fx.make_layout(4, 1))
        return lhs, rhs, type(finish([]))

    assert emitted(ask, fx.Int32, fx.Int32).result == ([], [], Undefined)


def test_with_a_number_they_are_numbers(emitted):
    def ask(x):
        (lhs,), (rhs,), finish = join("n", x.ir_value(), fx.Int64(3))
        return type(lhs).__name__, type(rhs).__name__, finish([rhs.ir_value()]).type

    names = emitted(ask, fx.Int32).result
    assert names[:2] == ("Pending", "Int64")
    assert str(names[2]) == "i64"


class Resource:
    """An object of a program, whose one part may be of any type."""

    def __init__(self, part):
        self.part = part

    def __extract_to_ir_values__(self):
        return [self.part]

    @classmethod
    def __construct_from_ir_values__(cls, values):
        return cls(*values)


def test_a_part_of_an_object_that_the_language_has_no_value_for_stays_raw(emitted):
    def ask(x):
        address = current().value("llvm.inttoptr", [x.ir_value()], LLVMPointerType())
        leaves, build = flatten(Resource(address))
        return type(leaves[0]), build(leaves).part is address, type(flatten(Resource(x.ir_value()))[0][0])

    assert emitted(ask, fx.Int64).result == (RawValue, True, fx.Int64)
