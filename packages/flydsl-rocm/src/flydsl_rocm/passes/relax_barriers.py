"""Barriers of RDNA before which a kernel has written nothing but LDS: they leave the caches as they are.

`gpu.barrier` makes all writes of a block visible to it. The compute units of a workgroup have caches of their own, so
each wave throws away what its cache holds. Where no thread can have written to memory yet, there is nothing to see but
LDS, and the fence behind the barrier says so. That in front of it stays whole: a load must not be overtaken by a store
of another thread behind the barrier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, Operation
from xdsl.traits import IsTerminator

from flydsl.backend.atoms import FlyAttribute
from flydsl.backend.llvm import LLVMBuilder, integer
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import block_ops, erase, is_pure, walk

_BARRIER = "gpu.barrier"
_ACQUIRE, _RELEASE = 4, 5
_OWN_SPACES = (3, 5)  # LDS, and what only the thread itself sees
_HARMLESS = (
    *("rocdl.raw.ptr.buffer.load", "rocdl.update.dpp", "rocdl.readlane", "rocdl.readfirstlane", "rocdl.ds_"),
    *(
        "rocdl.mfma",
        "rocdl.wmma",
        "rocdl.swmmac",
        "rocdl.sched.",
        "rocdl.s.barrier",
        "rocdl.s.waitcnt",
        "rocdl.s.wait.",
    ),
    *("rocdl.s.setprio", "rocdl.s.sleep", "rocdl.s.nop", "rocdl.iglp.opt", "rocdl.permlane", "rocdl.ballot"),
    *("rocdl.mbcnt", "rocdl.cvt.", "rocdl.ds.read", "rocdl.ds.load", "gpu.shuffle", _BARRIER),
)
"""Beginnings of names of operations that write nothing to memory; `rocdl.raw.ptr.buffer.load.lds` writes LDS."""
_WRITING = ("store", "atomic", "async", "tensor", "sendmsg", "gws", "init.whole.wave")
"""Parts of names of intrinsics that may write to memory, or that may tell others about it."""


@dataclass(frozen=True, eq=False, repr=False)
class _OfLds(FlyAttribute):
    """`#llvm.mmra_tag<"amdgpu-synchronize-as":"local">`: a fence that orders accesses of LDS only."""

    name: ClassVar[str] = "llvm.mmra_tag"

    def body(self) -> str:
        return '"amdgpu-synchronize-as":"local"'


@dataclass(frozen=True)
class RelaxBarriers(KernelPass):
    """Barriers that order LDS alone, where no thread wrote what another could see elsewhere."""

    name = "rocdl-relax-barriers"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        relax_barriers(kernel)


def relax_barriers(kernel: Operation) -> None:
    """Replace the barriers of a kernel that have nothing but LDS to make visible."""
    for region in kernel.regions:
        for block in region.blocks:
            _visit(block, False)


def _visit(block: Block, wrote: bool) -> bool:
    """Whether memory may have been written at the end of a block, when it may have been (`wrote`) at its start."""
    for op in block_ops(block):
        if op.name == _BARRIER:
            if not wrote:
                _relax(op)
        elif op.regions:
            writes = any(_writes(inner) for inner in walk(op))
            before = wrote or (writes and op.name != "scf.if")
            for region in op.regions:
                for inner_block in region.blocks:
                    _visit(inner_block, before)
            wrote = wrote or writes
        else:
            wrote = wrote or _writes(op)
    return wrote


def _writes(op: Operation) -> bool:
    """Whether it may write to memory that other threads see, LDS aside, or order accesses of it."""
    if op.regions or op.has_trait(IsTerminator) or is_pure(op) or op.name.startswith(_HARMLESS):
        return False
    if isinstance(op, llvm.LoadOp):
        ordering = op.get_attr_or_prop("ordering")
        is_atomic = isinstance(ordering, IntegerAttr) and ordering.value.data != 0
        return is_atomic or op.get_attr_or_prop("volatile_") is not None
    if isinstance(op, llvm.StoreOp):
        return _space(op.operands[1].type) not in _OWN_SPACES
    if isinstance(op, llvm.CallIntrinsicOp):
        return not op.results or any(part in op.intrin.data for part in _WRITING)
    return not isinstance(op, llvm.AllocaOp)


def _space(type_: Attribute) -> int:
    assert isinstance(type_, llvm.LLVMPointerType)
    return type_.addr_space.data if isinstance(type_.addr_space, IntAttr) else 0


def _relax(op: Operation) -> None:
    build = LLVMBuilder.before_op(op)
    _fence(build, _RELEASE, {})
    build.raw("rocdl.s.barrier")
    _fence(build, _ACQUIRE, {"llvm.mmra": _OfLds()})
    erase(op)


def _fence(build: LLVMBuilder, ordering: int, attributes: dict[str, Attribute]) -> None:
    scope: dict[str, Attribute] = {"ordering": integer(ordering, i64), "syncscope": StringAttr("workgroup")}
    build.raw("llvm.fence", (), (), {**scope, **attributes})
