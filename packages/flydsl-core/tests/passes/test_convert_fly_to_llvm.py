"""Fly pointers and atoms become LLVM operations, on a target made of the core's own memory spaces."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from flydsl.base.errors import IRError
from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.convert_fly_to_llvm import (
    GENERIC,
    GLOBAL,
    REGISTER,
    SHARED,
    ConvertFlyToLLVM,
    LoweringTarget,
    PlainSpace,
    RegisterSpace,
    SharedSpace,
)


@dataclass(frozen=True)
class ConvertFlyToToy(ConvertFlyToLLVM):
    name = "convert-fly-to-toy"

    def lowering_target(self) -> LoweringTarget:
        spaces = {
            GENERIC: PlainSpace(),
            GLOBAL: PlainSpace(1),
            SHARED: SharedSpace(3, 32),
            REGISTER: RegisterSpace(5, 32),
        }
        return LoweringTarget("toy", spaces)


def kernel(arguments: str, body: str) -> str:
    types = ", ".join(a.partition(":")[2].strip() for a in arguments.split(", %") if a)
    return f"""
      "builtin.module"() ({{ "gpu.module"() <{{sym_name = "kernels"}}> ({{
        "gpu.func"() <{{function_type = ({types}) -> ()}}> ({{
        ^bb0({arguments}):
          {body}
          "gpu.return"() : () -> ()
        }}) {{gpu.kernel, sym_name = "k"}} : () -> ()
      }}) : () -> () }}) {{gpu.container_module}} : () -> ()
    """


def convert(arguments: str, body: str) -> str:
    context = create_context()
    module = parse_module(kernel(arguments, body), context, check=False)
    ConvertFlyToToy().apply(context, module)
    text = emit_generic(module)
    assert "fly." not in text
    return text


def lines(text: str, name: str) -> list[str]:
    """The operations called `name`."""
    return [line.strip() for line in text.splitlines() if f'"{name}"' in line]


def test_pointers_get_their_address_space_in_signatures() -> None:
    text = convert("%a: !fly.ptr<f32, generic>, %b: !fly.ptr<f16, global>, %c: !fly.ptr<i8, shared>, %n: i32", "")
    assert "function_type = (!llvm.ptr, !llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()" in text


def test_unknown_address_space_is_an_error() -> None:
    context = create_context()
    module = parse_module(kernel("%a: !fly.ptr<f32, global>", ""), context, check=False)

    @dataclass(frozen=True)
    class Empty(ConvertFlyToLLVM):
        name = "empty"

        def lowering_target(self) -> LoweringTarget:
            return LoweringTarget("empty", {})

    with pytest.raises(IRError, match="no address space"):
        Empty().apply(context, module)


def test_offsets_become_geps_on_the_element_type() -> None:
    text = convert(
        "%p: !fly.ptr<f16, global>, %n: i32",
        """
        %s = fly.static : !fly.int_tuple<8>
        %a = fly.add_offset(%p, %s) : (!fly.ptr<f16, global>, !fly.int_tuple<8>) -> !fly.ptr<f16, global>
        %d = fly.make_int_tuple(%n) : (i32) -> !fly.int_tuple<?>
        %b = fly.add_offset(%a, %d) : (!fly.ptr<f16, global>, !fly.int_tuple<?>) -> !fly.ptr<f16, global>
        %v = fly.ptr.load(%b) : (!fly.ptr<f16, global>) -> f16
        """,
    )
    first, second = lines(text, "llvm.getelementptr")
    assert "elem_type = f16" in first
    assert "array<i32: 8>" in first
    assert ", i32)" in second


def test_offsets_of_packed_elements_count_in_bytes() -> None:
    pointer = "!fly.ptr<f4E2M1FN, global>"
    text = convert(
        f"%p: {pointer}, %n: i32",
        f"""
        %s = fly.static : !fly.int_tuple<6>
        %a = fly.add_offset(%p, %s) : ({pointer}, !fly.int_tuple<6>) -> {pointer}
        %d = fly.make_int_tuple(%n) : (i32) -> !fly.int_tuple<?>
        %b = fly.add_offset(%a, %d) : ({pointer}, !fly.int_tuple<?>) -> {pointer}
        %v = fly.ptr.load(%b) : ({pointer}) -> vector<8xf4E2M1FN>
        """,
    )
    assert "elem_type = i8, rawConstantIndices = array<i32: 3>" in text
    assert len(lines(text, "arith.shrsi")) == 1
    assert "vector<8xi4>" in lines(text, "llvm.load")[0]


@pytest.mark.parametrize(
    ("attribute", "alignment"), [("", 4), (", align<16>", 16), (", align<48>", 16), (", align<16>, S<2,3,3>", 8)]
)
def test_accesses_carry_the_alignment_that_the_pointer_promises(attribute: str, alignment: int) -> None:
    pointer = f"!fly.ptr<f32, shared{attribute}>"
    text = convert(f"%p: {pointer}, %v: vector<2xf32>", f"fly.ptr.store(%v, %p) : (vector<2xf32>, {pointer}) -> ()")
    assert f"alignment = {alignment} : i64" in lines(text, "llvm.store")[0]


def test_swizzle_permutes_the_byte_address() -> None:
    pointer = "!fly.ptr<f32, shared, align<16>, S<3,4,3>>"
    text = convert(f"%p: {pointer}", f"%v = fly.ptr.load(%p) : ({pointer}) -> vector<4xf32>")
    mask, shift = lines(text, "arith.constant")
    assert f"value = {0b111 << 7} : i32" in mask
    assert "value = 3 : i32" in shift
    for name in ("llvm.ptrtoint", "arith.andi", "arith.shrui", "arith.xori", "llvm.inttoptr"):
        assert len(lines(text, name)) == 1


def test_access_across_a_swizzle_granule_is_an_error() -> None:
    pointer = "!fly.ptr<f32, shared, align<16>, S<3,3,3>>"
    with pytest.raises(IRError, match="granule"):
        convert(f"%p: {pointer}", f"%v = fly.ptr.load(%p) : ({pointer}) -> vector<4xf32>")


def test_allocations_become_stack_and_shared_globals() -> None:
    text = convert(
        "%v: f32",
        """
        %r = fly.make_ptr() {dictAttrs = {allocSize = 6 : i64}} : () -> !fly.ptr<f32, register, align<16>>
        fly.ptr.store(%v, %r) : (f32, !fly.ptr<f32, register, align<16>>) -> ()
        %s = fly.make_ptr() {dictAttrs = {allocSize = 64 : i64}} : () -> !fly.ptr<f16, shared, align<32>>
        %t = fly.make_ptr() {dictAttrs = {allocSize = 5 : i64}} : () -> !fly.ptr<i8, shared>
        %d = fly.get_dyn_shared() : () -> !fly.ptr<i8, shared, align<1024>>
        %e = fly.get_dyn_shared() : () -> !fly.ptr<i8, shared, align<1024>>
        """,
    )
    assert "elem_type = f32, alignment = 16" in lines(text, "llvm.alloca")[0]
    globals_ = {line.split('sym_name = "')[1].split('"')[0]: line for line in lines(text, "llvm.mlir.global")}
    assert set(globals_) == {"__shared_alloc_0", "__shared_alloc_1", "__dynamic_shared"}
    assert "!llvm.array<128 x i8>" in globals_["__shared_alloc_0"]
    assert "alignment = 32" in globals_["__shared_alloc_0"]
    assert "!llvm.array<5 x i8>" in globals_["__shared_alloc_1"]
    assert "!llvm.array<0 x i8>" in globals_["__dynamic_shared"]
    assert "addr_space = 3" in globals_["__dynamic_shared"]


def test_pointers_become_integers_and_back() -> None:
    text = convert(
        "%p: !fly.ptr<f32, global>, %i: index",
        """
        %n = fly.ptrtoint(%p) : (!fly.ptr<f32, global>) -> i64
        %q = fly.inttoptr(%n) : (i64) -> !fly.ptr<f32, shared>
        %x = fly.ptrtoint(%p) : (!fly.ptr<f32, global>) -> index
        %r = fly.inttoptr(%i) : (index) -> !fly.ptr<f32, global>
        %l = fly.to_llvm_ptr(%p) {llvm_address_space = 0 : i32} : (!fly.ptr<f32, global>) -> !llvm.ptr
        "llvm.store"(%i, %l) : (index, !llvm.ptr) -> ()
        """,
    )
    assert [line.split(" : ")[-1] for line in lines(text, "llvm.inttoptr")] == [
        "(i64) -> !llvm.ptr<3>",
        "(i64) -> !llvm.ptr<1>",
    ]
    assert "(!llvm.ptr<1>) -> !llvm.ptr" in lines(text, "llvm.addrspacecast")[0]
    assert len(lines(text, "arith.index_cast")) == 2


def test_pointers_flow_through_loops_and_branches() -> None:
    pointer = "!fly.ptr<f32, global>"
    text = convert(
        f"%p: {pointer}, %c: i1, %n: index, %d: i32",
        f"""
        %one = arith.constant 1 : index
        %o = fly.make_int_tuple(%d) : (i32) -> !fly.int_tuple<?>
        %r = "scf.for"(%one, %n, %one, %p) ({{
        ^bb0(%i: index, %q: {pointer}):
          %s = "scf.if"(%c) ({{
            %t = fly.add_offset(%q, %o) : ({pointer}, !fly.int_tuple<?>) -> {pointer}
            "scf.yield"(%t) : ({pointer}) -> ()
          }}, {{
            "scf.yield"(%q) : ({pointer}) -> ()
          }}) : (i1) -> {pointer}
          "scf.yield"(%s) : ({pointer}) -> ()
        }}) : (index, index, index, {pointer}) -> {pointer}
        %v = fly.ptr.load(%r) : ({pointer}) -> f32
        """,
    )
    assert (
        "(index, index, index, !llvm.ptr<1>) -> !llvm.ptr<1>" in lines(text, "scf.for")[0] or "-> !llvm.ptr<1>" in text
    )


COPY = "!fly.copy_atom<!fly.universal_copy<128>, 32>"
ROW = "!fly.memref<f32, global, 4:1, align<16>>"
TILE = "!fly.memref<f32, shared, 4:1, align<16>>"


def copy_call(operands: str, types: str, sizes: str, result: str = "()") -> str:
    name = "%v = " if result != "()" else ""
    return (
        f"%atom = fly.make_copy_atom {{valBits = 32 : i32}} : {COPY}\n"
        f'{name}"fly.copy_atom_call_ssa"(%atom, {operands}) {{operandSegmentSizes = array<i32: {sizes}>}} '
        f": ({COPY}, {types}) -> {result}"
    )


VIEWS = f"""
  %layout = fly.static : !fly.layout<4:1>
  %src = fly.make_view(%p, %layout) : (!fly.ptr<f32, global, align<16>>, !fly.layout<4:1>) -> {ROW}
  %dst = fly.make_view(%q, %layout) : (!fly.ptr<f32, shared, align<16>>, !fly.layout<4:1>) -> {TILE}
