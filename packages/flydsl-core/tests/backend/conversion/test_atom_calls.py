"""Atom calls: operands in memory and in registers, predicates, run-time state."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fly_target import TARGET, AccumulatorMmaType, MemoryMmaType, PairCopyType, PairMmaType
from toy_target import POINTERS, ROW, SPACES, TILE, VIEWS, ConvertFlyTo, convert, copy_call, kernel, lines
from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.ir import SSAValue

from flydsl.backend.conversion.conversion import Conversion
from flydsl.backend.conversion.target import AtomField, CopyCall, LoweringTarget, MmaCall
from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.base.errors import IRError
from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run


def test_copy_between_memories_moves_whole_words() -> None:
    text = convert(POINTERS, VIEWS + copy_call("%src, %dst", f"{ROW}, {TILE}", "1, 1, 1, 0"))
    assert "(!llvm.ptr<1>) -> vector<4xi32>" in lines(text, "llvm.load")[0]
    assert "(vector<4xi32>, !llvm.ptr<3>)" in lines(text, "llvm.store")[0]


def test_copy_from_memory_gives_a_value_of_the_result_type() -> None:
    text = convert(POINTERS, VIEWS + copy_call("%src", ROW, "1, 1, 0, 0", "vector<4xf32>"))
    assert "-> vector<4xf32>" in lines(text, "llvm.load")[0]


def test_predicated_copy_keeps_the_old_value() -> None:
    text = convert(
        POINTERS + ", %old: vector<4xf32>, %c: i1",
        VIEWS + copy_call("%src, %old, %c", f"{ROW}, vector<4xf32>, i1", "1, 1, 1, 1", "vector<4xf32>"),
    )
    branch = text.index('"scf.if"')
    assert text.index('"llvm.load"') > branch
    assert "(i1) -> vector<4xf32>" in text


def test_predicate_may_be_a_vector_of_one_or_memory() -> None:
    text = convert(
        POINTERS + ", %c: vector<1xi1>",
        VIEWS + copy_call("%src, %dst, %c", f"{ROW}, {TILE}, vector<1xi1>", "1, 1, 1, 1"),
    )
    assert len(lines(text, "vector.extract")) == 1
    assert len(lines(text, "scf.if")) == 1


def test_mma_on_memory_loads_operands_and_stores_the_result() -> None:
    atom = "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"
    memory, pointer = "!fly.memref<f32, shared, 1:0>", "!fly.ptr<f32, shared>"
    text = convert(
        f"%p: {pointer}",
        f"""
        %layout = fly.static : !fly.layout<1:0>
        %m = fly.make_view(%p, %layout) : ({pointer}, !fly.layout<1:0>) -> {memory}
        %atom = fly.make_mma_atom : {atom}
        fly.mma_atom_call(%atom, %m, %m, %m, %m) : ({atom}, {memory}, {memory}, {memory}, {memory}) -> ()
        """,
    )
    assert len(lines(text, "llvm.load")) == 3
    assert len(lines(text, "llvm.store")) == 1


PAIR = "!fly.copy_atom<!fly_test.v1.pair_copy<32>, 32>"


def pair_copy(conversion: Conversion, call: CopyCall) -> SSAValue:
    """The handler of a copy with state: the value moved is its offset."""
    return call.state["soffset"]


def stateful(body: str, **target: Any) -> str:
    """A kernel with a copy atom of the test's target."""
    context = create_context([TARGET])
    module = parse_module(kernel("%p: !fly.ptr<i32, global>, %n: i64, %old: i32", body), context, check=False)
    ConvertFlyTo(LoweringTarget("toy", SPACES, **target)).apply(context, module)
    return emit_generic(module)


CALL = f"""
  %layout = fly.static : !fly.layout<1:0>
  %src = fly.make_view(%p, %layout) : (!fly.ptr<i32, global>, !fly.layout<1:0>) -> !fly.memref<i32, global, 1:0>
  %atom = fly.make_copy_atom {{valBits = 32 : i32}} : {PAIR}
  %set = fly.atom.set_value(%atom, %n) {{field = "soffset"}} : ({PAIR}, i64) -> {PAIR}
  %v = "fly.copy_atom_call_ssa"(%set, %src) {{operandSegmentSizes = array<i32: 1, 1, 0, 0>}}
    : ({PAIR}, !fly.memref<i32, global, 1:0>) -> i32
"""
STATE = {PairCopyType: (AtomField("unused", i32, 3), AtomField("soffset", i32, 7))}


