"""Atoms of a target keep their state and their own patterns through the passes."""

from __future__ import annotations

from typing import Any

import pytest
from fly_target import MemoryMmaType, PairCopyType, PairMmaType
from pass_programs import SURVIVORS, Kernel, op_names
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnrealizedConversionCastOp, f16, f32, i32

import flydsl.layout as fl
from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.base.errors import IRError
from flydsl.ir import fly
from flydsl.ir.fly.attributes import GLOBAL, REGISTER, MmaOperand, MmaOperandAttr
from flydsl.ir.fly.types import CopyAtomType, LayoutType, MemRefType, MmaAtomType, TiledCopyType, TiledMmaType, TileType
from flydsl.ir.parse import verify
from flydsl.passes.registry import run as run_passes

L = fl.parse_layout
ATOM = CopyAtomType(PairCopyType(64), 32)
TILED = TiledCopyType(ATOM, LayoutType(L("((2,4),2):((2,4),1)")), TileType(fl.parse_tile("[4|4]")))
MMA = TiledMmaType(MmaAtomType(PairMmaType(f16, f16, f32)), LayoutType(L("(2,2,1):(1,2,0)")))


def lowered(k: Kernel) -> Any:
    module = k.module()
    run_passes(module, list(FLY_PIPELINE))
    verify(module)
    assert {name for name in op_names(module) if name.startswith("fly.")} <= SURVIVORS
    return module


def calls(module: Any) -> list[Any]:
    return [op for op in module.walk() if "atom_call" in op.name]


def partitioned(k: Kernel, tiled: Any) -> tuple[Any, Any]:
    """A part of the first argument and registers for it."""
    part = k.fly("tiled_copy.partition_src", tiled, k.args[0], k.coord(fl.Dyn(), k.index("thread_id")))
    return part, k.fly("make_fragment_like", part)


def test_the_state_of_an_atom_reaches_every_call() -> None:
    k = Kernel(MemRefType(f32, GLOBAL, L("(8,4):(1,8)")), i32)
    part, fragment = partitioned(k, tiled_of(k))
    k.effect("copy", k.fly("atom.set_value", make_atom(k), k.args[1], field=StringAttr("soffset")), part, fragment)
    k.effect("memref.store_vec", k.fly("memref.load_vec", fragment), part)
    module = lowered(k)
    (changed,) = [op for op in module.walk() if op.name == "fly.atom.set_value"]
    assert calls(module)
    assert all(call.operands[0] is changed.results[0] for call in calls(module))


def test_the_state_of_a_tiled_copy_is_that_of_its_atom() -> None:
    k = Kernel(MemRefType(f32, GLOBAL, L("(8,4):(1,8)")), i32)
    tiled = k.fly("atom.set_value", tiled_of(k), k.args[1], field=StringAttr("soffset"))
    part, fragment = partitioned(k, tiled)
    k.effect("copy", tiled, part, fragment)
    k.effect("memref.store_vec", k.fly("memref.load_vec", fragment), part)
    module = lowered(k)
    (changed,) = [op for op in module.walk() if op.name == "fly.atom.set_value"]
    assert changed.results[0].type == ATOM
    assert all(call.operands[0] is changed.results[0] for call in calls(module))
    assert not {"fly.make_tiled_copy", "fly.get_copy_atom"} & op_names(module)


def make_atom(k: Kernel) -> Any:
    return k.op(fly.MakeCopyAtomOp, [], ATOM, attributes={"valBits": IntegerAttr(32, i32)})


def tiled_of(k: Kernel) -> Any:
    return k.fly("make_tiled_copy", make_atom(k), k.static(TILED.layout_tv), k.static(TILED.tile))


def test_atoms_with_state_are_passed_to_kernels_as_they_are() -> None:
    k = Kernel(MemRefType(f32, GLOBAL, L("(8,4):(1,8)")), ATOM)
    part, fragment = partitioned(k, tiled_of(k))
    k.effect("copy", k.args[1], part, fragment)
    k.effect("memref.store_vec", k.fly("memref.load_vec", fragment), part)
    module = lowered(k)
    (function,) = [op for op in module.walk() if op.name == "gpu.func"]
    assert [str(arg.type) for arg in function.regions[0].block.args] == ["!fly.ptr<f32, global>", str(ATOM)]
    assert all(call.operands[0] is function.regions[0].block.args[1] for call in calls(module))


