"""gfx1250's moves of tensors as a Fly type: one instruction for a whole tile, and how its tile is shared and padded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.utils.exceptions import VerifyException

from flydsl.backend.atoms import CopyOpType, Reader
from flydsl.layout import Layout

MAX_RANK = 5


@dataclass(frozen=True, eq=False, repr=False)
class Gfx1250TdmType(CopyOpType):
    """`!fly_rocdl.gfx1250.tdm<rank = 2, warps = 1, pad = 0, 0, cache = 0, barrier = false, timeout = false>`.

    The layout of the operand in global memory is the tile, with its outermost dimension first. State: `extent_0` to
    `extent_4`, elements from the tile's first one to the end of the tensor in each dimension; `stride_0` to `stride_3`,
    in elements, of all dimensions but the innermost, in place of the layout's; `imm_offset`, bytes added to the global
    address; `workgroup_mask`, the workgroups of the cluster that a load is for.
    """

    name: ClassVar[str] = "fly_rocdl.gfx1250.tdm"
    fields: ClassVar[tuple[str, ...]] = (
        "workgroup_mask",
        *(f"extent_{k}" for k in range(MAX_RANK)),
        *(f"stride_{k}" for k in range(MAX_RANK - 1)),
        "imm_offset",
    )
    from_memory_to_memory: ClassVar[bool] = True
    whole_tile: ClassVar[bool] = True
    rank: int
    warps: int = 1
    pad_interval: int = 0
    pad_amount: int = 0
    cache: int = 0
    barrier: bool = False
    timeout: bool = False

    def verify(self) -> None:
        if not 1 <= self.rank <= MAX_RANK:
            raise VerifyException(f"TDM rank must be in [1, {MAX_RANK}], got {self.rank}")
        if not _is_power_of_two(self.warps):
            raise VerifyException(f"numWarps must be a positive power of two, got {self.warps}")
        if (self.pad_interval == 0) != (self.pad_amount == 0):
            raise VerifyException("padInterval and padAmount must both be zero or both non-zero")
        if self.pad_interval and not _is_power_of_two(self.pad_interval):
            raise VerifyException(f"padInterval must be a power of two (in elements), got {self.pad_interval}")
        if self.pad_amount < 0:
            raise VerifyException(f"padAmount must not be negative, got {self.pad_amount}")

    def body(self) -> str:
        flags = f"barrier = {str(self.barrier).lower()}, timeout = {str(self.timeout).lower()}"
        padding = f"pad = {self.pad_interval}, {self.pad_amount}"
        return f"rank = {self.rank}, warps = {self.warps}, {padding}, cache = {self.cache}, {flags}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        rank = _number(reader, "rank")
        warps = _number(reader, "warps", ",")
        interval = _number(reader, "pad", ",")
        reader.expect(",")
        amount = reader.integer("the amount of padding")
        cache = _number(reader, "cache", ",")
        return cls(rank, warps, interval, amount, cache, _flag(reader, "barrier"), _flag(reader, "timeout"))

    @property
    def thr_layout(self) -> Layout:
        return Layout(1, 1)

    @property
    def src_tv_bits(self) -> Layout:
        """Of nothing: which elements are moved is in the tile's layout."""
        return Layout((1, 1), (1, 1))

    @property
    def dst_tv_bits(self) -> Layout:
        return self.src_tv_bits

    def warps_of(self, tile: tuple[int, ...]) -> tuple[int, ...]:
        """Waves along each dimension of a tile: doubled from the outermost on while each keeps an element."""
        shared, left = [1] * len(tile), self.warps
        for k, extent in enumerate(tile):
            while left > 1 and 2 * shared[k] <= extent:
                shared[k] *= 2
                left //= 2
        shared[-1] *= left
        return tuple(shared)


def _is_power_of_two(number: int) -> bool:
    return number > 0 and not number & (number - 1)


def _number(reader: Reader, name: str, before: str = "") -> int:
    _expect(reader, before, name, "=")
    return reader.integer(f"the {name}")


def _flag(reader: Reader, name: str) -> bool:
    _expect(reader, ",", name, "=")
    word = reader.word("true or false")
    if word not in ("true", "false"):
        reader.error(f"{name} is true or false, found {word!r}")
    return word == "true"


def _expect(reader: Reader, *texts: str) -> None:
    for text in filter(None, texts):
        reader.expect(text)
