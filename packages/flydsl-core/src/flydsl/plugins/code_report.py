"""What a backend can say of a kernel's machine code without running it: `KernelReport`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

Counts = Mapping[str, int]
"""Numbers by name, in the order in which they are shown; the names are the backend's."""


@dataclass(frozen=True, slots=True)
class KernelReport:
    """Counts of one kernel's machine code, by groups that mean the same on every target; a group that the backend
    knows nothing of is empty.

    The names within a group are the target's own, such as `VALU` or `VGPR`.
    """

    name: str
    instructions: Counts = field(default_factory=dict)
    """Instructions by class; each belongs to one class, so that their sum is the size of the kernel."""
    registers: Counts = field(default_factory=dict)
    """Registers of a thread or wave, by register file."""
    spills: Counts = field(default_factory=dict)
    """Registers, or accesses, that were spilled to memory."""
    memory: Counts = field(default_factory=dict)
    """Bytes by memory: of a block for shared memory, of a thread for private memory."""
    occupancy: Counts = field(default_factory=dict)
    """Waves that fit on a processor at a time, by the resource that limits them; the smallest counts."""
    widest: Counts = field(default_factory=dict)
    """Bits of a thread's widest access, by memory and direction."""
    conflicts: Counts = field(default_factory=dict)
    """Predicted bank conflicts of shared memory; `notes` say how they are predicted."""
    notes: tuple[str, ...] = ()
    """What a reader must know of the numbers, in whole sentences."""

    @property
    def total(self) -> int:
        """Instructions of all classes."""
        return sum(self.instructions.values())

    def groups(self) -> Iterator[tuple[str, Counts]]:
        """The groups of counts that are not empty, by name."""
        for group in fields(self):
            counts = getattr(self, group.name)
            if isinstance(counts, Mapping) and counts:
                yield group.name, counts

    def to_json(self) -> dict[str, Any]:
        """The report as data of JSON."""
        return {"name": self.name, **{name: dict(counts) for name, counts in self.groups()}, "notes": list(self.notes)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> KernelReport:
        """What `to_json` gave; KeyError, TypeError or ValueError for anything else."""
        names = {group.name for group in fields(cls)} - {"name", "notes"}
        groups = {key: _counts(counts) for key, counts in data.items() if key in names}
        return cls(name=str(data["name"]), notes=tuple(map(str, data.get("notes", ()))), **groups)


def widest_accesses(accesses: Iterable[tuple[str, int] | None]) -> dict[str, int]:
    """`KernelReport.widest` of memory and direction with bits of each instruction, None for those without memory."""
    widest: dict[str, int] = {}
    for access in accesses:
        if access is not None:
            what, bits = access
            widest[what] = max(bits, widest.get(what, 0))
    return dict(sorted(widest.items()))


def _counts(data: Any) -> Counts:
    return {str(name): int(count) for name, count in data.items()}
