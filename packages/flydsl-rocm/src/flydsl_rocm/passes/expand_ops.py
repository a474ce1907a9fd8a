"""The pass `fly-rocdl-expand-ops`: operations that make atoms of tensors, as operations of the core dialect.

Bounds are asked for in modes of the tensor (`boundary_check`), and are set in axes of the descriptor. It runs before
`fly-layout-lowering`, which evaluates the sizes that it writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, StringAttr, i32, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

import flydsl.layout as fl
from flydsl.backend.dialect import integer_array
from flydsl.backend.ir import (
    AtomSetValueOp,
    CopyAtomType,
    GetLayoutOp,
    GetOp,
    GetScalarOp,
    GetShapeOp,
    GetStrideOp,
    IntTupleSubOp,
    IntTupleType,
    MakeCopyAtomOp,
)
from flydsl.backend.llvm import Builder
from flydsl.backend.rewriting import functions, replace, walk
from flydsl_rocm.tdm_operations import MakeTiledTdmLoadAtomOp, MakeTiledTdmStoreAtomOp, descriptor_axes, integers

_LARGEST = 0x7FFFFFFF
_ATOMS = (MakeTiledTdmLoadAtomOp, MakeTiledTdmStoreAtomOp)


@dataclass(frozen=True)
class FlyRocdlExpandOps(ModulePass):
    """Expand the construction of atoms for tensor moves."""

    name: ClassVar[str] = "fly-rocdl-expand-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of the module, in place."""
        for function in functions(op):
            for inner in [found for found in walk(function) if isinstance(found, _ATOMS)]:
                assert inner.parent is not None
                build = Builder(inner.parent, before=inner)
                replace(inner, [_expanded(build, inner)])


def _expanded(build: Builder, op: MakeTiledTdmLoadAtomOp | MakeTiledTdmStoreAtomOp) -> SSAValue:
    type_ = op.result.type
    assert isinstance(type_, CopyAtomType)
    atom = build.create(MakeCopyAtomOp, (), [type_], {"valBits": IntegerAttr(type_.val_bits, i32)}).result
    layout = build.infer(GetLayoutOp, [op.tensor]).result
    axes = descriptor_axes(op.modes)
    for axis, mode in enumerate(axes):
        if mode in op.boundary_check:
            atom = _set(build, atom, f"extent_{axis}", _extent(build, op, layout, mode))
        if axis < len(axes) - 1 and isinstance(integers(op.modes.stride)[mode], fl.Dyn):
            stride = _scalar(build, _leaf(build, build.infer(GetStrideOp, [layout]).result, mode))
            atom = _set(build, atom, f"stride_{axis}", _resized(build, stride, i64))
    return atom


def _extent(
    build: Builder, op: MakeTiledTdmLoadAtomOp | MakeTiledTdmStoreAtomOp, layout: SSAValue, mode: int
) -> SSAValue:
    """Elements of the tensor from the tile's first one on, as many as the descriptor counts."""
    shape = build.infer(GetShapeOp, [layout]).result
    left = build.infer(IntTupleSubOp, [_leaf(build, shape, mode), _leaf(build, op.first, mode)]).result
    extent = _scalar(build, left)
    if extent.type == i64:
        largest = _constant(build, _LARGEST, i64)
        extent = build.create(arith.MinSIOp, [extent, largest], [i64]).results[0]
    return _resized(build, extent, i32)


def _leaf(build: Builder, value: SSAValue, mode: int) -> SSAValue:
    type_ = value.type
    assert isinstance(type_, IntTupleType)
    if not isinstance(type_.value, tuple):
        return value
    return build.infer(GetOp, [value], {"mode": integer_array(mode)}).result


def _scalar(build: Builder, leaf: SSAValue) -> SSAValue:
    type_ = leaf.type
    assert isinstance(type_, IntTupleType)
    if isinstance(type_.value, int):
        return _constant(build, type_.value, i32 if -_LARGEST <= type_.value <= _LARGEST else i64)
    return build.infer(GetScalarOp, [leaf]).result


def _constant(build: Builder, value: int, type_: IntegerType) -> SSAValue:
    return build.create(arith.ConstantOp, (), [type_], properties={"value": IntegerAttr(value, type_)}).results[0]


def _resized(build: Builder, value: SSAValue, type_: IntegerType) -> SSAValue:
    if value.type == type_:
        return value
    return build.create(arith.ExtSIOp if type_ is i64 else arith.TruncIOp, [value], [type_]).results[0]


def _set(build: Builder, atom: SSAValue, field: str, value: SSAValue) -> SSAValue:
    return build.infer(AtomSetValueOp, [atom, value], {"field": StringAttr(field)}).result
