"""LLVM's names of AMD's synchronisation scopes."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["SyncScope"]


class SyncScope(StrEnum):
    """Which threads see an atomic operation in order; `OneAs`: with respect to its own address space only."""

    Agent = "agent"
    Workgroup = "workgroup"
    Wavefront = "wavefront"
    OneAs = "one-as"
    AgentOneAs = "agent-one-as"
    WorkgroupOneAs = "workgroup-one-as"
    WavefrontOneAs = "wavefront-one-as"
    SingleThreadOneAs = "singlethread-one-as"
