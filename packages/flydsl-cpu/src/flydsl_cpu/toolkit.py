"""Native files of this distribution."""

from __future__ import annotations

from flydsl.backend.runtime import NativeLibrary

RUNTIME_LIBRARY = NativeLibrary("flydsl-cpu", "flydsl_cpu/libflydsl_cpu.so")
