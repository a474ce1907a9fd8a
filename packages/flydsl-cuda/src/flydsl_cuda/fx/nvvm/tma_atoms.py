"""The copy engine's atoms (TMA): copies of tiles that one thread starts, and the words that wait for stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from flydsl import layout as algebra
from flydsl.backend.language import memory_dtype
from flydsl.base.errors import FrontendError
from flydsl.expr import Int32, Pointer, Storage, Tensor, dsl_size_of, get_iter, get_leaves
from flydsl_cuda.tensor_map import GRANULE, Boxes

from .chips import SM90, require
from .emit import (
    barrier_address,
    immediate,
    instruction,
    instruction_on,
    int32,
    shared_address,
    shared_pointer,
)

if TYPE_CHECKING:
    from flydsl.backend.language import IntLike

__all__ = [
    "TmaLoad",
    "TmaReduce",
    "TmaStore",
    "bulk_commit_group",
    "bulk_wait_group",
    "prefetch_tensor_map",
    "prefetch_tile",
]

_MOST_GROUPS = 63
_ROW = 128  # bytes that the swizzle's pattern has for each of its numbers
_CACHE_HINTS = {
    "": 0,
    "evict_first": 0x12F0000000000000,
    "evict_normal": 0x1000000000000000,
    "evict_last": 0x14F0000000000000,
}


class TmaAtom:
    """A tensor map with the boxes of a tile; it is handed to kernels as an argument."""

    _word = ""

    def __init__(self, tensor_map: Pointer, boxes: Boxes, element_bits: int, **options: Any) -> None:
        self.tensor_map, self.boxes, self.element_bits = tensor_map, boxes, element_bits
        self.options = tuple(sorted(options.items()))

    def __extract_to_ir_values__(self) -> list[Any]:
        return [self.tensor_map.ir_value()]

    def __construct_from_ir_values__(self, values: Sequence[Any]) -> Any:
        (value,) = values
        return type(self)(Pointer(value.type, value, None), self.boxes, self.element_bits, **dict(self.options))

    @property
    def tile_bytes(self) -> int:
        """The bytes of a tile, by which an mbarrier waits for a load."""
        return self.boxes.elements * self.element_bits // 8

    def __repr__(self) -> str:
        return f"{type(self).__name__}(tile={self.boxes.tile}, box={self.boxes.box})"

    def _check(self, pred: object, state: dict[str, Any], *known: str) -> None:
        require(self._word, SM90)
        if pred is not None:
            raise FrontendError(f"{self!r} takes no pred: what lies beyond the tensor is left out; use `if` around it")
        if others := sorted(state.keys() - set(known)):
            raise FrontendError(f"{self!r} has no state field {others[0]!r}; it has {sorted(known)}")

    def _start(self, coordinates: object, what: str) -> list[Any]:
        """Where a tile begins: a 32-bit number for each dimension of the tensor."""
        if not isinstance(coordinates, Tensor) or coordinates.has_storage:
            raise FrontendError(
                f"the {what} of {self!r} is a part of the coordinates that came with it, found {coordinates!r}"
            )
        layout, expected = coordinates.payload.layout, algebra.make_identity_layout(self.boxes.tile)
        if not isinstance(layout, algebra.Layout) or not _same_coordinates(layout, expected):
            raise FrontendError(
                f"the {what} of {self!r} has the coordinates {layout}, not those of one tile, {expected}"
            )
        leaves = get_leaves(get_iter(coordinates))
        if len(leaves) != len(self.boxes.order):
            raise FrontendError(f"the {what} of {self!r} begins at {leaves}: these are coordinates of another tensor")
        return leaves

    def _check_alignment(self, memory: Any) -> None:
        """What is less aligned than the swizzle's pattern would be permuted otherwise than its layout says."""
        known, needed = shared_pointer(self._word, memory).alignment, _ROW << self.boxes.swizzle
        if known >= GRANULE and known % needed:  # of a place that was computed not even that is known
            raise FrontendError(
                f"{self!r} needs shared memory at a multiple of {needed} bytes, and {memory!r} is at one of "
                f"{known}: use fx.SharedAllocator().allocate(type, {needed})"
            )

    def _check_size(self, memory: object) -> None:
        """What is known to be smaller than a tile would be written or read beyond its end."""
        if isinstance(memory, Storage):
            found: Any = dsl_size_of(memory.dtype)
        elif isinstance(memory, Tensor) and isinstance(memory.payload.layout, algebra.Layout):
            size = algebra.size(memory.payload.layout)
            found = size * memory_dtype(memory.dtype, memory.value_type).width // 8 if isinstance(size, int) else None
        else:
            return
        if isinstance(found, int) and found < self.tile_bytes:
            raise FrontendError(
                f"{self!r} moves {self.tile_bytes} bytes, and {memory!r} has {found}: allocate as much as a tile has"
            )

    def _places(self, leaves: list[Any], memory: object) -> list[tuple[Any, list[Any]]]:
        """For each box its address in shared memory, and its coordinates in the order of the map."""
        address = Int32.wrap(shared_address(self._word, memory))  # type: ignore[arg-type]
        self._check_alignment(memory)
        self._check_size(memory)
        addresses = [
            address + offset * self.element_bits // 8 if offset else address for offset, _ in self.boxes.places
        ]
        return [(place.ir_value(), numbers) for place, numbers in zip(addresses, self._numbers(leaves), strict=True)]

    def _numbers(self, leaves: list[Any]) -> Iterator[list[Any]]:
        """The coordinates of each box in the order of the map."""
        for _, steps in self.boxes.places:
            moved = [leaf + step if step else leaf for leaf, step in zip(leaves, steps, strict=True)]
            yield [int32(self._word, "coordinate", moved[mode]) for mode in self.boxes.order]

    def prefetch(self, coordinates: Tensor) -> None:
        """What `prefetch_tile` does with it."""
        rank = len(self.boxes.order)
        for numbers in self._numbers(self._start(coordinates, "source")):
            operands = [("l", self.tensor_map.ir_value()), *(("r", number) for number in numbers)]
            text = f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile [$0, {_coordinates(1, rank)}];"
            instruction_on(text, operands)


