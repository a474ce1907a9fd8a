"""Memory spaces: addresses, alignment, swizzles and allocations."""

from __future__ import annotations

import pytest
from toy_target import convert, lines

from flydsl.base.errors import IRError


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
    assert "elem_type = i8" in lines(text, "llvm.getelementptr")[0]
    assert "value = 3 : i32" in lines(text, "arith.constant")[0]
    assert len(lines(text, "arith.shrsi")) == 1
    assert "(i32) -> i64" in lines(text, "arith.extsi")[0]  # 2^31 elements have more bits than 32 bits count
    assert "vector<8xi4>" in lines(text, "llvm.load")[0]


def offset_by(count: int, space: str) -> str:
    """A load `count` elements further on."""
    pointer = f"!fly.ptr<f32, {space}>"
    return convert(
        f"%p: {pointer}",
        f"""
        %s = fly.static : !fly.int_tuple<{count}>
        %a = fly.add_offset(%p, %s) : ({pointer}, !fly.int_tuple<{count}>) -> {pointer}
        %v = fly.ptr.load(%a) : ({pointer}) -> f32
        """,
    )


@pytest.mark.parametrize("count", [1 << 31, 3 << 30, -(1 << 31), -(3 << 30), 1 << 40])
def test_offsets_that_a_constant_index_does_not_hold_are_values(count: int) -> None:
    text = offset_by(count, "global")
    assert f"value = {count} : i64" in lines(text, "arith.constant")[0]
    assert "rawConstantIndices = array<i32: -2147483648>" in lines(text, "llvm.getelementptr")[0]


@pytest.mark.parametrize(("count", "space", "bits"), [(1 << 31, "shared", 32), (1 << 62, "global", 64)])
def test_offsets_that_no_address_holds_are_refused(count: int, space: str, bits: int) -> None:
    with pytest.raises(
        IRError, match=f"an offset of {count} elements of f32 is more than the {bits} bits of an address"
    ):
        offset_by(count, space)


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
        %b = fly.make_ptr() {dictAttrs = {allocBytes = 96 : i64, allocAlign = 64 : i64}} : () -> !fly.ptr<f32, shared>
        %n = fly.make_ptr() {dictAttrs = {allocSize = 3 : i64}} : () -> !fly.ptr<f32, register>
        fly.ptr.store(%v, %n) : (f32, !fly.ptr<f32, register>) -> ()
        %d = fly.get_dyn_shared() : () -> !fly.ptr<i8, shared, align<1024>>
        %e = fly.get_dyn_shared() : () -> !fly.ptr<i8, shared, align<1024>>
        """,
    )
    assert "elem_type = f32, alignment = 16" in lines(text, "llvm.alloca")[0]
    globals_ = {line.split('sym_name = "')[1].split('"')[0]: line for line in lines(text, "llvm.mlir.global")}
    assert set(globals_) == {"__shared_alloc_0", "__shared_alloc_1", "__shared_alloc_2", "__dynamic_shared_0"}
    assert "!llvm.array<96 x i8>" in globals_["__shared_alloc_2"]
    assert "alignment = 64" in globals_["__shared_alloc_2"]
    assert "alignment" not in lines(text, "llvm.alloca")[1]
    assert "!llvm.array<128 x i8>" in globals_["__shared_alloc_0"]
    assert "alignment = 32" in globals_["__shared_alloc_0"]
    assert "!llvm.array<5 x i8>" in globals_["__shared_alloc_1"]
    assert "!llvm.array<0 x i8>" in globals_["__dynamic_shared_0"]
    assert "addr_space = 3" in globals_["__dynamic_shared_0"]


def test_a_stack_allocation_in_a_loop_is_made_before_it() -> None:
    text = convert(
        "%v: f32, %n: index",
        """
        %one = arith.constant 1 : index
        scf.for %i = %one to %n step %one {
          %r = fly.make_ptr() {dictAttrs = {allocSize = 6 : i64}} : () -> !fly.ptr<f32, register>
          fly.ptr.store(%v, %r) : (f32, !fly.ptr<f32, register>) -> ()
        }
        """,
    )
    assert text.index("llvm.alloca") < text.index("scf.for")


@pytest.mark.parametrize(
    "attribute",
    [
        "allocBytes = 0 : i64",
        "allocBytes = 8.0 : f32",
        "allocBytes = 8 : i64, allocAlign = -4 : i64",
        "allocBytes = 8 : i64, allocAlign = 48 : i64",
    ],
)
def test_a_wrong_size_of_shared_memory_is_refused(attribute: str) -> None:
    with pytest.raises(IRError, match=r"fly.make_ptr: 'alloc(Bytes|Align)' is a (positive number|power of two), found"):
        convert("", f"%r = fly.make_ptr() {{dictAttrs = {{{attribute}}}}} : () -> !fly.ptr<f32, shared>")


def test_an_element_that_is_no_whole_byte_has_no_address() -> None:
    pointer = "!fly.ptr<f4E2M1FN, global>"
    with pytest.raises(IRError, match="access 2 neighbours at once, as a vector"):
        convert(f"%p: {pointer}", f"%v = fly.ptr.load(%p) : ({pointer}) -> f4E2M1FN")


def test_a_plain_space_makes_no_memory() -> None:
    with pytest.raises(IRError, match=r"fly.make_ptr cannot make a !fly.ptr<f32, global> on target 'toy'"):
        convert("", "%r = fly.make_ptr() {dictAttrs = {allocSize = 6 : i64}} : () -> !fly.ptr<f32, global>")


def test_an_allocation_needs_a_size() -> None:
    with pytest.raises(IRError, match=r"fly.make_ptr needs the attribute 'allocSize', found"):
        convert("", "%r = fly.make_ptr() {dictAttrs = {}} : () -> !fly.ptr<f32, shared>")


def test_indices_are_64_bits_in_memory() -> None:
    pointer = "!fly.ptr<index, global>"
    text = convert(f"%p: {pointer}, %i: index", f"fly.ptr.store(%i, %p) : (index, {pointer}) -> ()")
    assert "(i64, !llvm.ptr<1>)" in lines(text, "llvm.store")[0]
