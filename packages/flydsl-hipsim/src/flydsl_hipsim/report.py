"""Profiles of kernels: counts of profiled launches, printed as a table."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass, field

from flydsl_hipsim.native import load_library

_BYTES = ("global read", "global write", "scalar read", "LDS read", "LDS write", "scratch read", "scratch write")


@dataclass(frozen=True, slots=True)
class MemoryInstruction:
    """One instruction of a kernel that reads or writes memory, over all waves.

    `lds_passes` counts groups of lanes that could be served at once, `lds_conflicts` what banks needed beyond that.
    `segments` are the 128-byte pieces of global memory that were touched, `least_segments` how few could have them.
    """

    pc: int
    text: str
    line: str
    executed: int
    lanes: int
    bytes: int
    lds_passes: int
    lds_conflicts: int
    segments: int
    least_segments: int


@dataclass(frozen=True, slots=True)
class KernelProfile:
    """What a kernel did in all profiled launches; its registers, LDS and scratch as the last launch had them.

    `executed` counts wave instructions by kind, `bytes` what lanes asked for by space and direction. `threads` are
    those of a workgroup, `lds_bytes` those of one, `scratch_bytes` those of a lane.
    """

    name: str
    arch: str
    vgprs: int
    sgprs: int
    lds_bytes: int
    scratch_bytes: int
    wave_size: int
    threads: int
    launches: int
    workgroups: int
    waves: int
    active_lanes: int
    lane_slots: int
    bytes: dict[str, int]
    executed: dict[str, int] = field(default_factory=dict)
    memory: list[MemoryInstruction] = field(default_factory=list)

    @property
    def instructions(self) -> int:
        """Wave instructions."""
        return sum(self.executed.values())

    @property
    def lane_use(self) -> float:
        """Active lanes of vector and memory instructions, of all lanes: 1 without divergence."""
        return self.active_lanes / self.lane_slots if self.lane_slots else 1.0

    @property
    def coalescing(self) -> float:
        """The fewest segments that could hold what was touched, of those that were: 1 is best."""
        touched = sum(one.segments for one in self.memory)
        return sum(one.least_segments for one in self.memory) / touched if touched else 1.0

    @property
    def lds_conflicts(self) -> int:
        """Passes through LDS beyond the least possible."""
        return sum(one.lds_conflicts for one in self.memory)

    @property
    def cost(self) -> int:
        """A number to compare kernels by: wave instructions, touched segments, passes through LDS beyond the least."""
        return self.instructions + sum(one.segments for one in self.memory) + self.lds_conflicts

    def __str__(self) -> str:
        return "\n".join([*self._head(), *_memory_table(self.memory)])

    def _head(self) -> Iterable[str]:
        counts = f"{self.launches} launches, {self.workgroups} workgroups, {self.waves} waves"
        yield f"kernel {self.name} on {self.arch}: {counts}"
        memory = f"{self.lds_bytes} bytes of LDS, {self.scratch_bytes} bytes of scratch"
        threads = f"{self.threads} threads in waves of {self.wave_size}"
        yield f"  {self.vgprs} VGPRs, {self.sgprs} SGPRs, {memory}, {threads}"
        yield f"  {self.instructions} wave instructions, {self.lane_use:.0%} of lanes active"
        kinds = sorted(self.executed.items(), key=lambda item: -item[1])
        yield from _columns((kind, str(count)) for kind, count in kinds)
        yield from _columns((f"bytes {name}", str(count)) for name, count in self.bytes.items() if count)
        yield f"  coalescing {self.coalescing:.0%}, LDS bank conflicts {self.lds_conflicts}"


class Profile(list[KernelProfile]):
    """Profiles of kernels by name, printed one below the other."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self)) or "no launch was profiled: choose check='profile'"

    @property
    def cost(self) -> int:
        """That of all kernels."""
        return sum(one.cost for one in self)

    def kernel(self, name: str) -> KernelProfile:
        """KeyError when no launch of it was profiled."""
        for one in self:
            if one.name == name:
                return one
        known = ", ".join(one.name for one in self) or "none"
        raise KeyError(f"no launch of kernel {name!r} was profiled; of these: {known}")


def profile() -> Profile:
    """What launches with the check `profile` did in this process since `clear_profile`."""
    found = Profile()
    for line in _text().splitlines():
        tag, *values = line.split("\t")
        if tag == "K":
            found.append(_kernel(values))
        elif tag == "B":
            found[-1].bytes.update(zip(_BYTES, map(int, values), strict=True))
        elif tag == "C":
            found[-1].executed[values[0]] = int(values[1])
        else:
            pc, text, source, *counts = values
            found[-1].memory.append(MemoryInstruction(int(pc), text, source, *map(int, counts)))
    return found


def clear_profile() -> None:
    """Forget all counts."""
    load_library().flysim_profile_clear()


def _text() -> str:
    function = load_library().flysim_profile
    size = function(None, 0)
    while True:
        buffer = ctypes.create_string_buffer(size)
        needed = function(buffer, size)
        if needed <= size:
            return buffer.value.decode(errors="replace")
        size = needed  # launches went on


def _kernel(values: list[str]) -> KernelProfile:
    name, arch, *numbers = values
    vgprs, sgprs, lds, scratch, wave, threads, launches, workgroups, waves, lanes, slots = map(int, numbers)
    return KernelProfile(
        name, arch, vgprs, sgprs, lds, scratch, wave, threads, launches, workgroups, waves, lanes, slots, bytes={}
    )


def _columns(rows: Iterable[tuple[str, str]]) -> Iterable[str]:
    for name, value in rows:
        yield f"    {name:<20} {value:>14}"


def _memory_table(rows: list[MemoryInstruction]) -> Iterable[str]:
    """Those that cost more than they need first."""
    worst = sorted(rows, key=lambda one: (-(one.lds_conflicts + one.segments - one.least_segments), one.pc))
    yield f"    {'pc':>8} {'executed':>10} {'bytes':>12} {'segments':>10} {'least':>10} {'conflicts':>10}  instruction"
    for one in worst:
        location = f"  ({one.line})" if one.line else ""
        yield (
            f"    {one.pc:>#8x} {one.executed:>10} {one.bytes:>12} {one.segments:>10} {one.least_segments:>10}"
            f" {one.lds_conflicts:>10}  {one.text}{location}"
        )
