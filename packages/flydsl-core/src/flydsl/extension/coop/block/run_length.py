"""Runs of equal values of a block, given by value and length, decoded piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, cast

from flydsl.base.errors import FrontendError
from flydsl.expr.gpu import barrier
from flydsl.expr.memory.storage import Array, Storage
from flydsl.expr.numbers.reduction import ReductionOp
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Int32, Numeric, as_numeric
from flydsl.extension.coop.block.items import all_items, items_of
from flydsl.extension.coop.block.scan import BlockScan
from flydsl.extension.coop.block.sized import SizedBlock, SizedSpecialisation
from flydsl.extension.coop.block.storage import array_of, load, record
from flydsl.extension.coop.specialisation import item_count

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike, StorableType


class BlockRunLengthDecode(SizedBlock):
    """`P = BlockRunLengthDecode[dtype, block_size, runs, items]`: each thread gives `runs` runs, and gets `items` items
    at a time of what all of the block decode to, in order.

        decoder = P.init_with_run_lengths(values, lengths, storage=s)
        items = decoder.decode(first)  # from item `first` of `decoder.total` on
    """

    decoded: ClassVar[int]

    @classmethod
    def _specialisation(  # type: ignore[override]
        cls,
        dtype: StorableType,
        block_size: object,
        runs: object = 1,
        items: object = 1,
        algorithm: object = None,
    ) -> SizedSpecialisation:
        facts = super()._specialisation(dtype, block_size, runs, algorithm)
        return replace(facts, decoded=item_count(cls, items, "thread"))

    @classmethod
    def _attributes(cls, facts: SizedSpecialisation) -> dict[str, object]:
        count = facts.block_threads * facts.items
        arrays = {"slots": Array[facts.dtype, count], "starts": Array[Int32, count]}
        scan = BlockScan.specialised(Int32, facts.block_size).SharedStorage
        return {"SharedStorage": record("RunStorage", **arrays, scan=scan)}

    @classmethod
    def init_with_run_lengths(cls, values: object, lengths: object, *, storage: object) -> Decoder:
        """The decoder of runs of these values and lengths, which are not negative; it knows the `total` of items."""
        cls.require("init_with_run_lengths")
        given = _numbers(cls, lengths, "lengths")
        scan = BlockScan.specialised(Int32, cls.block_size)
        starts, total = scan.exclusive_with_aggregate(
            tuple(given), ReductionOp.ADD, storage=getattr(storage, "scan", None)
        )
        return _decoder(cls, values, list(starts), storage, total)

    @classmethod
    def init_with_run_offsets(cls, values: object, offsets: object, *, storage: object) -> Decoder:
        """The decoder of runs that begin at these offsets, which do not descend from run to run; the first is 0."""
        cls.require("init_with_run_offsets")
        return _decoder(cls, values, _numbers(cls, offsets, "offsets"), storage, None)


@dataclass(frozen=True)
class Decoder:
    """The runs of a block in shared memory."""

    algorithm: type[BlockRunLengthDecode]
    storage: object
    total: Int32 | None
    """How many items there are; None of runs that are given by their offsets."""

    def decode(self, from_decoded_offset: IntLike = 0, *, with_offsets: bool = False) -> tuple[object, ...]:
        """This thread's items: thread t has those from `from_decoded_offset` + t * items on, as a tuple.

        Behind the last item they are of the last run. With `with_offsets` also which item of its run each is.
        """
        cls, kind = self.algorithm, self.algorithm.SharedStorage
        slots, starts = array_of(self.storage, "slots", kind), array_of(self.storage, "starts", kind)
        first = Int32(as_numeric(from_decoded_offset)) + cls.block().thread * cls.decoded
        places = [Int32(first + index) for index in range(cls.decoded)]
        runs = [self._run_of(starts, place) for place in places]
        items = tuple(load(slots, run) for run in runs)
        if not with_offsets:
            return items
        return items, tuple(Int32(place - load(starts, run)) for place, run in zip(places, runs, strict=True))

    def _run_of(self, starts: Storage, place: Int32) -> Int32:
        """The last run that begins at `place` or before, by bisection."""
        count = self.algorithm.block_threads * self.algorithm.items
        found, step = Int32(0), 1 << count.bit_length() - 1
        while step:
            tried = Int32(found + step)
            clamped = Int32((tried < count).select(tried, Int32(count - 1)))
            begins = load(starts, clamped)
            found = Int32(((tried < count) & (begins <= place)).select(tried, found))
            step >>= 1
        return found


def _decoder(
    cls: type[BlockRunLengthDecode], values: object, starts: Sequence[Int32], storage: object, total: Int32 | None
) -> Decoder:
    given, _ = all_items(cls, values, "decodes", "thread")
    slots = array_of(storage, "slots", cls.SharedStorage)
    begins = array_of(storage, "starts", cls.SharedStorage)
    first = cls.block().thread * cls.items
    for index, (value, start) in enumerate(zip(given, starts, strict=True)):
        slots[first + index] = value
        begins[first + index] = start
    barrier()
    return Decoder(cls, storage, total)


def _numbers(cls: type[BlockRunLengthDecode], given: object, what: str) -> list[Int32]:
    """Lengths or offsets, integers of any type, as many as the thread has runs."""
    if isinstance(given, Vector):
        given = items_of(given, given.dtype)[0]
    plain = given if isinstance(given, tuple | list) else [given]
    numbers = [as_numeric(one) for one in cast("Sequence[Numeric]", plain)]
    if len(numbers) != cls.items or any(not isinstance(one, Numeric) or one.dtype.is_float for one in numbers):
        raise FrontendError(f"{cls.__name__} takes {cls.items} integer {what} a thread, found {given!r}")
    return [Int32(one) for one in numbers]
