"""`flydsl.compiler.backends`: backends by name."""

from __future__ import annotations

from flydsl.compiler import BaseBackend, GPUTarget, compile_backend_name, get_backend, register_backend

__all__ = ["BaseBackend", "GPUTarget", "compile_backend_name", "get_backend", "register_backend"]
