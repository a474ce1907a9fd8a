"""`flydsl.compiler.jit_argument`: how values of Python become arguments."""

from __future__ import annotations

import flydsl.compiler as flyc
from flydsl.compiler import JitArgumentRegistry, from_c_void_p, from_dlpack

JitArgument = flyc.protocol.JitArgument

__all__ = ["JitArgument", "JitArgumentRegistry", "from_c_void_p", "from_dlpack"]
