"""Instruction scheduler fences and groups: what may move past a point, and in which order kinds are issued."""

from __future__ import annotations

from typing import Any

from .chips import require
from .emit import immediate, operation

__all__ = [
    "iglp_opt",
    "mask_dsrd",
    "mask_dswr",
    "mask_mfma",
    "mask_vmem_rd",
    "mask_vmem_wr",
    "sched_barrier",
    "sched_dsrd",
    "sched_dswr",
    "sched_group_barrier",
    "sched_mfma",
    "sched_vmem",
]

# Kinds of instructions in the masks of `sched_barrier` and `sched_group_barrier` (LLVM's SchedGroupMask).
mask_mfma, mask_vmem_rd, mask_vmem_wr, mask_dsrd, mask_dswr = 0x8, 0x20, 0x40, 0x100, 0x200


def sched_barrier(mask: Any = 0) -> None:
    """Instructions of the kinds in `mask` may be moved past this point; with 0, none."""
    require("sched_barrier")
    operation("sched.barrier", attributes={"mask": immediate("sched_barrier", mask)})


def sched_group_barrier(mask: Any, size: Any, group_id: Any = 0) -> None:
    """The next group of a schedule: `size` instructions of the kinds in `mask`, in order with others of `group_id`."""
    require("sched_group_barrier")
    numbers = {"mask": mask, "size": size, "groupId": group_id}
    attributes = {name: immediate("sched_group_barrier", value) for name, value in numbers.items()}
    operation("sched.group.barrier", attributes=attributes)


def sched_mfma(cnt: Any) -> None:
    """A group of `cnt` matrix instructions."""
    sched_group_barrier(mask_mfma, cnt)


def sched_vmem(cnt: Any) -> None:
    """A group of `cnt` loads from global memory."""
    sched_group_barrier(mask_vmem_rd, cnt)


def sched_dsrd(cnt: Any) -> None:
    """A group of `cnt` reads of LDS."""
    sched_group_barrier(mask_dsrd, cnt)


def sched_dswr(cnt: Any) -> None:
    """A group of `cnt` writes to LDS."""
    sched_group_barrier(mask_dswr, cnt)


def iglp_opt(variant: Any) -> None:
    """Let LLVM's strategy `variant` interleave the instructions of this block."""
    require("iglp_opt")
    operation("iglp.opt", attributes={"variant": immediate("iglp_opt", variant)})