def _same_coordinates(layout: algebra.Layout, expected: algebra.Layout) -> bool:
    return layout.is_static and algebra.coalesce(layout) == algebra.coalesce(expected)


def _coordinates(first: int, count: int) -> str:
    return "{" + ", ".join(f"${first + index}" for index in range(count)) + "}"


class TmaLoad(TmaAtom):
    """Loads of tiles: `fx.copy(load, coordinates, shared, mbar=barrier)`, by one thread.

    The barrier is told of the bytes before, by `mbarrier_arrive_expect_tx(barrier, load.tile_bytes)`. A multicast load
    takes `mask`, a bit for each block of the cluster whose shared memory and barrier, at the same places, it is for.
    """

    _word = "TmaLoad"

    def __fly_copy__(self, src: Tensor, dst: Tensor, *, pred: object = None, **state: Any) -> None:
        """What `fx.copy` does with it."""
        is_multicast = bool(dict(self.options).get("multicast"))
        self._check(pred, state, "mbar", *(["mask"] if is_multicast else []), "cache")
        if state.get("mbar") is None or (is_multicast and state.get("mask") is None):
            needed = "mbar=, the barrier that is told" + (", and mask=, blocks of the cluster" if is_multicast else "")
            raise FrontendError(f"fx.copy by {self!r} needs {needed}")
        barrier = barrier_address(self._word, state["mbar"])
        hint = _cache_hint(self, state.get("cache", ""))
        rank = len(self.boxes.order)
        text = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes"
        for address, numbers in self._places(self._start(src, "source"), dst):
            operands = [("r", address), ("l", self.tensor_map.ir_value()), *(("r", number) for number in numbers)]
            operands.append(("r", barrier))
            line = f"[$0], [$1, {_coordinates(2, rank)}], [${2 + rank}]"
            suffix = ""
            if is_multicast:
                suffix, line = ".multicast::cluster", f"{line}, mask"
                operands.append(("r", int32(self._word, "mask", state["mask"])))
            _emit(text + suffix, line, operands, hint, is_multicast)


