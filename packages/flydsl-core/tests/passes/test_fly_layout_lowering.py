"""The pass `fly-layout-lowering` as a whole: what goes, what stays, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from pass_programs import Kernel, effect_of, memory, op_names, values
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import f32, i32, i64

import flydsl.layout as fl
from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.backend.value_ranges import has_no_signed_wrap
from flydsl.base.errors import IRError, SettingError
from flydsl.ir import fly
from flydsl.ir.parse import verify
from flydsl.passes.registry import run

L = fl.parse_layout


def test_layouts_become_integer_arithmetic() -> None:
    k = Kernel(memory(L("(4,?):(?{i64},1)")), i32, i32)
    at = k.coord((fl.Dyn(), fl.Dyn()), *k.args[1:])
    value = k.op(fly.MemrefLoadOp, [k.args[0], at], f32)
    k.op(fly.MemrefStoreOp, [value, k.args[0], k.static((0, 0))])
    module = k.module()
    run(module, "fly-rewrite-func-signature,fly-layout-lowering")
    verify(module)
    assert not op_names(module) & {"fly.memref.load", "fly.memref.store", "fly.make_view", "fly.make_layout"}
    assert {"fly.ptr.load", "fly.ptr.store", "arith.muli"} <= op_names(module)


def test_what_a_kernel_does_is_the_same_after_every_pass() -> None:
    k = Kernel(memory(L("(3,5):(5,1)")), i32, i32)
    value = k.op(fly.MemrefLoadOp, [k.args[0], k.coord((fl.Dyn(), fl.Dyn()), *k.args[1:])], f32)
    k.op(fly.MemrefStoreOp, [value, k.args[0], k.static((0, 0))])
    array = values(15)
    (found,) = effect_of(k, [array], [L("(3,5):(5,1)")], [(2, i32), (3, i32)])
    np.testing.assert_array_equal(found, [array[13], *array[1:]])


def test_values_that_nobody_needs_make_no_code() -> None:
    k = Kernel(i32)
    shape = k.coord((fl.Dyn(), 4), k.args[0])
    k.fly("size", k.layout(L("(?,4):(4,1)"), k.args[0]))
    k.fly("size", shape)
    module = k.module()
    run(module, "fly-layout-lowering")
    assert op_names(module) <= {"builtin.module", "gpu.module", "gpu.func", "gpu.return", "arith.muli"}


def test_an_error_names_the_operation() -> None:
    k = Kernel(memory(L("(4,?):(1,4)")))
    k.fly("make_fragment_like", k.args[0])
    with pytest.raises(IRError, match=r"^fly.make_fragment_like: .*static layout"):
        run(k.module(), "fly-layout-lowering")


@pytest.mark.parametrize(
    ("lowering", "exact"),
    [
        ("fly-layout-lowering", False),
        ("fly-layout-lowering{exact=false}", False),
        ("fly-layout-lowering{exact=true}", True),
        ("fly-layout-lowering{exact}", True),
        (FLY_PIPELINE[2], True),
    ],
)
def test_indices_say_that_they_do_not_wrap_around_where_that_is_asked_for(lowering: str, exact: bool) -> None:
    k = Kernel(i32, i32, i64)
    index = k.fly("crd2idx", k.coord((fl.Dyn(), fl.Dyn()), *k.args[:2]), k.static(L("(4,8):(3,5)")))
    wide = k.fly("crd2idx", k.coord((fl.Dyn(), fl.Dyn(64)), k.args[0], k.args[2]), k.static(L("(4,8):(3,5)")))
    for leaf, type_ in ((index, i32), (wide, i64)):
        k.op(test.TestOp, [k.op(fly.GetScalarOp, [leaf], type_)])
    module = k.module()
    run(module, lowering)
    sums = [op for op in module.walk() if op.name in ("arith.addi", "arith.muli")]
    assert {op.results[0].type for op in sums} == {i32, i64}
    for op in sums:
        assert has_no_signed_wrap(op) == (exact and op.results[0].type == i32)


@pytest.mark.parametrize("exact", [False, True])
def test_what_a_program_says_of_its_own_numbers_is_not_taken_for_an_index(exact: bool) -> None:
    k = Kernel(i32, i64)
    flags = {"overflowFlags": arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])}
    for number in k.args:
        for kind in (arith.AddiOp, arith.MuliOp):
            k.op(test.TestOp, [k.op(kind, [number, number], number.type, properties=flags)])
    module = k.module()
    run(module, f"fly-layout-lowering{{exact={str(exact).lower()}}}")
    sums = [op for op in module.walk() if op.name in ("arith.addi", "arith.muli")]
    assert len(sums) == 4
    for op in sums:
        assert has_no_signed_wrap(op) == (not exact or op.results[0].type == i64)


def test_an_option_that_is_no_truth_value_is_refused() -> None:
    with pytest.raises(SettingError, match="exact='maybe' is neither 'true' nor 'false'"):
        run(Kernel().module(), "fly-layout-lowering{exact=maybe}")
