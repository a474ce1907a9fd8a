"""The dialects: each module has the operations of one as classes and functions."""

from __future__ import annotations

from typing import NoReturn

from flydsl._mlir.building.unknown import refuse

_KNOWN = (
    *("arith", "builtin", "fly", "fly_rocdl", "func", "gpu", "llvm", "math", "memref", "rocdl", "scf", "vector"),
    "_arith_ops_gen",
)
_INSTEAD = {
    "cf": "write the control flow of Python",
    **dict.fromkeys(("affine", "linalg", "tensor"), "loops are those of Python, tiles those of fx"),
    **dict.fromkeys(("amdgpu", "nvgpu", "nvvm"), "use the namespace of the target in fx, such as fx.rocdl"),
    "index": "use fx.Index and its operators",
}


def __getattr__(name: str) -> NoReturn:
    """What is no dialect here, with what to use instead."""
    refuse(__name__, name, _KNOWN, _INSTEAD.get(name, ""))
