"""Element and whole-tensor accesses: lowered to scalar and vector loads and stores through pointers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import gcd, prod
from typing import Any

from xdsl.dialects import arith, ub, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import MemrefLoadOp, MemrefLoadVecOp, MemrefStoreOp, MemrefStoreVecOp, PtrLoadOp, PtrStoreOp
from flydsl.ir.upstream import OPERATIONS
from flydsl.layout.int_tuple import flat
from flydsl.passes.cached_attributes import position, slice_properties, vector_of
from flydsl.passes.layout_lowering.function_lowering import FunctionLowering
from flydsl.passes.layout_lowering.tensor_values import Pointer, View, static_size, unrolled

Handler = Callable[[FunctionLowering, Any], None]
ExtractSlice = OPERATIONS["vector.extract_strided_slice"]
InsertSlice = OPERATIONS["vector.insert_strided_slice"]
FromElements = OPERATIONS["vector.from_elements"]


@dataclass(frozen=True, slots=True)
class _Chunks:
    """Where the elements of a tensor are: runs of `length` neighbours, and the place of each element in the vector."""

    length: int
    offsets: list[Any]  # of each run
    places: list[list[int]]  # of the elements of each run, in colexicographic order


def _load(program: FunctionLowering, op: MemrefLoadOp) -> None:
    view, coord = program.value(op.tensor), program.value(op.coord)
    index = fl.crd2idx(coord, view.layout)
    if not isinstance(view.iter, Pointer):
        program.set(op, fl.int_tuple_add(view.iter, index))
        return
    pointer = program.pointer(view.pointer.moved(index))
    program.replace(op, program.create(PtrLoadOp, [pointer], [op.results[0].type]).results[0])


def _store(program: FunctionLowering, op: MemrefStoreOp) -> None:
    view = program.value(op.tensor)
    pointer = view.pointer.moved(fl.crd2idx(program.value(op.coord), view.layout))
    program.create(PtrStoreOp, [op.value, program.pointer(pointer)])
    program.lowered.append(op)


def _load_vec(program: FunctionLowering, op: MemrefLoadVecOp) -> None:
    view = program.value(op.tensor)
    type_ = op.results[0].type
    assert isinstance(type_, VectorType)
    if isinstance(view.iter, Pointer):
        chunks = _chunks(op.name, view, writes=False)
        program.replace(op, _loaded(program, view.pointer, chunks, type_))
    else:
        program.replace(op, _coordinates(program, view, type_))


def _coordinates(program: FunctionLowering, view: View, type_: VectorType[Attribute]) -> SSAValue:
    """The coordinates of a tensor of integers; known ones are part of one constant, others inserted."""
    element = type_.element_type
    assert isinstance(element, IntegerType)
    places = unrolled(view.layout, static_size(view.layout))
    values = [fl.int_tuple_add(view.iter, view.layout(place)) for place in places]
    known = [value if isinstance(value, int) else 0 for value in values]
    constant = DenseIntOrFPElementsAttr.from_list(VectorType(element, [len(values)]), known)
    whole = program.create(arith.ConstantOp, [], [type_], properties={"value": constant}).results[0]
    for place, value in enumerate(values):
        if not isinstance(value, int):
            operands = [program.emitter.value(value, element.width.data), whole]
            properties = {"static_position": position(place)}
            whole = program.create(vector.InsertOp, operands, [type_], properties=properties).results[0]
    return whole


def _loaded(program: FunctionLowering, pointer: Pointer, chunks: _Chunks, type_: VectorType[Attribute]) -> SSAValue:
    element = type_.element_type
    run_type = element if chunks.length == 1 else vector_of(element, chunks.length)
    runs = [
        program.create(PtrLoadOp, [program.pointer(pointer.moved(offset))], [run_type]).results[0]
        for offset in chunks.offsets
    ]
    order = [place for places in chunks.places for place in places]
    if chunks.length == 1:
        elements = [run for _, run in sorted(zip(order, runs, strict=True), key=lambda pair: pair[0])]
        return program.create(FromElements, elements, [type_]).results[0]
    whole = runs[0]
    if len(runs) > 1:
        whole = program.create(ub.PoisonOp, [], [type_], properties={"value": ub.PoisonAttr()}).results[0]
        for index, run in enumerate(runs):
            whole = program.create(
                InsertSlice, [run, whole], [type_], properties=slice_properties(index * chunks.length)
            ).results[0]
    if order == sorted(order):
        return whole
    mask = [position for _, position in sorted((place, position) for position, place in enumerate(order))]
    return _shuffled(program, whole, mask, type_)


def _store_vec(program: FunctionLowering, op: MemrefStoreVecOp) -> None:
    view, value = program.value(op.tensor), op.value
    type_ = value.type
    assert isinstance(type_, VectorType)
    chunks = _chunks(op.name, view, writes=True)
    program.lowered.append(op)
    order = [place for places in chunks.places for place in places]
    if chunks.length == 1:
        for offset, place in zip(chunks.offsets, order, strict=True):
            properties = {"static_position": position(place)}
            element = program.create(vector.ExtractOp, [value], [type_.element_type], properties=properties).results[0]
            program.create(PtrStoreOp, [element, program.pointer(view.pointer.moved(offset))])
        return
    if order != sorted(order):
        value = _shuffled(program, value, order, type_)
    for index, offset in enumerate(chunks.offsets):
        run = value
        if len(chunks.offsets) > 1:
            places = slice_properties(index * chunks.length, chunks.length)
            run_type = vector_of(type_.element_type, chunks.length)
            run = program.create(ExtractSlice, [value], [run_type], properties=places).results[0]
        program.create(PtrStoreOp, [run, program.pointer(view.pointer.moved(offset))])


def _chunks(op: str, view: View, writes: bool) -> _Chunks:
    """Runs along the mode of stride 1; an aliased tensor may be read but not written."""
    layout = view.layout
    outer = layout.outer if isinstance(layout, fl.ComposedLayout) else layout
    extents = _modes(outer) if isinstance(outer, fl.Layout) else None
    if extents is None:
        raise IRError(f"{op}: a vector needs a tensor of static shape, found {layout}")
    if outer is layout and view.pointer.type.swizzle is None:
        extents = _modes(fl.coalesce(outer)) or extents
    unrolled(op, prod(extent for extent, _ in extents))
    runs = [index for index, (_, stride) in enumerate(extents) if stride == 1]
    if writes and len(runs) > 1:
        raise IRError(f"{op}: elements of {layout} share a place in memory and cannot all be written")
    lengths = [extent for extent, _ in extents]
    run = max(runs, key=lengths.__getitem__, default=None)
    if outer is layout:
        return _walk(extents, run)
    extents, run = _within_granules(extents, run, layout)
    chunks = _walk(extents, run)
    offsets = [layout.inner(fl.int_tuple_add(layout.offset, offset)) for offset in chunks.offsets]
    return _Chunks(chunks.length, offsets, chunks.places)


def _within_granules(
    extents: list[tuple[int, Any]], run: int | None, layout: fl.ComposedLayout
) -> tuple[list[tuple[int, Any]], int | None]:
    """Split the run so that a swizzle moves each part as a whole; without that, elements are accessed one by one."""
    if run is None or not isinstance(layout.inner, fl.Swizzle):
        return extents, None
    others = [stride for index, (_, stride) in enumerate(extents) if index != run]
    starts = [abs(start) if isinstance(start, int) else start.div for start in (layout.offset, *others)]
    extent = extents[run][0]
    length = gcd(extent, 1 << layout.inner.base, *starts)
    if length == 1:
        return extents, None
    return [*extents[:run], (length, 1), (extent // length, length), *extents[run + 1 :]], run


def _modes(layout: fl.Layout) -> list[tuple[int, Any]] | None:
    """Extent and stride of the flat modes longer than 1; None when an extent is dynamic."""
    modes = list(zip(flat(layout.shape), flat(layout.stride), strict=True))
    if not all(isinstance(extent, int) for extent, _ in modes):
        return None
    return [(extent, stride) for extent, stride in modes if extent != 1]  # type: ignore[misc]


def _walk(extents: list[tuple[int, Any]], run: int | None) -> _Chunks:
    length = extents[run][0] if run is not None else 1
    offsets: list[Any] = [0]
    places = [[0]]
    step = 1
    for index, (extent, stride) in enumerate(extents):
        if index == run:
            places = [[place + i * step for i in range(length) for place in run_places] for run_places in places]
        else:
            mode = fl.Layout(extent, stride)
            offsets = [fl.int_tuple_add(offset, mode(i)) for i in range(extent) for offset in offsets]
            places = [[place + i * step for place in run_places] for i in range(extent) for run_places in places]
        step *= extent
    return _Chunks(length, offsets, places)


def _shuffled(program: FunctionLowering, value: SSAValue, mask: list[int], type_: Attribute) -> SSAValue:
    properties = {"mask": position(*mask)}
    return program.create(vector.ShuffleOp, [value, value], [type_], properties=properties).results[0]


HANDLERS: Mapping[type[Operation], Handler] = {
    MemrefLoadOp: _load,
    MemrefStoreOp: _store,
    MemrefLoadVecOp: _load_vec,
    MemrefStoreVecOp: _store_vec,
}
