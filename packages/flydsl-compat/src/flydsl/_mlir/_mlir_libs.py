"""No native libraries: this says what their functions are here."""

from __future__ import annotations

from typing import NoReturn

from flydsl._mlir.building.unknown import refuse

_OPTIONS = 'LLVM\'s options are set for a function: @flyc.jit(compile_hints={"llvm_options": {...}})'


def __getattr__(name: str) -> NoReturn:
    """What to use instead."""
    refuse(
        __name__, name, (), _OPTIONS if name == "_mlirDialectsFly" else "all that kernels need is in flydsl._mlir.ir"
    )