class TmaStore(TmaAtom):
    """Stores of tiles: `fx.copy(store, shared, coordinates)`, by one thread, after `fence_proxy_async()` by those that
    wrote the tile. `bulk_commit_group` and `bulk_wait_group` wait for them.
    """

    _word = "TmaStore"

    def __fly_copy__(self, src: Tensor, dst: Tensor, *, pred: object = None, **state: Any) -> None:
        """What `fx.copy` does with it."""
        self._check(pred, state, "cache")
        rank = len(self.boxes.order)
        hint = _cache_hint(self, state.get("cache", ""))
        for address, numbers in self._places(self._start(dst, "destination"), src):
            operands = [("l", self.tensor_map.ir_value()), *(("r", number) for number in numbers), ("r", address)]
            _emit(self._instruction(rank), f"[$0, {_coordinates(1, rank)}], [${1 + rank}]", operands, hint, False)

    def _instruction(self, rank: int) -> str:
        return f"cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group"


class TmaReduce(TmaStore):
    """Stores that combine each element with what is there, as one operation: `op` of `make_tma_reduce`."""

    _word = "TmaReduce"

    def _instruction(self, rank: int) -> str:
        return f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{dict(self.options)['op']}.bulk_group"


def _emit(text: str, line: str, operands: list[tuple[str, Any]], hint: int, has_mask: bool) -> None:
    """One copy; a mask is 16 bits of the last operand, a hint of the cache a constant."""
    before = ""
    if has_mask:
        before += f".reg .b16 mask; cvt.u16.u32 mask, ${len(operands) - 1}; "
    if hint:
        before += f".reg .b64 hint; mov.b64 hint, {hint:#x}; "
        text, line = f"{text}.L2::cache_hint", f"{line}, hint"
    whole = f"{text} {line};"
    instruction_on(f"{{ {before}{whole} }}" if before else whole, operands)


def _cache_hint(atom: TmaAtom, name: str) -> int:
    if name not in _CACHE_HINTS:
        raise FrontendError(f"cache of {atom!r} is one of {sorted(filter(None, _CACHE_HINTS))}, found {name!r}")
    return _CACHE_HINTS[name]


def bulk_commit_group() -> None:
    """Make a group of the stores that this thread has started since the last one."""
    require("bulk_commit_group", SM90)
    instruction("cp.async.bulk.commit_group;")


def bulk_wait_group(groups: IntLike = 0, *, read: bool = False) -> None:
    """Wait until at most `groups` groups of stores of this thread are left; `read`: until their tiles are read."""
    require("bulk_wait_group", SM90)
    number = immediate("bulk_wait_group", "groups", groups, 0, _MOST_GROUPS)
    instruction(f"cp.async.bulk.wait_group{'.read' if read else ''} {number};")


def prefetch_tensor_map(atom: TmaLoad | TmaStore) -> None:
    """Have the map of an atom ready before its first copy."""
    require("prefetch_tensor_map", SM90)
    if not isinstance(atom, TmaAtom):
        raise FrontendError(f"fx.nvvm.prefetch_tensor_map needs an atom of the copy engine, found {atom!r}")
    instruction_on("prefetch.tensormap [$0];", [("l", atom.tensor_map.ir_value())])


def prefetch_tile(atom: TmaLoad | TmaStore, coordinates: Tensor) -> None:
    """Have a tile in the second-level cache before it is loaded; by one thread, which waits for nothing."""
    require("prefetch_tile", SM90)
    if not isinstance(atom, TmaAtom):
        raise FrontendError(f"fx.nvvm.prefetch_tile needs an atom of the copy engine, found {atom!r}")
    atom.prefetch(coordinates)
