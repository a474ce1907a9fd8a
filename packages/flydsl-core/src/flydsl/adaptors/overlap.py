"""Whether several coordinates of a strided tensor are one element."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_STEPS = 20_000
"""Differences of coordinates that are tried before a layout counts as overlapping: none in use comes near."""


def is_overlapping(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two coordinates have one index: whether a difference of coordinates other than 0 has index 0."""
    if 0 in shape:
        return False
    modes = sorted(((abs(step), n - 1) for n, step in zip(shape, strides, strict=True) if n > 1), reverse=True)
    reach = [sum(step * most for step, most in modes[index:]) for index in range(len(modes) + 1)]
    if all(step > reach[index + 1] for index, (step, _) in enumerate(modes)):  # each mode jumps over all smaller ones
        return False
    if modes[-1][0] == 0:
        return True
    pending, steps = [(0, 0, True)], 0
    while pending:
        index, total, is_zero = pending.pop()
        if index == len(modes):
            if total == 0 and not is_zero:
                return True
            continue
        step, most = modes[index]
        rest = reach[index + 1]  # the modes that follow cannot bring a larger sum back to 0
        low = 0 if is_zero else max(-most, -((rest + total) // step))
        high = min(most, (rest - total) // step)
        steps += max(0, high - low + 1)
        if steps > _MOST_STEPS:
            return True
        pending += [(index + 1, total + count * step, is_zero and count == 0) for count in range(low, high + 1)]
    return False
