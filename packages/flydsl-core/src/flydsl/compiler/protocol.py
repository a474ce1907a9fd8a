"""What a class needs to be a type of the language, a JIT argument or storable (`flyc.protocol`), and their functions.

The compiler itself uses these functions, so a class with the methods behaves as the types of the language do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flydsl.compiler.call.jit_argument import abi_spec
from flydsl.expr.memory.storable import Storable, dsl_align_of, dsl_size_of, peek_from_ptr, poke_into_ptr
from flydsl.expr.values.protocol import (
    DslType,
    JitArgument,
    cache_signature,
    construct_from_ir_values,
    extract_to_ir_values,
    get_ir_types,
)

__all__ = [
    "DslType",
    "JitArgument",
    "Storable",
    "c_abi_spec",
    "cache_signature",
    "construct_from_ir_values",
    "dsl_align_of",
    "dsl_size_of",
    "extract_to_ir_values",
    "get_ir_types",
    "peek_from_ptr",
    "poke_into_ptr",
]


def c_abi_spec(obj: Any) -> list[tuple[type, Callable[..., Any]]]:
    """For each value that a JIT argument passes to the launcher, its ctypes type and the function that fills one."""
    return list(abi_spec(obj))
