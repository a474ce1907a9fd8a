"""Atomic copy operations: their parts, their types, and what they do to memory."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.tiles.atomic_copies import CopyOpUniversalAtomicType


@pytest.mark.parametrize(
    ("make", "op"),
    [
        (fx.UniversalAtomicAdd, "Add"),
        (fx.UniversalAtomicMax, "Max"),
        (fx.UniversalAtomicMin, "Min"),
        (fx.UniversalAtomicAnd, "And"),
        (fx.UniversalAtomicOr, "Or"),
        (fx.UniversalAtomicInc, "Inc"),
        (fx.UniversalAtomicDec, "Dec"),
    ],
)
def test_each_name_is_an_operation_of_the_general_form(make, op):
    operation = make(fx.Int32, "workgroup")
    assert (operation.atomic_op, operation.val_type, operation.syncscope) == (fx.AtomicOp[op], fx.Int32, "workgroup")
    assert operation.ir_type() == fx.UniversalAtomic(fx.AtomicOp[op], fx.Int32, "workgroup").ir_type()
    assert str(operation.ir_type()) == f'!fly.universal_atomic<{op.lower()}, i32, "workgroup">'


def test_the_type_of_unsigned_numbers_says_so():
    assert str(fx.UniversalAtomicMax(fx.Uint32).ir_type()) == "!fly.universal_atomic<max, ui32>"
    assert str(fx.UniversalAtomicAdd(fx.Float32).ir_type()) == "!fly.universal_atomic<add, f32>"


def test_operations_name_their_kind():
    operation = CopyOpUniversalAtomicType.get(fx.AtomicOp.Add, fx.Int32)
    assert operation.typeid == operation.static_typeid == operation.ir_type().name == "fly.universal_atomic"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("add", fx.Int32), "an atomic copy takes one of fx.AtomicOp, found 'add'"),
        ((fx.AtomicOp.Add, int), "an atomic copy is of a numeric type such as fx.Int32, found <class 'int'>"),
        ((fx.AtomicOp.Add, fx.Int32, 3), "a syncscope is the target's name of one, found 3"),
        ((fx.AtomicOp.Add, fx.Int4), "integers of 8 to 64 bits or floats of 16 to 64, found Int4"),
        ((fx.AtomicOp.And, fx.Float32), "there is no atomic And on Float32; possible: Add, Max, Min"),
    ],
)
def test_what_is_no_operation_is_refused(arguments, message):
    with pytest.raises(FrontendError, match=message):
        fx.UniversalAtomic(*arguments)


def combining(operation):
    @flyc.kernel
    def combine(x: fx.Tensor, total: fx.Tensor):
        atom = fx.make_copy_atom(operation, 32)
        fx.copy(atom, fx.slice(fx.zipped_divide(x, 1), (None, fx.thread_idx.x)), fx.zipped_divide(total, 1)[None, 0])

    return combine


@pytest.mark.parametrize(
    ("make", "function"),
    [
        (fx.UniversalAtomicAdd, np.add),
        (fx.UniversalAtomicMax, np.maximum),
        (fx.UniversalAtomicMin, np.minimum),
        (fx.UniversalAtomicAnd, np.bitwise_and),
        (fx.UniversalAtomicOr, np.bitwise_or),
    ],
)
@pytest.mark.parametrize(("dtype", "numpy"), [(fx.Int32, np.int32), (fx.Uint32, np.uint32)])
def test_all_threads_combine_with_one_element(rng, make, function, dtype, numpy):
    x = rng.integers(0, 1 << 32, 13, dtype=np.uint32).view(numpy)
    total = x[:1].copy()
    launch(combining(make(dtype)), x[1:].copy(), total, block=12)
    with np.errstate(over="ignore"):
        assert total[0] == function.reduce(x, dtype=numpy)


@pytest.mark.parametrize(
    ("make", "start", "limit", "expected"),
    [
        (fx.UniversalAtomicInc, 0, 4, 7 % 5),
        (fx.UniversalAtomicDec, 2, 4, (2 - 7) % 5),
        (fx.UniversalAtomicDec, 9, 4, 4 - 6 % 5),
    ],
)
def test_counters_start_again_at_the_limit(make, start, limit, expected):
    total = np.array([start], np.uint32)
    launch(combining(make(fx.Uint32)), np.full(7, limit, np.uint32), total, block=7)
    assert total[0] == expected
