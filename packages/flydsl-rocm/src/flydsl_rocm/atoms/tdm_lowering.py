"""Lowering of gfx1250's tensor moves: where a tile is in both memories, and which part of it a wave moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import NamedTuple

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import Attribute, SSAValue

import flydsl.layout as fl
from flydsl.backend.atoms import CopyOpType
from flydsl.backend.ir import element_bits
from flydsl.backend.llvm import LLVMBuilder, call_intrinsic
from flydsl.backend.lowering import AtomField, Conversion, CopyCall, CopyHandler, Memory
from flydsl.base.errors import IRError
from flydsl_rocm.atoms.copy_operands import is_global, is_shared, types_of
from flydsl_rocm.atoms.tdm_descriptor import MAX_TILE, Descriptor
from flydsl_rocm.atoms.tdm_types import MAX_RANK, Gfx1250TdmType
from flydsl_rocm.atoms.wave_lowering import finish_lds_writes, keep_order

_WHOLE = 0x7FFFFFFF
_UNSET = -2147483648


def _tdm(conversion: Conversion, call: CopyCall) -> None:
    build, src, dst = call.build, call.src, call.dst
    if not isinstance(src, Memory) or dst is None or {is_global(src), is_global(dst)} != {True, False}:
        raise IRError(f"{call.atom} moves tiles between global and shared memory, found {types_of(call)}")
    loads = is_global(src)
    device, shared = (src, dst) if loads else (dst, src)
    if not is_shared(shared):
        raise IRError(f"{call.atom} moves tiles between global and shared memory, found {types_of(call)}")
    _check_plain(call, device, shared, loads)
    part = _of_this_wave(build, _whole_tile(call, device, shared, loads))
    groups = part.groups(build)
    if loads:
        keep_order(build)
    else:
        finish_lds_writes(build)
    name = "tensor.load.to.lds" if loads else "tensor.store.from.lds"
    cache: dict[str, Attribute] = {"cachePolicy": IntegerAttr(call.atom.cache, i32)}
    build.raw(f"rocdl.{name}{'.d2' if len(groups) == 2 else ''}", groups, (), cache)


def _check_plain(call: CopyCall, device: Memory, shared: Memory, loads: bool) -> None:
    for memory in (device, shared):
        if memory.type.swizzle is not None:
            raise IRError(f"{call.atom} moves tiles as they are, and {memory.type} is swizzled; use padding instead")
    if not loads and call.atom.pad_interval:
        raise IRError(
            f"{call.atom} stores from shared memory, and only loads know padding there: store a tile without padding"
        )


def _whole_tile(call: CopyCall, device: Memory, shared: Memory, loads: bool) -> Descriptor:
    """The tile's layout is that of the operand in global memory."""
    atom, build, state = call.atom, call.build, call.state
    layout = _modes(call, device)
    tile = _tile(atom, layout)
    _check_shared(call, tile, _modes(call, shared))
    bits = element_bits(device.type.element)
    if bits not in (8, 16, 32, 64):
        raise IRError(f"{atom} moves elements of 1, 2, 4 or 8 bytes, found {device.type.element}")
    extents = [state[f"extent_{k}"] for k in range(atom.rank)]
    strides = [_stride(build, state[f"stride_{k}"], layout.stride[k]) for k in range(atom.rank - 1)]
    base = build.value(llvm.PtrToIntOp, (device.address(build),), i64)
    base = build.add(base, state["imm_offset"])
    lds = build.value(llvm.PtrToIntOp, (shared.address(build),), i32)
    return Descriptor(atom, bits, base, lds, state["workgroup_mask"], tile, extents, strides)


class _Modes(NamedTuple):
    """The leaves of a layout."""

    shape: tuple[object, ...]
    stride: tuple[object, ...]

    def __str__(self) -> str:
        return f"({','.join(map(str, self.shape))}):({','.join(map(str, self.stride))})"


def _modes(call: CopyCall, memory: Memory) -> _Modes:
    layout = memory.layout
    if not isinstance(layout, fl.Layout):
        raise IRError(f"{call.atom} needs a tile with a plain layout, found {layout} in {memory.type}")
    return _Modes(*(_flat(part) for part in (layout.shape, layout.stride)))


def _flat(part: fl.IntTuple) -> tuple[object, ...]:
    flat = fl.flatten(part)
    return flat if isinstance(flat, tuple) else (flat,)


