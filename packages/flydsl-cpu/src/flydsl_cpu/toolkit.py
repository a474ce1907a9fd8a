"""Native files of this distribution."""

from __future__ import annotations

from flydsl.runtime.native_library import NativeLibrary

RUNTIME_LIBRARY = NativeLibrary("flydsl-cpu", "flydsl_cpu/libflydsl_cpu.so")