def test_the_state_of_an_atom_is_a_struct_that_starts_with_its_defaults() -> None:
    text = stateful(CALL, copies={PairCopyType: pair_copy}, states=STATE)
    assert [line.split("value = ")[1].split(" ")[0] for line in lines(text, "arith.constant")] == ["3", "7"]
    *_, changed = lines(text, "llvm.insertvalue")
    assert "position = array<i64: 1>" in changed
    assert len(lines(text, "arith.trunci")) == 1
    assert "position = array<i64: 1>" in lines(text, "llvm.extractvalue")[1]


def test_a_field_that_the_atom_lacks_is_refused_with_the_others() -> None:
    with pytest.raises(IRError, match="has no field 'soffset'; fields: none"):
        stateful(CALL, copies={PairCopyType: pair_copy})


def test_an_atom_that_the_target_lacks_is_named() -> None:
    with pytest.raises(IRError, match=r"target 'toy' cannot execute the copy !fly_test.v1.pair_copy<32>"):
        stateful(CALL, states=STATE)


MMA = "!fly.mma_atom<!fly_test.mma<2x1x2, (f16, f16) -> f32>>"
MULTIPLY = f"""
  %la = fly.static : !fly.layout<2:1>
  %lc = fly.static : !fly.layout<1:0>
  %a = fly.make_view(%p, %la) : (!fly.ptr<f16, shared>, !fly.layout<2:1>) -> !fly.memref<f16, shared, 2:1>
  %c = fly.make_view(%q, %lc) : (!fly.ptr<f32, shared>, !fly.layout<1:0>) -> !fly.memref<f32, shared, 1:0>
  %atom = fly.make_mma_atom : {MMA}
  fly.mma_atom_call(%atom, %c, %a, %a, %c) : ({MMA}, !fly.memref<f32, shared, 1:0>,
    !fly.memref<f16, shared, 2:1>, !fly.memref<f16, shared, 2:1>, !fly.memref<f32, shared, 1:0>) -> ()
"""


def multiplied(**target: Any) -> str:
    """A kernel with an MMA atom of the test's target, whose handler returns c."""
    context = create_context([TARGET])
    text = kernel("%p: !fly.ptr<f16, shared>, %q: !fly.ptr<f32, shared>", MULTIPLY)
    module = parse_module(text, context, check=False)
    handlers = {PairMmaType: lambda conversion, call: call.c}
    ConvertFlyTo(LoweringTarget("toy", SPACES, mmas=handlers, **target)).apply(context, module)
    return emit_generic(module)


def test_matrix_operands_in_memory_are_read_as_vectors_of_their_elements() -> None:
    loads = lines(multiplied(), "llvm.load")
    assert [load.rpartition("-> ")[2] for load in loads] == ["vector<2xf16>", "vector<2xf16>", "f32"]


def test_a_target_says_as_what_matrix_operands_are_read() -> None:
    loads = lines(multiplied(mma_operands={PairMmaType: lambda op: (i32, i32, op.acc)}), "llvm.load")
    assert [load.rpartition("-> ")[2] for load in loads] == ["i32", "i32", "f32"]


def test_an_operand_that_stays_in_memory_reaches_the_handler_as_its_pointer_and_layout() -> None:
    seen: list[MmaCall] = []

    def handler(conversion: Conversion, call: MmaCall) -> SSAValue:
        seen.append(call)
        return call.c

    context = create_context([TARGET])
    text = kernel(
        "%p: !fly.ptr<f16, shared>, %q: !fly.ptr<f32, shared>", MULTIPLY.replace("fly_test.mma", "fly_test.memory_mma")
    )
    module = parse_module(text, context, check=False)
    ConvertFlyTo(LoweringTarget("toy", SPACES, mmas={MemoryMmaType: handler})).apply(context, module)
    loads = lines(emit_generic(module), "llvm.load")
    assert [load.rpartition("-> ")[2] for load in loads] == ["vector<2xf16>", "f32"]
    (call,) = seen
    assert set(call.memory) == {"b"}
    assert call.b is call.memory["b"].pointer
    assert str(call.memory["b"].layout) == "2:1"


def accumulate(conversion: Conversion, call: MmaCall) -> None:
    """The handler of an atom with accumulators in memory: an instruction on two addresses."""
    source, target = (call.memory[name].address(call.build) for name in "cd")
    call.build.raw("toy.multiply", (target, call.a, call.b, source), ())


def accumulated(body: str, *passes: str, handler: Any = accumulate) -> str:
    context = create_context([TARGET])
    arguments = "%p: !fly.ptr<f16, shared>, %q: !fly.ptr<f32, shared>"
    module = parse_module(kernel(arguments, body), context, check=False)
    run(module, passes, context=context)
    ConvertFlyTo(LoweringTarget("toy", SPACES, mmas={AccumulatorMmaType: handler})).apply(context, module)
    return emit_generic(module)


ACCUMULATE = MULTIPLY.replace("fly_test.mma", "fly_test.accumulator_mma")


