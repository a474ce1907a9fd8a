"""Atom calls take and give SSA values where a tensor is a contiguous run of registers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from xdsl.ir import Operation

from flydsl.base.errors import SettingError
from flydsl.ir.parse import parse_module, verify
from flydsl.passes.registry import run as run_passes

REGISTERS = "!fly.memref<f32, register, (4,1):(1,0)>"
GLOBAL = "!fly.memref<f32, global, (4,1):(1,0)>"
ATOM = "!fly.copy_atom<!fly.universal_copy<128>, 32>"


def converted(source: str, target: str, pred: bool = False, element: str = "f32") -> Operation:
    flag = "!fly.memref<i1, register, 1:0>"
    from_, to = (f"!fly.ptr<{element}, {space(type_)}>" for type_ in (source, target))
    values, types = (
        ("%src, %dst, %flag", f"{source}, {target}, {flag}") if pred else ("%src, %dst", f"{source}, {target}")
    )
    text = f"""
    gpu.module @m {{ gpu.func @k(%p: {from_}, %q: {to}, %f: !fly.ptr<i1, register>) kernel {{
      %atom = fly.make_copy_atom {{valBits = 32 : i32}} : {ATOM}
      %l = fly.static : !fly.layout<(4,1):(1,0)>
      %one = fly.static : !fly.layout<1:0>
      %src = fly.make_view(%p, %l) : ({from_}, !fly.layout<(4,1):(1,0)>) -> {source}
      %dst = fly.make_view(%q, %l) : ({to}, !fly.layout<(4,1):(1,0)>) -> {target}
      %flag = fly.make_view(%f, %one) : (!fly.ptr<i1, register>, !fly.layout<1:0>) -> {flag}
      fly.copy_atom_call(%atom, {values}) : ({ATOM}, {types}) -> ()
      gpu.return
    }} }}
    """
    module = parse_module(text)
    run_passes(module, "fly-convert-atom-call-to-ssa-form")
    verify(module)
    return module


def space(type_: str) -> str:
    return "register" if "register" in type_ else "global"


def names(module: Operation) -> list[str]:
    kinds = ("fly.ptr.load", "fly.ptr.store", "fly.copy_atom_call", "fly.copy_atom_call_ssa", "fly.mma_atom_call_ssa")
    return [op.name.removeprefix("fly.") for op in module.walk() if op.name in kinds]


def call(module: Operation) -> Operation:
    (found,) = [op for op in module.walk() if op.name.endswith("_ssa")]
    return found


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (GLOBAL, REGISTERS, ["copy_atom_call_ssa", "ptr.store"]),
        (REGISTERS, GLOBAL, ["ptr.load", "copy_atom_call_ssa"]),
        (REGISTERS, REGISTERS, ["ptr.load", "copy_atom_call_ssa", "ptr.store"]),
        (GLOBAL, GLOBAL, ["copy_atom_call"]),
    ],
)
def test_register_operands_become_values(source: str, target: str, expected: list[str]) -> None:
    assert names(converted(source, target)) == expected


def test_a_predicated_copy_gets_the_old_value() -> None:
    module = converted(GLOBAL, REGISTERS, pred=True)
    assert names(module) == ["ptr.load", "ptr.load", "copy_atom_call_ssa", "ptr.store"]
    types = [str(type_) for type_ in call(module).operand_types]
    assert types[2:] == ["vector<4xf32>", "i1"]
    assert str(call(module).results[0].type) == "vector<4xf32>"


def test_a_predicated_store_has_no_result() -> None:
    module = converted(REGISTERS, GLOBAL, pred=True)
    assert not call(module).results
    assert [str(type_) for type_ in call(module).operand_types][1:] == ["vector<4xf32>", GLOBAL, "i1"]


def test_narrow_floats_travel_as_integers() -> None:
    narrow = "!fly.memref<f8E4M3FN, {}, (4,1):(1,0)>"
    module = converted(narrow.format("global"), narrow.format("register"), element="f8E4M3FN")
    assert str(call(module).results[0].type) == "vector<4xi8>"


def test_strided_registers_stay_tensors() -> None:
    source, target = "!fly.memref<f32, global, 4:1>", "!fly.memref<f32, register, 4:2>"
    text = f"""
    gpu.module @m {{ gpu.func @k(%p: !fly.ptr<f32, global>, %q: !fly.ptr<f32, register>) kernel {{
      %atom = fly.make_copy_atom {{valBits = 32 : i32}} : {ATOM}
      %l = fly.static : !fly.layout<4:1>
      %m = fly.static : !fly.layout<4:2>
      %src = fly.make_view(%p, %l) : (!fly.ptr<f32, global>, !fly.layout<4:1>) -> {source}
      %dst = fly.make_view(%q, %m) : (!fly.ptr<f32, register>, !fly.layout<4:2>) -> {target}
      fly.copy_atom_call(%atom, %src, %dst) : ({ATOM}, {source}, {target}) -> ()
      gpu.return
    }} }}
    """
    module = parse_module(text)
    run_passes(module, "fly-convert-atom-call-to-ssa-form")
    assert names(module) == ["copy_atom_call"]


def test_products_load_their_inputs_and_store_the_result() -> None:
    one = "!fly.memref<f32, register, 1:0>"
    views = "".join(
        f"%{name} = fly.make_view(%p{name}, %l) : (!fly.ptr<f32, register>, !fly.layout<1:0>) -> {one}\n"
        for name in "dabc"
    )
    atom = "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"
    arguments = ", ".join(f"%p{name}: !fly.ptr<f32, register>" for name in "dabc")
    module = parse_module(
        f"""
        gpu.module @m {{ gpu.func @k({arguments}) kernel {{
          %atom = fly.make_mma_atom : {atom}
          %l = fly.static : !fly.layout<1:0>
          {views}
          fly.mma_atom_call(%atom, %d, %a, %b, %c) : ({atom}, {one}, {one}, {one}, {one}) -> ()
          gpu.return
        }} }}
        """
    )
    run_passes(module, "fly-convert-atom-call-to-ssa-form")
    verify(module)
    assert names(module) == ["ptr.load"] * 3 + ["mma_atom_call_ssa", "ptr.store"]
    assert str(call(module).results[0].type) == "f32"


FMA = "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"
ONE = "!fly.memref<f32, register, 1:0>"


def products(count: int, between: str = "") -> Operation:
    """`count` products of the same operands in allocations of their own, each with what stands `between` behind it."""
    pointers = "".join(
        f"%p{name} = fly.make_ptr() {{dictAttrs = {{allocSize = 1 : i64}}}} : () -> !fly.ptr<f32, register>\n"
        f"%{name} = fly.make_view(%p{name}, %l) : (!fly.ptr<f32, register>, !fly.layout<1:0>) -> {ONE}\n"
        for name in "abc"
    )
    call = f"fly.mma_atom_call(%atom, %c, %a, %b, %c) : ({FMA}, {ONE}, {ONE}, {ONE}, {ONE}) -> ()\n{between}\n"
    return parse_module(
        f"""
        gpu.module @m {{ gpu.func @k() kernel {{
          %atom = fly.make_mma_atom : {FMA}
          %l = fly.static : !fly.layout<1:0>
          {pointers}
          {call * count}
          gpu.return
        }} }}
        """
    )


def test_products_in_a_row_share_what_they_read_and_write() -> None:
    module = products(20)
    run_passes(module, "fly-convert-atom-call-to-ssa-form{share=true}")
    verify(module)
    assert names(module) == ["ptr.load"] * 3 + ["mma_atom_call_ssa"] * 20 + ["ptr.store"]
    calls = [op for op in module.walk() if op.name == "fly.mma_atom_call_ssa"]
    assert all(later.operands[3] is earlier.results[0] for earlier, later in pairwise(calls))


def test_products_share_nothing_across_what_may_look_at_registers() -> None:
    module = products(2, "gpu.barrier")
    run_passes(module, "fly-convert-atom-call-to-ssa-form{share=true}")
    verify(module)
    assert names(module) == (["ptr.load"] * 3 + ["mma_atom_call_ssa", "ptr.store"]) * 2


def test_products_share_nothing_unless_asked_for() -> None:
    module = products(2)
    run_passes(module, "fly-convert-atom-call-to-ssa-form")
    assert names(module) == (["ptr.load"] * 3 + ["mma_atom_call_ssa", "ptr.store"]) * 2


def test_the_option_is_true_or_false() -> None:
    with pytest.raises(SettingError, match="share='maybe' is neither 'true' nor 'false'"):
        run_passes(products(1), "fly-convert-atom-call-to-ssa-form{share=maybe}")
