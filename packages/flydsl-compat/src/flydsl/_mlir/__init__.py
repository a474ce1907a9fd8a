"""Raw MLIR bindings as kernels written elsewhere import them, over the IR of the language.

`ir` has types and attributes, `dialects.llvm`, `dialects.vector`, ... build operations at the point that is traced, and
`extras.types` names types. Builders take values of the language, SSA values and Python numbers, and give values of the
language where they have one. New kernels need none of it: `fx`, `fx.arith` and `fx.rocdl` do the same, with checks.
"""

from __future__ import annotations

from typing import NoReturn

from flydsl._mlir.building.unknown import refuse
from flydsl.backend.frameworks import mark_as_library

mark_as_library(__file__)  # locations and carets are of the kernel that calls a builder

_INSTEAD = {
    "execution_engine": "a function runs when it is called; flyc.compile(f, ...) prepares one",
    "rewrite": "custom passes are LLVM passes: @flyc.jit(llvm_pass_pipeline=...)",
    "runtime": "memory, streams and devices are in flydsl.runtime",
}


def __getattr__(name: str) -> NoReturn:
    """What is no module here, with what to use instead."""
    refuse(__name__, name, ("dialects", "extras", "ir"), _INSTEAD.get(name, ""))
