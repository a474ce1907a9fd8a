"""The operations of MLIR's `rocdl` dialect that kernels use by name, as classes and as a dialect for the parser."""

from __future__ import annotations

from xdsl.ir import Dialect, Operation

from flydsl.ir.upstream import upstream_op

_PURE = (
    *("cos", "exp2", "fmed3", "log", "rcp", "sin", "sqrt", "tanh"),
    *("cvt.f32.bf8", "cvt.f32.fp8", "cvt.pk.bf8.f32", "cvt.pk.f32.bf8", "cvt.pk.f32.fp8", "cvt.pk.fp8.f32"),
    *("cvt.pkrtz", "cvt.sr.bf8.f32", "cvt.sr.fp8.f32"),
)
# Reading other lanes depends on which threads are active here, so these are neither shared nor moved.
_EFFECTS = (
    *("ballot", "ds_bpermute", "ds_swizzle", "permlane16.swap", "permlane32.swap", "permlanex16", "readfirstlane"),
    *("readlane", "update.dpp", "s.barrier", "s.nop", "s.setprio", "s.sleep", "s.waitcnt", "s.wait.asynccnt"),
    *("s.wait.dscnt", "s.wait.expcnt", "s.wait.loadcnt", "s.wait.storecnt", "s.wait.tensorcnt"),
    *("iglp.opt", "sched.barrier", "sched.group.barrier"),
)

OPERATIONS: dict[str, type[Operation]] = {
    **{name: upstream_op(f"rocdl.{name}", pure=True) for name in _PURE},
    **{name: upstream_op(f"rocdl.{name}") for name in _EFFECTS},
}
"""Classes by their name without the dialect's."""

ROCDL = Dialect("rocdl", list(OPERATIONS.values()))