def _tile(atom: Gfx1250TdmType, layout: _Modes) -> tuple[int, ...]:
    """Extents of the tile, checked."""
    tile = tuple(extent for extent in layout.shape if isinstance(extent, int))
    if len(tile) != atom.rank or len(tile) != len(layout.shape):
        raise IRError(
            f"{atom} needs a tile of {atom.rank} dimensions with extents known while compiling, the outermost first; "
            f"found {layout}"
        )
    if tile[-1] != 1 and layout.stride[-1] != 1:
        raise IRError(f"{atom} needs a tile whose last dimension is contiguous, found {layout}")
    if max(tile) > MAX_TILE:
        raise IRError(f"{atom} moves tiles of up to {MAX_TILE} elements in a dimension, found {max(tile)}")
    if any(extent % warps for extent, warps in zip(tile, atom.warps_of(tile), strict=True)):
        raise IRError(
            f"{atom.warps} waves cannot share a tile of {layout} evenly: its dimensions are divided by "
            f"{atom.warps_of(tile)}"
        )
    return tile


def _check_shared(call: CopyCall, tile: tuple[int, ...], layout: _Modes) -> None:
    """A tile in shared memory that says how its elements lie: each row behind the one before."""
    if call.atom.pad_interval or layout.shape != tile:
        return
    expected = tuple(prod(tile[k + 1 :]) for k in range(len(tile)))
    if any(s != e for s, e, extent in zip(layout.stride, expected, tile, strict=True) if extent > 1):
        raise IRError(
            f"{call.atom} moves a tile whose rows follow each other in shared memory, {_Modes(tile, expected)}; "
            f"found {layout}"
        )


def _stride(build: LLVMBuilder, value: SSAValue, static: object) -> SSAValue:
    """What was set, else the layout's where that is known."""
    if not isinstance(static, int):
        return value
    unset = build.compare("eq", value, build.constant(_UNSET, i64))
    return build.select(unset, build.constant(static, i64), value)


def _of_this_wave(build: LLVMBuilder, whole: Descriptor) -> Descriptor:
    """The part of a tile that is this wave's, the outermost dimension changing fastest from wave to wave."""
    atom = whole.atom
    shared = atom.warps_of(whole.tile)
    block = tuple(-(-extent // warps) for extent, warps in zip(whole.tile, shared, strict=True))
    starts: list[SSAValue] = [build.constant(0)] * atom.rank
    base, lds = whole.base, whole.lds
    if atom.warps > 1:
        starts = _starts(build, shared, block)
        base = _moved(build, base, starts, whole.strides, whole.element_bits // 8)
        lds = _moved_in_lds(build, lds, starts, whole)
    zero = build.constant(0)
    extents = []
    for extent, start in zip(whole.extents, starts, strict=True):
        left = build.sub(extent, start)
        extents.append(build.value(arith.MaxSIOp, (left, zero), i32))
    return replace(whole, base=base, lds=lds, tile=block, extents=extents)


def _starts(build: LLVMBuilder, shared: tuple[int, ...], block: tuple[int, ...]) -> list[SSAValue]:
    rest: SSAValue = call_intrinsic(build, "llvm.amdgcn.wave.id", (), (i32,)).results[0]
    starts = []
    for warps, extent in zip(shared, block, strict=True):
        count = build.constant(warps)
        coordinate = build.value(arith.RemUIOp, (rest, count), i32)
        rest = build.value(arith.DivUIOp, (rest, count), i32)
        starts.append(build.mul(coordinate, build.constant(extent)))
    return starts


def _moved(build: LLVMBuilder, base: SSAValue, starts: list[SSAValue], strides: object, size: int) -> SSAValue:
    assert isinstance(strides, list)
    offset = build.constant(0, i64)
    for start, stride in zip(starts, [*strides, build.constant(1, i64)], strict=True):
        offset = build.add(offset, build.mul(build.zero_extend(start, i64), stride))
    return build.add(base, build.mul(offset, build.constant(size, i64)))


def _moved_in_lds(build: LLVMBuilder, lds: SSAValue, starts: list[SSAValue], whole: Descriptor) -> SSAValue:
    rank, row = whole.atom.rank, whole.tile[-1] + whole.atom.pad_amount
    strides = [row * prod(whole.tile[k + 1 : -1]) for k in range(rank - 1)] + [1]
    offset = build.constant(0)
    for start, stride in zip(starts, strides, strict=True):
        offset = build.add(offset, build.mul(start, build.constant(stride)))
    return build.add(lds, build.mul(offset, build.constant(whole.element_bits // 8)))


TDM_HANDLERS: Mapping[type[CopyOpType], CopyHandler] = {Gfx1250TdmType: _tdm}
TDM_STATES: Mapping[type[Attribute], tuple[AtomField, ...]] = {
    Gfx1250TdmType: (
        AtomField("workgroup_mask", i32),
        *(AtomField(f"extent_{k}", i32, _WHOLE) for k in range(MAX_RANK)),
        *(AtomField(f"stride_{k}", i64, _UNSET) for k in range(MAX_RANK - 1)),
        AtomField("imm_offset", i64),
    )
}
