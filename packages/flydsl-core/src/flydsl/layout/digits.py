"""The digits of an index in a system of strides: c[k] < extent[k] with sum(c[k] * stride[k]) equal to the index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.leaf import Leaf

MAX_STEPS = 100_000
"""Of the search for the digits of an index: strides that interleave may need exponentially many."""


def digits(index: Leaf, extents: Sequence[Leaf], strides: Sequence[Leaf]) -> list[Leaf]:
    """The digits of `index`, none when there are none; strides are not 0.

    Of an index that the strides do not reach they are (index / stride) % extent, as code for one of run time computes.
    """
    if 0 in extents:
        return []
    if any(type(number) is not int for number in (index, *extents, *strides)):
        return _computed(index, extents, strides)
    return _known(index, extents, strides)  # type: ignore[arg-type,return-value]


def _known(index: int, extents: Sequence[int], strides: Sequence[int]) -> list[int]:
    usual = [index // d % s for s, d in zip(extents, strides, strict=True)]
    if sum(c * d for c, d in zip(usual, strides, strict=True)) == index:
        return usual
    return _searched(index, extents, strides) or (usual if index > 0 and min(strides) > 0 else [])


def _computed(index: Leaf, extents: Sequence[Leaf], strides: Sequence[Leaf]) -> list[Leaf]:
    """With leaves known at run time only: (index / stride) % extent where that is exact, remainders elsewhere."""
    dynamic = [number for number, d in enumerate(strides) if type(d) is not int]
    if len(strides) == 1 or len(dynamic) > 1 or (not dynamic and _is_mixed_radix(extents, strides)):  # type: ignore[arg-type]
        return [leaf.mod(leaf.div(index, d), s) for s, d in zip(extents, strides, strict=True)]
    rest: Leaf = index
    found: list[Leaf] = [0] * len(strides)
    for number in dynamic:
        found[number] = leaf.mod(leaf.div(rest, strides[number]), extents[number])
        rest = leaf.sub(rest, leaf.mul(found[number], strides[number]))
    static = [number for number in range(len(strides)) if number not in dynamic]
    _check_order(index, [extents[number] for number in static], [strides[number] for number in static])  # type: ignore[misc]
    for number in sorted(static, key=lambda number: -abs(strides[number])):  # type: ignore[arg-type]
        found[number] = leaf.mod(leaf.div(rest, strides[number]), extents[number])
        rest = leaf.mod(rest, strides[number])
    return found


def _is_mixed_radix(extents: Sequence[Leaf], strides: Sequence[int]) -> bool:
    """Each stride is a multiple of the next smaller one times its extent: all digits can be had on their own."""
    modes = sorted(zip(strides, extents, strict=True), key=lambda mode: abs(mode[0]))
    if (modes[0][0] < 0) != (modes[-1][0] < 0):
        return False
    return all(type(s) is int and above % (d * s) == 0 for (d, s), (above, _) in pairwise(modes))


def _check_order(index: Leaf, extents: Sequence[Leaf], strides: Sequence[int]) -> None:
    """Refuse static strides among which a larger one does not decide first; extents of run time count as 2."""
    modes = sorted(zip(strides, extents, strict=True), key=lambda mode: abs(mode[0]))
    reach = 0
    for d, s in modes:
        if reach >= abs(d) or (d < 0) != (modes[0][0] < 0):
            condition = "the strides interleave: the coordinate of an index known at run time only cannot be computed"
            raise LayoutError("idx2crd", (index, tuple(extents), tuple(strides)), condition)
        reach += (s - 1 if type(s) is int else 1) * abs(d)


def _searched(index: int, extents: Sequence[int], strides: Sequence[int]) -> list[int]:
    """Digits found from the largest stride down, going back where the rest is out of the smaller strides' reach."""
    order = sorted(range(len(strides)), key=lambda number: -abs(strides[number]))
    low, high = [0], [0]
    for number in reversed(order):
        reach = (extents[number] - 1) * strides[number]
        low.append(low[-1] + min(reach, 0))
        high.append(high[-1] + max(reach, 0))
    low.reverse()
    high.reverse()

    def candidates(place: int, rest: int) -> range:
        d, s = strides[order[place]], extents[order[place]]
        ends = (
            (rest - high[place + 1], rest - low[place + 1])
            if d > 0
            else (low[place + 1] - rest, high[place + 1] - rest)
        )
        return range(max(-(-ends[0] // abs(d)), 0), min(ends[1] // abs(d), s - 1) + 1)

    found = [0] * len(strides)
    open_places = [(index, iter(candidates(0, index)))]
    for _ in range(MAX_STEPS):
        if not open_places:
            return []
        rest, choices = open_places[-1]
        digit = next(choices, None)
        if digit is None:
            open_places.pop()
            continue
        number = order[len(open_places) - 1]
        found[number] = digit
        if len(open_places) == len(order):
            return found
        rest -= digit * strides[number]
        open_places.append((rest, iter(candidates(len(open_places), rest))))
    raise LayoutError("idx2crd", (index, tuple(extents), tuple(strides)), "the strides interleave too much to search")