"""
POINTERS = "%p: !fly.ptr<f32, global, align<16>>, %q: !fly.ptr<f32, shared, align<16>>"


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


@pytest.mark.parametrize(
    ("op", "element", "number"), [("add", "i32", 1), ("add", "f32", 11), ("max", "i32", 7), ("min", "f64", 14)]
)
def test_atomic_copy_becomes_atomicrmw(op: str, element: str, number: int) -> None:
    atom = f'!fly.copy_atom<!fly.universal_atomic<{op}, {element}, "agent">, 32>'
    memory = f"!fly.memref<{element}, global, 1:0>"
    text = convert(
        f"%p: !fly.ptr<{element}, global>, %v: {element}",
        f"""
        %layout = fly.static : !fly.layout<1:0>
        %dst = fly.make_view(%p, %layout) : (!fly.ptr<{element}, global>, !fly.layout<1:0>) -> {memory}
        %atom = fly.make_copy_atom {{valBits = 32 : i32}} : {atom}
        "fly.copy_atom_call_ssa"(%atom, %v, %dst) {{operandSegmentSizes = array<i32: 1, 1, 1, 0>}}
          : ({atom}, {element}, {memory}) -> ()
        """,
    )
    (line,) = lines(text, "llvm.atomicrmw")
    assert f"bin_op = {number} : i64" in line
    assert 'syncscope = "agent"' in line


def test_atomic_that_does_not_exist_is_an_error() -> None:
    atom = "!fly.copy_atom<!fly.universal_atomic<and, f32>, 32>"
    memory = "!fly.memref<f32, global, 1:0>"
    with pytest.raises(IRError, match="no atomic 'and' on f32"):
        convert(
            "%p: !fly.ptr<f32, global>, %v: f32",
            f"""
            %layout = fly.static : !fly.layout<1:0>
            %dst = fly.make_view(%p, %layout) : (!fly.ptr<f32, global>, !fly.layout<1:0>) -> {memory}
            %atom = fly.make_copy_atom {{valBits = 32 : i32}} : {atom}
            "fly.copy_atom_call_ssa"(%atom, %v, %dst) {{operandSegmentSizes = array<i32: 1, 1, 1, 0>}}
              : ({atom}, f32, {memory}) -> ()
            """,
        )


@pytest.mark.parametrize(("element", "operation"), [("f32", "math.fma"), ("f16", "math.fma"), ("i32", "arith.muli")])
def test_universal_fma_is_one_multiply_add(element: str, operation: str) -> None:
    atom = f"!fly.mma_atom<!fly.universal_fma<1x1x1, ({element}, {element}) -> {element}>>"
    text = convert(
        f"%a: {element}, %b: {element}, %c: {element}",
        f"""
        %atom = fly.make_mma_atom : {atom}
        %d = "fly.mma_atom_call_ssa"(%atom, %a, %b, %c) {{operandSegmentSizes = array<i32: 1, 0, 1, 1, 1>}}
          : ({atom}, {element}, {element}, {element}) -> {element}
        """,
    )
    assert len(lines(text, operation)) == 1


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


def test_narrow_float_values_travel_as_integers() -> None:
    text = convert(
        "%p: !fly.ptr<f8E4M3FN, global>, %c: i1",
        """
        %one = "arith.constant"() <{value = 1.0 : f8E4M3FN}> : () -> f8E4M3FN
        %x = fly.ptr.load(%p) : (!fly.ptr<f8E4M3FN, global>) -> f8E4M3FN
        %y = arith.select %c, %x, %one : f8E4M3FN
        fly.ptr.store(%y, %p) : (f8E4M3FN, !fly.ptr<f8E4M3FN, global>) -> ()
        """,
    )
    assert "f8E4M3FN" not in text
    assert "value = 56 : i8" in text


def test_arithmetic_on_narrow_floats_is_an_error() -> None:
    with pytest.raises(IRError, match="convert to f32 first"):
        convert(
            "%p: !fly.ptr<f8E4M3FN, global>",
            """
            %x = fly.ptr.load(%p) : (!fly.ptr<f8E4M3FN, global>) -> f8E4M3FN
            %y = arith.addf %x, %x : f8E4M3FN
            """,
        )


def test_operation_without_a_lowering_is_named() -> None:
    with pytest.raises(IRError, match=r"fly\.make_identity_layout"):
        convert(
            "",
            """
            %s = fly.static : !fly.int_tuple<4>
            %l = fly.make_identity_layout(%s) : (!fly.int_tuple<4>) -> !fly.layout<4:1E0>
            """,
        )
