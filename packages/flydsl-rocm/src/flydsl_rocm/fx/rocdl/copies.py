"""AMD's copy operations for `fx.make_copy_atom`, by width and type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr import Int32, Int64, Numeric, Uint32, Uint64
from flydsl_rocm.features import Feature

from .chips import require
from .float_atomics import FLOAT_ATOMICS

__all__ = [
    "BufferAtomic",
    "BufferAtomicAdd",
    "BufferAtomicMax",
    "BufferAtomicMin",
    "BufferAtomicPkAdd",
    "BufferCopy",
    "BufferCopy8b",
    "BufferCopy16b",
    "BufferCopy32b",
    "BufferCopy64b",
    "BufferCopy128b",
    "BufferCopyLDS",
    "BufferCopyLDS32b",
    "BufferCopyLDS128b",
]

_INTEGERS = (Int32, Uint32, Int64, Uint64)


@dataclass(frozen=True, slots=True)
class _BufferCopy:
    bits: int
    cache_modifier: int

    def ir_type(self) -> Any:
        """`!fly_rocdl.cdna3.buffer_copy<bits[, cache = n]>`."""
        from flydsl_rocm.atoms.copy_types import BufferCopyType

        require("BufferCopy", in_kernel=False)
        return BufferCopyType(self.bits, self.cache_modifier)


@dataclass(frozen=True, slots=True)
class _BufferCopyLds:
    bits: int

    def ir_type(self) -> Any:
        """`!fly_rocdl.cdna3.buffer_copy_lds<bits>`."""
        from flydsl_rocm.atoms.copy_types import BufferCopyLdsType

        require(
            f"BufferCopyLDS{self.bits}b",
            Feature.LOADS_TO_LDS if self.bits == 32 else Feature.WIDE_LOADS_TO_LDS,
            in_kernel=False,
        )
        return BufferCopyLdsType(self.bits)


@dataclass(frozen=True, slots=True)
class _BufferAtomic:
    op: str
    val_type: type[Numeric]
    packed: bool = False

    def ir_type(self) -> Any:
        """`!fly_rocdl.cdna3.buffer_atomic<op, type>`; the type of unsigned numbers says so: `ui32`."""
        from flydsl.backend.ir import AtomicOp, AtomicOpAttr
        from flydsl_rocm.atoms.copy_types import BufferAtomicType

        require(f"{self} of {self.val_type.__name__}", self._feature(), in_kernel=False)
        return BufferAtomicType(AtomicOpAttr(AtomicOp(self.op)), self._element())

    def _feature(self) -> Feature | None:
        """What a chip needs for it; None where all have it."""
        if self.val_type in _INTEGERS and not self.packed:
            return None
        key = (self.op, self.val_type, self._lanes)
        if key not in FLOAT_ATOMICS:
            known = self._known_types()
            raise FrontendError(f"there is no buffer atomic {self} on {self.val_type.__name__}; types: {known}")
        return FLOAT_ATOMICS[key]

    @property
    def _lanes(self) -> int:
        return 2 if self.packed else 1

    def _known_types(self) -> list[str]:
        floats = [kind for op, kind, lanes in FLOAT_ATOMICS if (op, lanes) == (self.op, self._lanes)]
        return [kind.__name__ for kind in (*floats, *(() if self.packed else _INTEGERS))]

    def _element(self) -> Any:
        from xdsl.dialects.builtin import IntegerType, Signedness

        from flydsl.backend.language import current

        if not self.val_type.is_float and not self.val_type.is_signed:
            return IntegerType(self.val_type.width, Signedness.UNSIGNED)
        return current().type(self.val_type, [2] if self.packed else None)

    def __str__(self) -> str:
        return "BufferAtomicPkAdd" if self.packed else f"BufferAtomic {self.op!r}"


def BufferCopy(bit_size: int, cache_modifier: int = 0) -> _BufferCopy:  # noqa: N802 - an operation, used like a class
    """Loads from or stores to a buffer tensor of `bit_size` bits by one thread; state: soffset.

    `soffset` counts elements of the buffer tensor. `cache_modifier` are the cache bits of the instruction, as the ISA
    manual of the target numbers them.
    """
    if bit_size not in (8, 16, 32, 64, 96, 128):
        raise FrontendError(f"BufferCopy moves 8, 16, 32, 64, 96 or 128 bits, found {bit_size!r}")
    return _BufferCopy(bit_size, cache_modifier)


def BufferCopy8b(cache_modifier: int = 0) -> _BufferCopy:  # noqa: N802
    """A buffer copy of 8 bits."""
    return BufferCopy(8, cache_modifier)


def BufferCopy16b(cache_modifier: int = 0) -> _BufferCopy:  # noqa: N802
    """A buffer copy of 16 bits."""
    return BufferCopy(16, cache_modifier)


def BufferCopy32b(cache_modifier: int = 0) -> _BufferCopy:  # noqa: N802
    """A buffer copy of 32 bits."""
    return BufferCopy(32, cache_modifier)


def BufferCopy64b(cache_modifier: int = 0) -> _BufferCopy:  # noqa: N802
    """A buffer copy of 64 bits."""
    return BufferCopy(64, cache_modifier)


def BufferCopy128b(cache_modifier: int = 0) -> _BufferCopy:  # noqa: N802
    """A buffer copy of 128 bits."""
    return BufferCopy(128, cache_modifier)


def BufferCopyLDS(bit_size: int) -> _BufferCopyLds:  # noqa: N802
    """Buffer memory to LDS past the registers, `bit_size` bits a thread; state: soffset, imm_offset.

    `soffset` counts elements of the buffer tensor; `imm_offset`, known while compiling, bytes: it moves what is read
    and where that goes.
    """
    if bit_size not in (32, 128):
        raise FrontendError(f"BufferCopyLDS moves 32 or 128 bits, found {bit_size!r}")
    return _BufferCopyLds(bit_size)


def BufferCopyLDS32b() -> _BufferCopyLds:  # noqa: N802
    """32 bits a thread from buffer memory to LDS."""
    return BufferCopyLDS(32)


def BufferCopyLDS128b() -> _BufferCopyLds:  # noqa: N802
    """128 bits a thread from buffer memory to LDS (CDNA4)."""
    return BufferCopyLDS(128)


def BufferAtomic(atomic_op: Any, val_type: type[Numeric]) -> _BufferAtomic:  # noqa: N802
    """Registers combined into a buffer tensor by `atomic_op` (add, max, min, and, or, inc, dec); state: soffset."""
    return _BufferAtomic(str(getattr(atomic_op, "value", atomic_op)).lower(), val_type)


def BufferAtomicAdd(val_type: type[Numeric]) -> _BufferAtomic:  # noqa: N802
    """Registers added to a buffer tensor."""
    return _BufferAtomic("add", val_type)


def BufferAtomicMax(val_type: type[Numeric]) -> _BufferAtomic:  # noqa: N802
    """The larger of registers and a buffer tensor."""
    return _BufferAtomic("max", val_type)


def BufferAtomicMin(val_type: type[Numeric]) -> _BufferAtomic:  # noqa: N802
    """The smaller of registers and a buffer tensor."""
    return _BufferAtomic("min", val_type)


def BufferAtomicPkAdd(val_type: type[Numeric]) -> _BufferAtomic:  # noqa: N802
    """Two neighbouring 16-bit floats added at once."""
    return _BufferAtomic("add", val_type, packed=True)
