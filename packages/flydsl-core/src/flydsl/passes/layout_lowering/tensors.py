"""Operations on tensors and pointers: evaluated as an offset of the iterator and a layout; allocations survive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import (
    AddOffsetOp,
    ExtractAlignedPointerAsIndexOp,
    GetIterOp,
    GetLayoutOp,
    MakeFragmentLikeOp,
    MakePtrOp,
    MakeViewOp,
    MemrefAllocaOp,
    MmaMakeFragmentOp,
    PtrtointOp,
    RecastIterOp,
    SliceOp,
    TiledCopyPartitionDstOp,
    TiledCopyPartitionSrcOp,
    TiledCopyRetileOp,
    TiledMmaPartitionOp,
    TiledMmaPartitionShapeOp,
    ToLlvmPtrOp,
    views,
)
from flydsl.ir.fly.attributes import GENERIC, GLOBAL, REGISTER
from flydsl.ir.fly.types import MemRefType, PointerType
from flydsl.layout.leaf import widened
from flydsl.passes.layout_lowering.algebra import lower_algebra
from flydsl.passes.layout_lowering.function_lowering import FunctionLowering
from flydsl.passes.layout_lowering.tensor_values import Pointer, View, single

Handler = Callable[[FunctionLowering, Any], None]

_MODE_OPS = "get take select group append prepend dice coalesce composition"
_WIDE_SPACES = (GENERIC, GLOBAL)
"""Of addresses of 64 bits; offsets in the others have 32."""
_DIVIDES = "logical_divide zipped_divide tiled_divide flat_divide"
TENSOR_OPS = frozenset(f"fly.{name}" for name in f"{_MODE_OPS} {_DIVIDES}".split())
"""Operations that keep the iterator of a tensor and change its layout only."""


def lower_tensor_op(program: FunctionLowering, op: Operation) -> None:
    """A mode operation or a divide, on a layout or on a tensor."""
    view = program.value(op.operands[0])
    lower_algebra(program, op)
    if type(view) is View:
        program.values[op.results[0]] = View(view.iter, program.values[op.results[0]])


def allocate(program: FunctionLowering, element: Attribute, count: int, align: int = 0) -> Pointer:
    """A register allocation of `count` elements, at the current place."""
    type_ = PointerType(element, REGISTER, align)
    attributes = {"dictAttrs": DictionaryAttr({"allocSize": IntegerAttr(count, i64)})}
    return Pointer(program.create(MakePtrOp, [], [type_], attributes=attributes).results[0])


def _slice(program: FunctionLowering, op: SliceOp) -> None:
    view = program.value(op.input)
    if type(view) is View:
        program.set(op, view.moved(*views.sliced(view.layout, program.value(op.coord))))
    else:
        lower_algebra(program, op)


def _make_view(program: FunctionLowering, op: MakeViewOp) -> None:
    iterator, layout = program.operands(op)
    program.set(op, View(_origin(iterator), layout))


def _get_iter(program: FunctionLowering, op: GetIterOp) -> None:
    program.set(op, program.value(op.input).iter)


def _get_layout(program: FunctionLowering, op: GetLayoutOp) -> None:
    program.set(op, program.value(op.input).layout)


def _add_offset(program: FunctionLowering, op: AddOffsetOp) -> None:
    iterator, offset = program.operands(op)
    if not isinstance(iterator, Pointer):
        program.set(op, fl.int_tuple_add(iterator, offset))
        return
    offset = single(offset)
    program.set(op, (iterator if type(offset) is int else _origin(iterator)).moved(offset))


def _origin(iterator: Any) -> Any:
    """A pointer from which to count anew: what was counted before does not promise that the sum fits in 32 bits."""
    if isinstance(iterator, Pointer) and iterator.space in _WIDE_SPACES:
        return replace(iterator, dynamic=widened(iterator.dynamic))
    return iterator


def _recast_iter(program: FunctionLowering, op: RecastIterOp) -> None:
    pointer = program.value(op.input)
    if pointer.type == op.results[0].type:
        program.set(op, pointer)
    else:
        program.keep(op)


def _fragment(program: FunctionLowering, op: MakeFragmentLikeOp | MemrefAllocaOp | MmaMakeFragmentOp) -> None:
    """Register tensors: an allocation of as many elements as the layout's codomain has."""
    type_ = op.results[0].type
    assert isinstance(type_, MemRefType)
    if not type_.layout.is_static:
        raise IRError(f"{op.name}: a register tensor needs a static layout, found {type_.layout}")
    program.set(op, View(allocate(program, type_.element, _cosize(type_.layout), type_.align), type_.layout))


@lru_cache(maxsize=1024)
def _cosize(layout: fl.Layout | fl.ComposedLayout) -> int:
    count = fl.cosize(layout)
    assert isinstance(count, int)
    return count


def _partition(which: str) -> Handler:
    def lower(program: FunctionLowering, op: Operation) -> None:
        tiled, tensor, thread = op.operands
        view = program.value(tensor)
        moved = views.copy_partitioned(tiled.type, view.layout, program.value(thread), which)  # type: ignore[arg-type]
        program.set(op, view.moved(*moved))

    return lower


def _retile(program: FunctionLowering, op: TiledCopyRetileOp) -> None:
    view = program.value(op.tensor)
    program.set(op, View(view.iter, views.copy_retiled(op.tiled_copy.type, view.layout)))  # type: ignore[arg-type]


def _mma_partition(program: FunctionLowering, op: TiledMmaPartitionOp) -> None:
    view, tiled = program.value(op.tensor), op.tiled_mma.type
    moved = views.mma_partitioned(op.operand_id, tiled, view.layout, program.value(op.thread))  # type: ignore[arg-type]
    program.set(op, view.moved(*moved))


def _mma_partition_shape(program: FunctionLowering, op: TiledMmaPartitionShapeOp) -> None:
    shape, tiled = program.value(op.shape), op.tiled_mma.type
    program.set(op, views.mma_partition_shape(op.operand_id, tiled, shape))  # type: ignore[arg-type]


def _address(program: FunctionLowering, op: ExtractAlignedPointerAsIndexOp) -> None:
    pointer = program.pointer(program.value(op.tensor).pointer)
    type_ = op.results[0].type
    op_class: type[Operation] = PtrtointOp
    attributes: dict[str, Attribute] = {}
    if isinstance(type_, LLVMPointerType):
        op_class = ToLlvmPtrOp
        if (space := getattr(type_.addr_space, "data", 0)) != 0:
            attributes["llvm_address_space"] = IntegerAttr(space, 32)
    made: SSAValue = program.create(op_class, [pointer], [type_], attributes=attributes).results[0]
    program.replace(op, made)


HANDLERS: Mapping[type[Operation], Handler] = {
    SliceOp: _slice,
    MakeViewOp: _make_view,
    GetIterOp: _get_iter,
    GetLayoutOp: _get_layout,
    AddOffsetOp: _add_offset,
    RecastIterOp: _recast_iter,
    MakeFragmentLikeOp: _fragment,
    MemrefAllocaOp: _fragment,
    MmaMakeFragmentOp: _fragment,
    TiledCopyPartitionSrcOp: _partition("src"),
    TiledCopyPartitionDstOp: _partition("dst"),
    TiledCopyRetileOp: _retile,
    TiledMmaPartitionOp: _mma_partition,
    TiledMmaPartitionShapeOp: _mma_partition_shape,
    ExtractAlignedPointerAsIndexOp: _address,
}
