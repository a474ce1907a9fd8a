"""Lowering of copies past the registers on gfx1250, and of loads that transpose."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import IntegerType, StringAttr, UnitAttr, VectorType, i16, i32
from xdsl.dialects.llvm import InlineAsmOp
from xdsl.ir import Attribute, SSAValue

from flydsl.backend.atoms import CopyOpType
from flydsl.backend.llvm import LLVMBuilder, call_intrinsic
from flydsl.backend.lowering import AtomField, Conversion, CopyCall, CopyHandler, Memory
from flydsl.base.errors import IRError
from flydsl_rocm.atoms.async_types import (
    Gfx1250ClusterLoadAsyncLdsType,
    Gfx1250GlobalLoadAsyncLdsType,
    Gfx1250GlobalStoreAsyncLdsType,
)
from flydsl_rocm.atoms.copy_operands import is_global, is_shared, memories, types_of
from flydsl_rocm.atoms.transposed_types import Gfx12GlobalLoadTransType, Gfx1250LdsLoadTransType, LdsReadTransType


def keep_order(build: LLVMBuilder) -> None:
    """Nothing that accesses memory is moved past this point: LLVM does not know what the copies beside a wave touch."""
    properties = {
        "asm_string": StringAttr(""),
        "constraints": StringAttr("~{memory}"),
        "has_side_effects": UnitAttr(),
    }
    build.create(InlineAsmOp, properties=properties)


def finish_lds_writes(build: LLVMBuilder) -> None:
    """Wait for this wave's own accesses to LDS, which what reads LDS beside it does not."""
    keep_order(build)
    call_intrinsic(build, "llvm.amdgcn.s.wait.dscnt", (build.constant(0, i16),))


def _load_async(conversion: Conversion, call: CopyCall) -> None:
    src, dst = memories(call, "a tensor in global memory", is_global)
    _call(call, "global.load.async.to.lds", src, dst)


def _cluster_load_async(conversion: Conversion, call: CopyCall) -> None:
    src, dst = memories(call, "a tensor in global memory", is_global)
    _call(call, "cluster.load.async.to.lds", src, dst, call.state["workgroup_mask"])


def _store_async(conversion: Conversion, call: CopyCall) -> None:
    src, dst = memories(call, "shared memory", is_shared, "a tensor in global memory", is_global)
    finish_lds_writes(call.build)
    _call(call, "global.store.async.from.lds", dst, src)


def _call(call: CopyCall, name: str, device: Memory, shared: Memory, *more: SSAValue) -> None:
    build, zero = call.build, call.build.constant(0)
    operands = (device.address(build), shared.address(build), zero, zero, *more)
    call_intrinsic(build, f"llvm.amdgcn.{name}.b{call.atom.bits}", operands)


def _load_transposed(conversion: Conversion, call: CopyCall) -> SSAValue | None:
    """`<16 x bits>` or words, as the instruction returns them, to the type that is asked for."""
    atom, build, src = call.atom, call.build, call.src
    wanted, reads = _SOURCES[type(atom)]
    if not isinstance(src, Memory) or not reads(src):
        raise IRError(f"{atom} copies {wanted} to registers, found {types_of(call)}")
    element: Attribute = IntegerType(16) if atom.granularity == 16 else i32
    made = VectorType(element, [atom.bits // (16 if atom.granularity == 16 else 32)])
    name = _TRANSPOSED[type(atom)].format(width=atom.granularity, bits=atom.bits)
    if atom.granularity >= 8:  # their names in LLVM have no width
        name = name.replace(f"global.load.tr{atom.granularity}", "global.load.tr")
    value = build.raw(f"rocdl.{name}", (src.address(build),), (made,)).results[0]
    if call.dst is None:
        return build.bitcast(value, call.result or value.type)
    call.dst.store(build, value)
    return None


_TRANSPOSED = {
    LdsReadTransType: "ds.read.tr{width}.b{bits}",
    Gfx1250LdsLoadTransType: "ds.load.tr{width}.b{bits}",
    Gfx12GlobalLoadTransType: "global.load.tr{width}.b{bits}",
}
_SOURCES = {
    LdsReadTransType: ("shared memory", is_shared),
    Gfx1250LdsLoadTransType: ("shared memory", is_shared),
    Gfx12GlobalLoadTransType: ("a tensor in global memory", is_global),
}
WAVE_HANDLERS: Mapping[type[CopyOpType], CopyHandler] = {
    Gfx1250ClusterLoadAsyncLdsType: _cluster_load_async,
    Gfx1250GlobalLoadAsyncLdsType: _load_async,
    Gfx1250GlobalStoreAsyncLdsType: _store_async,
    **dict.fromkeys(_TRANSPOSED, _load_transposed),
}
WAVE_STATES: Mapping[type[Attribute], tuple[AtomField, ...]] = {
    Gfx1250ClusterLoadAsyncLdsType: (AtomField("workgroup_mask", i32),)
}
