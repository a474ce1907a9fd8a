"""Lowering of Fly to upstream dialects for the CPU: plain memory, shared allocations as marked globals."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import UnitAttr

from flydsl.backend.ir import GENERIC, GLOBAL, REGISTER, SHARED
from flydsl.backend.lowering import ConvertFlyToLLVM, LoweringTarget, PlainSpace, RegisterSpace, SharedSpace
from flydsl_cpu.dialect import SHARED_MARK

_SCOPES = ("system", "agent", "cluster", "workgroup", "wavefront", "singlethread")


@dataclass(frozen=True)
class ConvertFlyToCpu(ConvertFlyToLLVM):
    """Lowers Fly pointers and the universal atoms; `cpu-lower-shared-memory` places what it marks."""

    name = "convert-fly-to-cpu"

    def lowering_target(self) -> LoweringTarget:
        """One flat address space; atomics have system scope, since the threads of a block run one after the other."""
        return LoweringTarget(
            "cpu",
            spaces={
                GENERIC: PlainSpace(),
                GLOBAL: PlainSpace(),
                SHARED: SharedSpace(attributes={SHARED_MARK: UnitAttr()}),
                REGISTER: RegisterSpace(at_entry=False),
            },
            sync_scopes={scope + only: "" for scope in _SCOPES for only in ("", "-one-as")} | {"one-as": ""},
        )
