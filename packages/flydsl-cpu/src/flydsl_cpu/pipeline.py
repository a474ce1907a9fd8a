"""The CPU pass pipeline: Fly passes, kernel lowering, then MLIR's passes down to LLVM."""

from __future__ import annotations

from flydsl.backend.pipeline import FLY_PIPELINE

KERNELS = (
    "cpu-lower-assertions",
    "cpu-lower-shared-memory",
    "cpu-expand-index-operations",
    "cpu-lower-prints",
    "cpu-drop-unused-values",
    "cpu-mark-uniform-results",
    "cpu-unite-butterflies",
    "cpu-insert-prefetches",
    "cpu-thread-loops",
    "cpu-move-large-arrays",
    "guard-divisions",
    "cpu-lower-intrinsics",
)
"""Kernels to native functions; `cpu-thread-loops` understands divisions as they are, so that guards come after it."""

LOWERING = ("convert-fly-to-cpu", "cpu-exponentials", "expand-math", "canonicalize", "cpu-extrema", *KERNELS)
"""Fly to native functions, in Python: each pass is a file of `flydsl_cpu.passes`, or the core's."""

_EXPONENTIALS_WITH_SCALING = "cpu-exponentials{scale=true}"

NATIVE = (
    "arith-expand{include-bf16=true}",
    "canonicalize",
    "convert-scf-to-cf",
    "convert-vector-to-llvm",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "convert-ub-to-llvm",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "convert-func-to-llvm",
    "reconcile-unrealized-casts",
)
"""Native functions to the LLVM dialect, in MLIR.

The canonicalizer works on structured control flow: in a block that a decided branch leaves unreachable, where a value
may depend on itself, it folds for ever.
"""


def fragments(*, scales: bool = False, chooses: bool = True, width: int = 16) -> list[str]:
    """The whole pipeline, in order, for what `CpuTarget` says of a target."""
    lowering = [name for name in LOWERING if chooses or name != "cpu-extrema"]
    if width != 16:
        lowering = [f"{name}{{width={width}}}" if name == "cpu-thread-loops" else name for name in lowering]
    if scales:
        lowering = [_EXPONENTIALS_WITH_SCALING if name == "cpu-exponentials" else name for name in lowering]
    return [*FLY_PIPELINE, *lowering, *NATIVE]


def native_lowering() -> str:
    """The part that MLIR does, as one pipeline."""
    return f"builtin.module({','.join(NATIVE)})"
