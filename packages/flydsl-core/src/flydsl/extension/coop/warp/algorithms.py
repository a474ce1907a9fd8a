"""Algorithms of warps as classes: the functions of `fx.coop` with an element type and a width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numbers.reduction import ReductionOp
from flydsl.extension.coop import warp
from flydsl.extension.coop.block.items import items_of
from flydsl.extension.coop.specialisation import Specialised, element_type
from flydsl.extension.coop.warp import segments
from flydsl.extension.coop.warp.specialisation import WarpSpecialisation

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike, ScalarLike, StorableType
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.operators import ReduceOptions, ScanOptions, WarpFunctions


class _OfWarp(Specialised):
    """An algorithm of groups of `width` lanes, by default of the warp."""

    functions: ClassVar[WarpFunctions] = warp
    dtype: ClassVar[Any]
    width: ClassVar[int | None]

    @classmethod
    def _specialisation(cls, dtype: StorableType, width: object = None) -> WarpSpecialisation:
        return WarpSpecialisation(dtype=element_type(cls, dtype), width=known_integer(width))

    @classmethod
    def _element(cls, method: str, value: object) -> Item:
        cls.require(method)
        items, _ = items_of(value, cls.dtype)
        if len(items) != 1:
            raise FrontendError(f"{cls.__name__}.{method} takes one value, found {len(items)}")
        return items[0]


class WarpReduce(_OfWarp):
    """`WarpReduce[dtype, width]`: reductions of groups and of their segments."""

    @classmethod
    def reduce(cls, value: object, op: object, **options: Unpack[ReduceOptions]) -> Item:
        """As `warp_reduce`."""
        return cls.functions.warp_reduce(cls._element("reduce", value), op, width=cls.width, **options)

    @classmethod
    def head_segmented_reduce(
        cls, value: object, flag: ScalarLike, op: object, **options: Unpack[ReduceOptions]
    ) -> Item:
        """As `warp_head_segmented_reduce`."""
        own = cls._element("head_segmented_reduce", value)
        return segments.warp_head_segmented_reduce(own, flag, op, width=cls.width, **options)

    @classmethod
    def tail_segmented_reduce(
        cls, value: object, flag: ScalarLike, op: object, **options: Unpack[ReduceOptions]
    ) -> Item:
        """As `warp_tail_segmented_reduce`."""
        own = cls._element("tail_segmented_reduce", value)
        return segments.warp_tail_segmented_reduce(own, flag, op, width=cls.width, **options)

    @classmethod
    def sum(cls, value: object, *, storage: object = None, **options: Unpack[ReduceOptions]) -> Item:
        """`reduce` with ADD; a warp needs no `storage`."""
        return cls.reduce(value, ReductionOp.ADD, **options)

    @classmethod
    def max(cls, value: object, *, storage: object = None, **options: Unpack[ReduceOptions]) -> Item:
        """`reduce` with MAX."""
        return cls.reduce(value, ReductionOp.MAX, **options)

    @classmethod
    def min(cls, value: object, *, storage: object = None, **options: Unpack[ReduceOptions]) -> Item:
        """`reduce` with MIN."""
        return cls.reduce(value, ReductionOp.MIN, **options)

    @classmethod
    def head_segmented_sum(cls, value: object, flag: ScalarLike, *, storage: object = None) -> Item:
        """`head_segmented_reduce` with ADD."""
        return cls.head_segmented_reduce(value, flag, ReductionOp.ADD)

    @classmethod
    def tail_segmented_sum(cls, value: object, flag: ScalarLike, *, storage: object = None) -> Item:
        """`tail_segmented_reduce` with ADD."""
        return cls.tail_segmented_reduce(value, flag, ReductionOp.ADD)


class WarpScan(_OfWarp):
    """`WarpScan[dtype, width]`: scans of groups, and broadcasts."""

    @classmethod
    def inclusive_scan(cls, value: object, op: object, **options: Unpack[ScanOptions]) -> Item:
        """As `warp_inclusive_scan`."""
        return cls.functions.warp_inclusive_scan(cls._element("inclusive_scan", value), op, width=cls.width, **options)

    @classmethod
    def exclusive_scan(cls, value: object, op: object, **options: Unpack[ScanOptions]) -> Item:
        """As `warp_exclusive_scan`."""
        return cls.functions.warp_exclusive_scan(cls._element("exclusive_scan", value), op, width=cls.width, **options)

    @classmethod
    def scan(cls, value: object, op: object, **options: Unpack[ScanOptions]) -> tuple[Item, Item]:
        """As `warp_scan`."""
        own = cls._element("scan", value)
        return cls.functions.warp_scan(own, op, width=cls.width, **options)

    @classmethod
    def scan_with_aggregate(cls, value: object, op: object, **options: Unpack[ScanOptions]) -> tuple[Item, Item, Item]:
        """As `warp_scan_with_aggregate`."""
        own = cls._element("scan_with_aggregate", value)
        return cls.functions.warp_scan_with_aggregate(own, op, width=cls.width, **options)

    @classmethod
    def broadcast(cls, value: object, lane: IntLike) -> Item:
        """As `warp_broadcast`."""
        return segments.warp_broadcast(cls._element("broadcast", value), lane, width=cls.width)

    @classmethod
    def inclusive_sum(cls, value: object, *, storage: object = None, **options: Unpack[ScanOptions]) -> Item:
        """`inclusive_scan` with ADD."""
        return cls.inclusive_scan(value, ReductionOp.ADD, **options)

    @classmethod
    def exclusive_sum(cls, value: object, *, storage: object = None, **options: Unpack[ScanOptions]) -> Item:
        """`exclusive_scan` with ADD."""
        return cls.exclusive_scan(value, ReductionOp.ADD, **options)


class WarpReduceBatched(_OfWarp):
    """`WarpReduceBatched[dtype, width, n]`: n reductions at once."""

    batches: ClassVar[int]

    @classmethod
    def _specialisation(  # type: ignore[override]
        cls, dtype: StorableType, width: object, batches: object
    ) -> WarpSpecialisation:
        return replace(super()._specialisation(dtype, width), items=known_integer(batches))

    @classmethod
    def _attributes(cls, facts: WarpSpecialisation) -> dict[str, object]:
        return {"batches": facts.items}

    @classmethod
    def reduce(cls, values: Sequence[Item], op: object) -> Item:
        """As `warp_reduce_batched`."""
        return segments.warp_reduce_batched(
            cls._checked("reduce", values), op, width=cls.width, functions=cls.functions
        )

    @classmethod
    def reduce_to_blocked(cls, values: Sequence[Item], op: object) -> Item:
        """As `warp_reduce_batched_to_blocked`."""
        return segments.warp_reduce_batched_to_blocked(
            cls._checked("reduce_to_blocked", values), op, width=cls.width, functions=cls.functions
        )

    @classmethod
    def reduce_to_striped(cls, values: Sequence[Item], op: object) -> Item:
        """As `warp_reduce_batched_to_striped`."""
        return segments.warp_reduce_batched_to_striped(
            cls._checked("reduce_to_striped", values), op, width=cls.width, functions=cls.functions
        )

    @classmethod
    def sum(cls, values: Sequence[Item], *, sync_physical_warp: bool = False, storage: object = None) -> Item:
        """`reduce` with ADD."""
        return cls.reduce(values, ReductionOp.ADD)

    @classmethod
    def sum_to_blocked(
        cls, values: Sequence[Item], *, sync_physical_warp: bool = False, storage: object = None
    ) -> Item:
        """`reduce_to_blocked` with ADD."""
        return cls.reduce_to_blocked(values, ReductionOp.ADD)

    @classmethod
    def sum_to_striped(
        cls, values: Sequence[Item], *, sync_physical_warp: bool = False, storage: object = None
    ) -> Item:
        """`reduce_to_striped` with ADD."""
        return cls.reduce_to_striped(values, ReductionOp.ADD)

    @classmethod
    def _checked(cls, method: str, values: object) -> Sequence[Item]:
        cls.require(method)
        items, formed = items_of(values, cls.dtype)
        if len(items) != cls.batches:
            raise FrontendError(f"{cls.__name__}.{method} takes {cls.batches} values, found {len(items)}")
        return formed(items) if cls.batches > 1 else items
