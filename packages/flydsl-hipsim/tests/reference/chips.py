"""A chip's name in, what the reference must know of it out: the width of waves and the generation."""

from __future__ import annotations

from dataclasses import dataclass

CHIPS = ("gfx942", "gfx950", "gfx1100", "gfx1100-wave64", "gfx1201", "gfx1201-wave64", "gfx1250")


@dataclass(frozen=True, slots=True)
class Chip:
    """`arch` for the assembler; 32 or 64 lanes; generation 9, 11 or 12."""

    arch: str
    lanes: int
    generation: int

    @property
    def mask_words(self) -> int:
        """SGPRs of a lane mask."""
        return self.lanes // 32

    @property
    def fnuz(self) -> bool:
        """8-bit floats without infinities, and with one zero."""
        return self.arch == "gfx942"

    @property
    def target(self) -> list[str]:
        """Options of llvm-mc."""
        features = [] if self.generation == 9 else ["+real-true16", f"+wavefrontsize{self.lanes}"]
        return ["-triple=amdgcn-amd-amdhsa", f"-mcpu={self.arch}", f"-mattr={','.join(features)}"]


def chip_named(name: str) -> Chip:
    """`gfx1100-wave64` and the like; RDNA has waves of 32 unless the name says otherwise."""
    arch, _, waves = name.partition("-wave")
    generation = 9 if arch.startswith("gfx9") else int(arch[3:5])
    return Chip(arch, int(waves or (64 if generation == 9 else 32)), generation)
