"""The pass `convert-fly-ktrace`: trace annotations become records in a trace buffer."""

from __future__ import annotations

from dataclasses import dataclass

from flydsl.backend.pipeline import ConvertFlyKtrace


@dataclass(frozen=True)
class ConvertFlyKtraceToRocdl(ConvertFlyKtrace):
    """`convert-fly-ktrace`: LLVM's cycle counter is `s_memtime` or `SHADER_CYCLES` on AMD GPUs."""

    name = "convert-fly-ktrace-to-rocdl"
