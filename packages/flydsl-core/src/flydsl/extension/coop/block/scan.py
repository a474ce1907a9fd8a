"""Scans over the threads of a block: what the threads up to each one have, combined in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.reduction import ReductionOp
from flydsl.extension.coop.block._spec import BlockAlgorithm, BlockAlgorithmMeta, StorageOf
from flydsl.extension.coop.block.algorithms import BlockScanAlgorithm
from flydsl.extension.coop.block.block import Block, valid_in_block
from flydsl.extension.coop.block.items import folded, items_of
from flydsl.extension.coop.block.prefix import seeded
from flydsl.extension.coop.block.scan_algorithms import Prefixes, raking_scan, warp_scans
from flydsl.extension.coop.block.storage import raking_storage, shared_storage, warp_storage
from flydsl.extension.coop.elements import chosen
from flydsl.extension.coop.operators import Element, Operator, operator_of
from flydsl.extension.coop.warp.shuffles import like

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike
    from flydsl.plugins.compile_backend import GPUTarget


class _BlockScanMeta(BlockAlgorithmMeta):
    """The algorithms of scans."""

    _algorithms = BlockScanAlgorithm
    _shared_storage: ClassVar[Mapping[Any, StorageOf]] = {
        BlockScanAlgorithm.WARP_SCANS: warp_storage,
        BlockScanAlgorithm.RAKING: raking_storage,
    }

    def _default_algorithm_for(cls, target: GPUTarget) -> Enum:  # noqa: N805 (of a metaclass)
        return BlockScanAlgorithm.WARP_SCANS


class BlockScan(BlockAlgorithm, metaclass=_BlockScanMeta):
    """`P = BlockScan[dtype, block_size]`, or with a third parameter, a `BlockScanAlgorithm`; then
    `P.inclusive(value, op, storage=s)` and `P.exclusive(value, op, storage=s)`.

    `value` is a number, or a Vector or tuple of n, of which thread t has items t * n to t * n + n - 1; results have the
    same form. `op` is as for `warp_inclusive_scan`, `storage` and `valid_items` are as for `BlockReduce`. `init` goes
    in front; `prefix_callback`, a function of all values combined, may give it instead: the first warp calls it, and
    what it gives in lane 0 counts.
    """

    algorithm: ClassVar[BlockScanAlgorithm]

    def __new__(cls, *args: object, **kwargs: object) -> BlockScan:
        """Not called: the scans have names."""
        raise FrontendError(f"{cls.__name__} is not called: use .inclusive(...) or .exclusive(...)")

    @classmethod
    def inclusive(cls, value: Any, op: object, *, storage: Any = None, init: Any = None, **options: Any) -> Any:
        """What the items up to each one give."""
        return cls.inclusive_with_aggregate(value, op, storage=storage, init=init, **options)[0]

    @classmethod
    def exclusive(cls, value: Any, op: object, *, storage: Any = None, init: Any = None, **options: Any) -> Any:
        """What the items before each one give; for the first one `init`, else the identity of `op`."""
        return cls.exclusive_with_aggregate(value, op, storage=storage, init=init, **options)[0]

    @classmethod
    def inclusive_with_aggregate(
        cls, value: Any, op: object, *, storage: Any = None, init: Any = None, **options: Any
    ) -> tuple[Any, Element]:
        """The inclusive scan, and all items combined, without `init`, in every thread."""
        return _scan(cls, value, op, storage, init, _inclusive, **options)

    @classmethod
    def exclusive_with_aggregate(
        cls, value: Any, op: object, *, storage: Any = None, init: Any = None, **options: Any
    ) -> tuple[Any, Element]:
        """The exclusive scan, and all items combined, without `init`, in every thread."""
        return _scan(cls, value, op, storage, init, _exclusive, **options)

    @classmethod
    def inclusive_sum(cls, value: Any, **options: Any) -> Any:
        """`inclusive` with ADD."""
        return cls.inclusive(value, ReductionOp.ADD, **options)

    @classmethod
    def exclusive_sum(cls, value: Any, **options: Any) -> Any:
        """`exclusive` with ADD."""
        return cls.exclusive(value, ReductionOp.ADD, **options)

    @classmethod
    def inclusive_sum_with_aggregate(cls, value: Any, **options: Any) -> tuple[Any, Element]:
        """`inclusive_with_aggregate` with ADD."""
        return cls.inclusive_with_aggregate(value, ReductionOp.ADD, **options)

    @classmethod
    def exclusive_sum_with_aggregate(cls, value: Any, **options: Any) -> tuple[Any, Element]:
        """`exclusive_with_aggregate` with ADD."""
        return cls.exclusive_with_aggregate(value, ReductionOp.ADD, **options)


Fill = Callable[[Operator, Sequence[Element], Prefixes], list[Element]]


def _scan(
    cls: type[BlockScan],
    value: Any,
    op: object,
    storage: Any,
    init: Any,
    fill: Fill,
    *,
    valid_items: IntLike | None = None,
    identity: object = None,
    prefix_callback: Callable[[Element], Element] | None = None,
) -> tuple[Any, Element]:
    if cls.block_threads is None:
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


def _inclusive(operator: Operator, items: Sequence[Element], prefixes: Prefixes) -> list[Element]:
    first = operator.combine(prefixes.before, items[0])
    if prefixes.has_before is not None:
        first = chosen(prefixes.has_before, first, items[0])
    results = [first]
    for item in items[1:]:
        results.append(operator.combine(results[-1], item))
    return results


def _exclusive(operator: Operator, items: Sequence[Element], prefixes: Prefixes) -> list[Element]:
    return [prefixes.before, *_inclusive(operator, items, prefixes)[:-1]]
