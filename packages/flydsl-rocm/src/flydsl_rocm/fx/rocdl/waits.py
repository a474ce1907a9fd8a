"""Waits for counters of outstanding memory operations, barriers and priorities of a wave."""

from __future__ import annotations

from typing import Any

from flydsl.backend.language import current
from flydsl.base.errors import FrontendError, UnsupportedTargetError
from flydsl_rocm.features import Feature

from .chips import require
from .emit import count, immediate, intrinsic, operation

__all__ = [
    "s_barrier",
    "s_nop",
    "s_setprio",
    "s_sleep",
    "s_wait_asynccnt",
    "s_wait_dscnt",
    "s_wait_expcnt",
    "s_wait_kmcnt",
    "s_wait_loadcnt",
    "s_wait_storecnt",
    "s_wait_tensorcnt",
    "s_waitcnt",
]


def s_waitcnt(bitfield: Any = None, *, vmcnt: Any = None, lgkmcnt: Any = None, expcnt: Any = None) -> None:
    """Wait until at most so many operations are outstanding: of vector memory, of LDS and scalar memory, of exports.

    A counter left out is not waited for. `bitfield` is the instruction's immediate, for targets that have one.
    """
    target = require("s_waitcnt")
    if bitfield is None:
        wait_counters("s_waitcnt", vmcnt, lgkmcnt, expcnt)
        return
    if (vmcnt, lgkmcnt, expcnt) != (None, None, None):
        raise FrontendError("fx.rocdl.s_waitcnt takes a bitfield or counters by name, not both")
    if Feature.SPLIT_COUNTERS in target.features:
        raise UnsupportedTargetError(f"{target.chip} has no bitfield to wait for; name the counters: vmcnt=, lgkmcnt=")
    operation("s.waitcnt", attributes={"bitfield": immediate("s_waitcnt", bitfield, below=1 << 16)})


def wait_counters(name: str, vmcnt: Any, lgkmcnt: Any, expcnt: Any) -> None:
    """`s_waitcnt` by counter, on any target; None is no wait."""
    target = require(name)
    if Feature.SPLIT_COUNTERS not in target.features:
        counters = [_field(name, value, limit) for value, limit in ((vmcnt, 63), (lgkmcnt, 63), (expcnt, 7))]
        encode = _encode_cdna if Feature.CDNA in target.features else _encode_rdna3
        operation("s.waitcnt", attributes={"bitfield": immediate(name, encode(*counters))})
        return
    waits = (s_wait_loadcnt, vmcnt), (s_wait_dscnt, lgkmcnt), (s_wait_kmcnt, lgkmcnt), (s_wait_expcnt, expcnt)
    for wait, value in waits:
        if value is not None:
            wait(value)


def _field(name: str, value: Any, limit: int) -> int:
    """A counter clipped to what fits: waiting for fewer outstanding operations is always right."""
    return limit if value is None else min(count(name, value), limit)


def _encode_cdna(vmcnt: int, lgkmcnt: int, expcnt: int) -> int:
    """vmcnt in bits 3-0 and 15-14, expcnt in 6-4, lgkmcnt in 11-8 (CDNA3 ISA, SOPP S_WAITCNT)."""
    return (vmcnt & 15) | (vmcnt >> 4) << 14 | expcnt << 4 | min(lgkmcnt, 15) << 8


def _encode_rdna3(vmcnt: int, lgkmcnt: int, expcnt: int) -> int:
    """expcnt in bits 2-0, lgkmcnt in 9-4, vmcnt in 15-10 (RDNA3 ISA, SOPP S_WAITCNT)."""
    return expcnt | lgkmcnt << 4 | vmcnt << 10


def s_wait_loadcnt(count: Any) -> None:
    """Wait until at most `count` vector loads are outstanding."""
    _wait("loadcnt", count, Feature.SPLIT_COUNTERS)


def s_wait_storecnt(count: Any) -> None:
    """Wait until at most `count` vector stores are outstanding."""
    _wait("storecnt", count, Feature.SPLIT_COUNTERS)


def s_wait_dscnt(count: Any) -> None:
    """Wait until at most `count` LDS operations are outstanding."""
    _wait("dscnt", count, Feature.SPLIT_COUNTERS)


def s_wait_expcnt(count: Any) -> None:
    """Wait until at most `count` exports are outstanding."""
    _wait("expcnt", count, Feature.EXPORT_COUNTER)


def s_wait_kmcnt(count: Any) -> None:
    """Wait until at most `count` scalar memory operations are outstanding."""
    from flydsl.expr import Int16

    require("s_wait_kmcnt", Feature.SPLIT_COUNTERS)
    intrinsic("s.wait.kmcnt", [Int16(_number("s_wait_kmcnt", count)).ir_value()])


def s_wait_asynccnt(count: Any) -> None:
    """Wait until at most `count` asynchronous LDS copies are outstanding."""
    _wait("asynccnt", count, Feature.ASYNC_COPIES)
    _keep_order()


def s_wait_tensorcnt(count: Any) -> None:
    """Wait until at most `count` tensor copies are outstanding."""
    _wait("tensorcnt", count, Feature.TENSOR_MOVES)
    _keep_order()


def s_barrier() -> None:
    """Wait for the other waves of the block; orders no memory, unlike `fx.barrier`."""
    require("s_barrier")
    operation("s.barrier")


def s_setprio(priority: Any) -> None:
    """Set the priority of the wave, 0 (lowest) to 3."""
    require("s_setprio")
    operation("s.setprio", attributes={"priority": immediate("s_setprio", priority, 16, below=4)})


def s_sleep(count: Any) -> None:
    """Sleep for about 64 * `count` cycles."""
    require("s_sleep")
    operation("s.sleep", attributes={"count": immediate("s_sleep", count, below=128)})


def s_nop(count: Any) -> None:
    """Do nothing for `count` + 1 cycles."""
    require("s_nop")
    operation("s.nop", attributes={"count": immediate("s_nop", count, 16, below=16)})


def _wait(counter: str, outstanding: Any, feature: Feature) -> None:
    name = f"s_wait_{counter}"
    require(name, feature)
    operation(f"s.wait.{counter}", attributes={"count": immediate(name, _number(name, outstanding), 16)})


def _keep_order() -> None:
    """What reads LDS stays behind the wait: LLVM does not know that the wait is for LDS."""
    from xdsl.dialects.builtin import StringAttr, UnitAttr

    properties = {"asm_string": StringAttr(""), "constraints": StringAttr("~{memory}"), "has_side_effects": UnitAttr()}
    current().op("llvm.inline_asm", properties=properties)


def _number(name: str, outstanding: Any) -> int:
    return min(count(name, outstanding), 63)
