"""Operations that make atoms for tensor moves of a tensor, with its bounds; `fly-rocdl-expand-ops` expands them.

%atom = fly_rocdl.make_tiled_tdm_load_atom(%tensor, %first) {boundary_check = array<i32: 0, 1>}
    : (!fly.memref<f16, global, (?,?):(?{i64},1)>, !fly.int_tuple<(?,?)>)
    -> !fly.copy_atom<!fly_rocdl.gfx1250.tdm<rank = 2, ...>, 0>
"""

from __future__ import annotations

from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.backend.dialect import PURE, Attr, FlyOp, Operand
from flydsl.backend.ir import GLOBAL, CopyAtomType, IntTupleType, MemRefType
from flydsl_rocm.atoms.tdm_types import Gfx1250TdmType


class _MakeTiledTdmAtomOp(FlyOp):
    """`(tensor, first) {boundary_check} -> copy_atom`: an atom that knows the strides and bounds of `tensor`.

    `first` is the coordinate of the tile's first element. `boundary_check` lists the modes of the tensor in which tiles
    may overhang it. The atom's rank is that of the tensor; see `descriptor_axes` for the order of a tile's dimensions.
    """

    traits = PURE
    tensor, first = Operand(), Operand()
    boundary_check = Attr(tuple)

    @property
    def modes(self) -> fl.Layout:
        """The layout of the tensor, one flat mode a dimension."""
        type_ = self.tensor.type
        assert isinstance(type_, MemRefType)
        assert isinstance(type_.layout, fl.Layout)
        return type_.layout

    def verify_types(self) -> None:
        type_, first, atom = self.tensor.type, self.first.type, self.result.type
        if not isinstance(type_, MemRefType) or type_.space != GLOBAL or not isinstance(type_.layout, fl.Layout):
            raise VerifyException(f"{self.name} needs a tensor in global memory with a plain layout, found {type_}")
        if not isinstance(atom, CopyAtomType) or not isinstance(atom.op, Gfx1250TdmType):
            raise VerifyException(f"{self.name} makes an atom of gfx1250.tdm, found {atom}")
        rank = atom.op.rank
        if fl.rank(type_.layout) != rank or len(integers(type_.layout.shape)) != rank:
            raise VerifyException(f"{self.name} makes an atom of rank {rank} for a tensor of {type_.layout}")
        if not isinstance(first, IntTupleType) or len(integers(first.value)) != rank:
            raise VerifyException(f"{self.name} needs a coordinate of {rank} integers, found {first}")
        for mode in self.boundary_check:
            if not isinstance(mode, int) or not 0 <= mode < rank:
                raise VerifyException(f"boundary_check of {self.name} lists modes from 0 to {rank - 1}, found {mode!r}")
        descriptor_axes(type_.layout)


class MakeTiledTdmLoadAtomOp(_MakeTiledTdmAtomOp):
    """An atom that loads tiles of a tensor to shared memory."""

    name = "fly_rocdl.make_tiled_tdm_load_atom"


class MakeTiledTdmStoreAtomOp(_MakeTiledTdmAtomOp):
    """An atom that stores tiles from shared memory to a tensor."""

    name = "fly_rocdl.make_tiled_tdm_store_atom"


def descriptor_axes(layout: fl.Layout) -> tuple[int, ...]:
    """The modes of a tensor as the descriptor has them: the outermost first, the contiguous one last.

    Static strides decide. Else modes keep their order, or are reversed where the first one is the contiguous one.
    """
    strides = integers(layout.stride)
    order = range(len(strides))
    known = [stride for stride in strides if isinstance(stride, int)]
    if len(known) == len(strides):
        axes = tuple(sorted(order, key=lambda mode: (-known[mode], -mode)))
    else:
        axes = tuple(order if strides[-1] == 1 else reversed(order))
    innermost = axes[-1]
    if strides[innermost] != 1 and integers(layout.shape)[innermost] != 1:
        raise VerifyException(f"a tensor move needs a first or last mode that is contiguous, found {layout}")
    return axes


def integers(value: fl.IntTuple) -> tuple[fl.Leaf, ...]:
    """The integers of a tuple, in order."""
    flattened = fl.flatten(value)
    items = flattened if isinstance(flattened, tuple) else (flattened,)
    return tuple(item for item in items if not isinstance(item, tuple))  # which a flat one has none of