def test_accumulators_that_stay_in_memory_are_neither_loaded_nor_stored() -> None:
    text = accumulated(ACCUMULATE)
    assert [load.rpartition("-> ")[2] for load in lines(text, "llvm.load")] == ["vector<2xf16>", "vector<2xf16>"]
    assert not lines(text, "llvm.store")
    (multiply,) = lines(text, "toy.multiply")
    assert multiply.endswith("(!llvm.ptr<3>, vector<2xf16>, vector<2xf16>, !llvm.ptr<3>) -> ()")


def test_the_handler_is_told_the_type_of_accumulators_in_memory() -> None:
    seen: list[MmaCall] = []
    accumulated(ACCUMULATE, handler=lambda conversion, call: seen.append(call))
    (call,) = seen
    assert (str(call.result), set(call.memory)) == ("f32", {"c", "d"})
    assert call.c is call.memory["c"].pointer


def test_a_value_is_no_accumulator_in_memory() -> None:
    atom = MMA.replace("fly_test.mma", "fly_test.accumulator_mma")
    head = ACCUMULATE[: ACCUMULATE.index("fly.mma_atom_call(")]
    view = "!fly.memref<f16, shared, 2:1>"
    call = f'%d = "fly.mma_atom_call_ssa"(%atom, %a, %a, %zero) : ({atom}, {view}, {view}, f32) -> f32'
    with pytest.raises(IRError, match=r"operand c of !fly.mma_atom<.*> is in memory, found a value of type f32"):
        accumulated(head + "%zero = arith.constant 0.0 : f32\n" + call)


GEMM = f"""
  %la = fly.static : !fly.layout<(2,1):(1,0)>
  %ma = fly.static : !fly.layout<(2,1,2):(1,0,2)>
  %lc = fly.static : !fly.layout<(1,1,1):(0,0,0)>
  %ra = "fly.memref.alloca"(%ma) : (!fly.layout<(2,1,2):(1,0,2)>) -> !fly.memref<f16, register, (2,1,2):(1,0,2)>
  %c = fly.make_view(%q, %lc) : (!fly.ptr<f32, shared>, !fly.layout<(1,1,1):(0,0,0)>)
    -> !fly.memref<f32, shared, (1,1,1):(0,0,0)>
  %atom = fly.make_mma_atom : {MMA.replace("fly_test.mma", "fly_test.accumulator_mma")}
  fly.gemm(%atom, %c, %ra, %ra, %c) : ({MMA.replace("fly_test.mma", "fly_test.accumulator_mma")},
    !fly.memref<f32, shared, (1,1,1):(0,0,0)>, !fly.memref<f16, register, (2,1,2):(1,0,2)>,
    !fly.memref<f16, register, (2,1,2):(1,0,2)>, !fly.memref<f32, shared, (1,1,1):(0,0,0)>) -> ()
"""


def test_a_product_of_tiles_leaves_its_accumulators_in_memory() -> None:
    text = accumulated(GEMM, *FLY_PIPELINE)
    assert len(lines(text, "toy.multiply")) == 2
    assert not [line for line in lines(text, "llvm.load") + lines(text, "llvm.store") if "f32" in line]


def exact(bits: IntegerType, value: str) -> str:
    """A kernel that sets a field that takes no integer of another width."""
    body = CALL.replace("%atom, %n", "%atom, %x").replace("i64) ->", f"{value}) ->")
    context = create_context([TARGET])
    text = kernel(f"%p: !fly.ptr<i32, global>, %x: {value}", body)
    state = {PairCopyType: lambda op: (AtomField("soffset", bits, is_exact=True),)}
    target = LoweringTarget("toy", SPACES, copies={PairCopyType: lambda *_: None}, states=state)
    module = parse_module(text.replace("%v = ", "").replace("-> i32\n", "-> ()\n"), context, check=False)
    ConvertFlyTo(target).apply(context, module)
    return emit_generic(module)


@pytest.mark.parametrize("value", ["vector<4xi8>", "f32", "vector<2xi16>"])
def test_a_field_takes_the_bits_of_what_is_no_integer(value: str) -> None:
    (cast,) = lines(exact(i32, value), "llvm.bitcast")
    assert cast.endswith(f"({value}) -> i32")


@pytest.mark.parametrize(("bits", "value"), [(i64, "i32"), (i32, "i64"), (i32, "vector<2xi32>"), (i32, "f16")])
def test_a_value_of_another_width_is_refused_where_a_field_is_exact(bits: IntegerType, value: str) -> None:
    words = f"'soffset' of {PAIR} has {bits.width.data} bits, found a value of type {value}"
    with pytest.raises(IRError, match=re.escape(words)):
        exact(bits, value)
