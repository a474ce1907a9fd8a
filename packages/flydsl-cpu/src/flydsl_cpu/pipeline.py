"""The CPU pass pipeline: Fly passes, kernel lowering, then MLIR's passes down to LLVM."""

from __future__ import annotations

from flydsl.passes.default import FLY_PIPELINE

LOWERING = ("convert-fly-to-cpu", "cpu-exponentials", "expand-math", "canonicalize", "cpu-thread-loops")
"""Kernels to native functions, in Python."""

_EXPONENTIALS_WITH_SCALING = "cpu-exponentials{scale=true}"

NATIVE = (
    "arith-expand{include-bf16=true}",
    "convert-scf-to-cf",
    "canonicalize",
    "convert-vector-to-llvm",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "convert-ub-to-llvm",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "convert-func-to-llvm",
    "reconcile-unrealized-casts",
)
"""Native functions to the LLVM dialect, in MLIR."""


def fragments(*, scales: bool = False) -> list[str]:
    """The whole pipeline, in order, for a target that `scales` by powers of two in one instruction or does not."""
    lowering = [_EXPONENTIALS_WITH_SCALING if scales and name == "cpu-exponentials" else name for name in LOWERING]
    return [*FLY_PIPELINE, *lowering, *NATIVE]
