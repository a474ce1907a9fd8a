"""`flydsl.compiler.jit_function`: the classes of @flyc.jit functions and of what flyc.compile makes of them."""

from __future__ import annotations

from flydsl.compiler import CompiledFunction, JitFunction, jit

__all__ = ["CompiledFunction", "JitFunction", "jit"]