@pytest.mark.parametrize("steps", [1, 3])
def test_matrix_atoms_get_vectors_of_their_operands(steps: int) -> None:
    k = Kernel(MemRefType(f16, GLOBAL, L("(4,8):(8,1)")), MemRefType(f16, GLOBAL, L("(4,8):(8,1)")), MMA)
    thread = k.coord(fl.Dyn(), k.index("thread_id"))
    fragments = {}
    for name, whole in zip("ab", k.args, strict=False):
        operand = MmaOperandAttr(MmaOperand(name))
        tile = k.fly("composition", whole, k.static(fl.Tile((fl.Layout(4, 1), fl.Layout(2 * steps, 1)))))
        part = k.fly("tiled_mma.partition", k.args[2], tile, thread, operand_id=operand)
        fragments[name] = k.fly("mma.make_fragment", k.args[2], tile, operand_id=operand)
        k.effect("memref.store_vec", k.fly("memref.load_vec", part), fragments[name])
    layout = L("(1,1,2):(1,1,1)")
    total = k.op(fly.MemrefAllocaOp, [k.static(layout)], MemRefType(f32, REGISTER, layout))
    k.effect("gemm", k.args[2], total, fragments["a"], fragments["b"], total)
    for column in range(2):
        result = k.op(arith.TruncFOp, [k.fly("memref.load", total, k.static((0, 0, column)))], f16)
        k.effect("memref.store", result, k.args[0], k.static((column, 0)))
    found = calls(lowered(k))
    assert len(found) == 2 * steps
    for call in found:
        assert [str(type_) for type_ in call.operand_types[1:]] == ["vector<2xf16>", "vector<2xf16>", "f32"]
    for first, second in zip(found[::2], found[2::2], strict=False):
        assert second.operands[3] is first.results[0]


def test_control_flow_carries_the_atom_of_a_tiled_copy() -> None:
    k = Kernel(MemRefType(f32, GLOBAL, L("(8,4):(1,8)")), i32)
    tiled = k.fly("atom.set_value", tiled_of(k), k.args[1], field=StringAttr("soffset"))
    k.op(UnrealizedConversionCastOp, [tiled], i32)
    module = k.module()
    run_passes(module, ["fly-layout-lowering"])
    (use,) = [op for op in module.walk() if isinstance(op, UnrealizedConversionCastOp)]
    made = use.operands[0].owner
    assert isinstance(made, fly.MakeTiledCopyOp)
    assert made.results[0].type == TILED
    assert isinstance(made.operands[0].owner, fly.AtomSetValueOp)


@pytest.mark.parametrize(
    ("space", "layouts", "words"),
    [
        (REGISTER, ("4:1", "2:1", "1:0"), "operand a of .* has 4 values in a thread, where the atom has 2: 4:1"),
        (REGISTER, ("2:1", "1:0", "1:0"), "operand b of .* has 1 values in a thread, where the atom has 2"),
        (REGISTER, ("2:1", "2:1", "2:1"), "operand d of .* has 2 values in a thread, where the atom has 1"),
        (GLOBAL, ("2:1", "2:8", "1:0"), "operand b of .* is in memory, where its values must be neighbours"),
    ],
)
def test_fragments_that_a_matrix_atom_cannot_take_are_refused(
    space: Any, layouts: tuple[str, str, str], words: str
) -> None:
    a, b, c = (MemRefType(kind, space, L(text)) for kind, text in zip((f16, f16, f32), layouts, strict=True))
    k = Kernel(a, b, c, MMA.atom)
    k.effect("mma_atom_call", k.args[3], k.args[2], k.args[0], k.args[1], k.args[2])
    with pytest.raises(IRError, match=words):
        lowered(k)


def test_an_operand_that_stays_in_memory_may_be_spread_and_is_not_loaded() -> None:
    atom = MmaAtomType(MemoryMmaType(f16, f16, f32))
    a, b, c = (
        MemRefType(f16, REGISTER, L("2:1")),
        MemRefType(f16, GLOBAL, L("2:8")),
        MemRefType(f32, REGISTER, L("1:0")),
    )
    k = Kernel(a, b, c, atom)
    k.effect("mma_atom_call", k.args[3], k.args[2], k.args[0], k.args[1], k.args[2])
    (call,) = calls(lowered(k))
    assert str(call.operand_types[2 if call.name.endswith("ssa") else 3]) == str(b)


def test_an_operand_that_the_instruction_reads_from_memory_is_not_in_registers() -> None:
    types = [
        MemRefType(kind, REGISTER, L(text)) for kind, text in zip((f16, f16, f32), ("2:1", "2:1", "1:0"), strict=True)
    ]
    k = Kernel(*types, MmaAtomType(MemoryMmaType(f16, f16, f32)))
    k.effect("mma_atom_call", k.args[3], k.args[2], k.args[0], k.args[1], k.args[2])
    with pytest.raises(IRError, match="operand b of .* is in registers, and the atom reads it from memory"):
        lowered(k)
