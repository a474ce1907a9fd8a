"""Which warp and warp group a thread is in, as numbers that are the same in the whole warp, and a warp's registers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.backend.language import current
from flydsl.expr import Boolean, Int32

from .chips import REGISTER_BUDGETS, SM90, require
from .emit import immediate, instruction, intrinsic

if TYPE_CHECKING:
    from flydsl.backend.language import IntLike

__all__ = ["elect_one", "setmaxnreg_decrease", "setmaxnreg_increase", "warp_idx", "warp_sync", "warpgroup_idx"]

_EVERYONE = -1
_LOG2_WARPS_OF_GROUP = 2


def warp_idx() -> Int32:
    """The number of this thread's warp in the block; the compiler knows that all threads of the warp have the same.

    Branches on it, and addresses computed from it, are those of the whole warp. All threads of the warp call it.
    """
    require("warp_idx")
    emitter = current()
    index = emitter.type(Int32)
    found = emitter.value("gpu.subgroup_id", [], _index_type())
    warp = emitter.value("arith.index_cast", [found], index)
    first, clamp = Int32(0).ir_value(), Int32(31).ir_value()
    return Int32.wrap(intrinsic("shfl.sync.idx.i32", [Int32(_EVERYONE).ir_value(), warp, first, clamp], [index]))


def warpgroup_idx() -> Int32:
    """The number of this thread's warp group, of 128 threads, in the block; see `warp_idx`."""
    require("warpgroup_idx")
    return warp_idx() >> _LOG2_WARPS_OF_GROUP


def elect_one() -> Boolean:
    """True in one thread of the warp, the same one each time; all threads of the warp call it."""
    from flydsl.backend.ir import StructType

    require("elect_one", SM90)
    emitter = current()
    lane, chosen = emitter.type(Int32), emitter.type(Boolean)
    pair = intrinsic("elect.sync", [Int32(_EVERYONE).ir_value()], [StructType((lane, chosen))])
    position = {"position": emitter.integers([1])}
    return Boolean.wrap(emitter.value("llvm.extractvalue", [pair], chosen, properties=position))


def warp_sync() -> None:
    """Wait for all threads of the warp, and let each see what the others did to memory before.

    So one thread may speak for a warp: hand back a stage that all have read, or copy what all have written.
    """
    require("warp_sync")
    instruction("bar.warp.sync 0xffffffff;")


def setmaxnreg_increase(registers: IntLike) -> None:
    """Wait until the block has registers left, and give each thread of this warp group as many as `registers`.

    A multiple of 8 from 24 to 256; all warps of the group come. The kernel has a static number of threads.
    """
    _set("setmaxnreg_increase", "inc", registers)


def setmaxnreg_decrease(registers: IntLike) -> None:
    """Leave each thread of this warp group `registers` registers, and the others to other groups of the block."""
    _set("setmaxnreg_decrease", "dec", registers)


def _set(name: str, direction: str, registers: IntLike) -> None:
    require(name, REGISTER_BUDGETS)
    instruction(f"setmaxnreg.{direction}.sync.aligned.u32 {immediate(name, 'registers', registers, 24, 256, 8)};")


def _index_type() -> Any:
    from xdsl.dialects.builtin import IndexType

    return IndexType()
