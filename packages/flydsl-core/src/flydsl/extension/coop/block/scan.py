"""Scans over the threads of a block: what the threads up to each one have, combined in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypedDict, Unpack

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.reduction import ReductionOp
from flydsl.extension.coop.block._spec import BlockAlgorithm
from flydsl.extension.coop.block.algorithms import BlockScanAlgorithm
from flydsl.extension.coop.block.block import Block, valid_in_block
from flydsl.extension.coop.block.items import folded, items_of
from flydsl.extension.coop.block.prefix import seeded
from flydsl.extension.coop.block.scan_algorithms import Prefixes, raking_scan, warp_scans
from flydsl.extension.coop.block.storage import raking_storage, shared_storage, warp_storage
from flydsl.extension.coop.elements import chosen
from flydsl.extension.coop.operators import Operator, operator_of
from flydsl.extension.coop.warp.shuffles import like

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike
    from flydsl.expr.values.traced_types import Item


class BlockScanOptions(TypedDict, total=False):
    """What scans take beside `storage` and `init`."""

    valid_items: IntLike | None
    identity: object
    prefix_callback: Callable[[Any], object] | None


class BlockSumOptions(BlockScanOptions, total=False):
    """The same with these."""

    storage: object
    init: object


class BlockScan(BlockAlgorithm):
    """`P = BlockScan[dtype, block_size]`, or with a third parameter, a `BlockScanAlgorithm`; then
    `P.inclusive(value, op, storage=s)` and `P.exclusive(value, op, storage=s)`.

    `value` is a number, or a Vector or tuple of n, of which thread t has items t * n to t * n + n - 1; results have the
    same form. `op` is as for `warp_inclusive_scan`, `storage` and `valid_items` are as for `BlockReduce`. `init` goes
    in front; `prefix_callback`, a function of all values combined, may give it instead: the first warp calls it, and
    what it gives in lane 0 counts.
    """

    algorithm: ClassVar[BlockScanAlgorithm]
    _algorithms = BlockScanAlgorithm
    _shared_storage: ClassVar = {
        BlockScanAlgorithm.WARP_SCANS: warp_storage,
        BlockScanAlgorithm.RAKING: raking_storage,
    }

    def __new__(cls, *args: object, **kwargs: object) -> BlockScan:
        """Not called: the scans have names."""
        cls._require_call()
        raise FrontendError(f"{cls.__name__} is not called: use .inclusive(...) or .exclusive(...)")

    @classmethod
    def inclusive(
        cls,
        value: object,
        op: object,
        *,
        storage: object = None,
        init: object = None,
        **options: Unpack[BlockScanOptions],
    ) -> Item:
        """What the items up to each one give."""
        return cls.inclusive_with_aggregate(value, op, storage=storage, init=init, **options)[0]

    @classmethod
    def exclusive(
        cls,
        value: object,
        op: object,
        *,
        storage: object = None,
        init: object = None,
        **options: Unpack[BlockScanOptions],
    ) -> Item:
        """What the items before each one give; for the first one `init`, else the identity of `op`."""
        return cls.exclusive_with_aggregate(value, op, storage=storage, init=init, **options)[0]

    @classmethod
    def inclusive_with_aggregate(
        cls,
        value: object,
        op: object,
        *,
        storage: object = None,
        init: object = None,
        **options: Unpack[BlockScanOptions],
    ) -> tuple[Item, Item]:
        """The inclusive scan, and all items combined, without `init`, in every thread."""
        return _scan(cls, value, op, storage, init, _inclusive, **options)

    @classmethod
    def exclusive_with_aggregate(
        cls,
        value: object,
        op: object,
        *,
        storage: object = None,
        init: object = None,
        **options: Unpack[BlockScanOptions],
    ) -> tuple[Item, Item]:
        """The exclusive scan, and all items combined, without `init`, in every thread."""
        return _scan(cls, value, op, storage, init, _exclusive, **options)

    @classmethod
    def inclusive_sum(cls, value: object, **options: Unpack[BlockSumOptions]) -> Item:
        """`inclusive` with ADD."""
        return cls.inclusive(value, ReductionOp.ADD, **options)

    @classmethod
    def exclusive_sum(cls, value: object, **options: Unpack[BlockSumOptions]) -> Item:
        """`exclusive` with ADD."""
        return cls.exclusive(value, ReductionOp.ADD, **options)

    @classmethod
    def inclusive_sum_with_aggregate(cls, value: object, **options: Unpack[BlockSumOptions]) -> tuple[Item, Item]:
        """`inclusive_with_aggregate` with ADD."""
        return cls.inclusive_with_aggregate(value, ReductionOp.ADD, **options)

    @classmethod
    def exclusive_sum_with_aggregate(cls, value: object, **options: Unpack[BlockSumOptions]) -> tuple[Item, Item]:
        """`exclusive_with_aggregate` with ADD."""
        return cls.exclusive_with_aggregate(value, ReductionOp.ADD, **options)


Fill: TypeAlias = "Callable[[Operator[Item], Sequence[Item], Prefixes], list[Item]]"


def _scan(
    cls: type[BlockScan],
    value: object,
    op: object,
    storage: object,
    init: object,
    fill: Fill,
    *,
    valid_items: IntLike | None = None,
    identity: object = None,
    prefix_callback: Callable[[Item], object] | None = None,
) -> tuple[Item, Item]:
    if not cls.is_specialised:
        raise FrontendError(f"{cls.__name__} is specialised before it scans: {cls.__name__}[dtype, block_size]")
    if init is not None and prefix_callback is not None:
        raise FrontendError("a scan has either init or prefix_callback, found both")
    items, formed = items_of(value, cls.dtype)
    operator, block = operator_of(op, items[0], identity), Block.of(cls)
    valid = None if valid_items is None else valid_in_block(valid_items, items, block)
    own = folded(operator, items)
    algorithm = raking_scan if cls.algorithm is BlockScanAlgorithm.RAKING else warp_scans
    with shared_storage(cls, storage) if block.warps > 1 else nullcontext() as shared:
        prefixes = algorithm(cls, block, own, operator, op, identity, shared, valid)
        if prefix_callback is not None:
            init = seeded(cls, block, prefix_callback, prefixes.aggregate, shared)
    if init is not None:
        prefixes = prefixes.behind(operator, like(init, own))
    return formed(fill(operator, items, prefixes)), prefixes.aggregate


def _inclusive(operator: Operator[Item], items: Sequence[Item], prefixes: Prefixes) -> list[Item]:
    first = operator.combine(prefixes.before, items[0])
    if prefixes.has_before is not None:
        first = chosen(prefixes.has_before, first, items[0])
    results = [first]
    for item in items[1:]:
        results.append(operator.combine(results[-1], item))
    return results


def _exclusive(operator: Operator[Item], items: Sequence[Item], prefixes: Prefixes) -> list[Item]:
    return [prefixes.before, *_inclusive(operator, items, prefixes)[:-1]]
