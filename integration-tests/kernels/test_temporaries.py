"""Temporaries of another type or layout on each path or turn: fine until one is read, compared with the same Python."""

# ruff: noqa: SIM108 - branches are what this file is about

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

N = 61


def run(rng, kernel):
    """One thread on random floats and integers; (x, n, y) with what the kernel wrote to y."""
    x, n = rng.standard_normal(N).astype(np.float32), rng.integers(0, 9, N).astype(np.int32)
    y = np.zeros(N, np.float32)

    @flyc.jit
    def launch(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        kernel(x, n, y).launch(grid=1, block=N)

    launch(flyc.from_dlpack(x), flyc.from_dlpack(n), flyc.from_dlpack(y))
    return x, n, y


@flyc.kernel
def views_of_two_layouts(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    if x[i] > 0.0:
        part = fx.make_view(x.iter, fx.make_layout(4, 1))
        r = part[3]
    elif n[i] > 4:
        part = fx.make_view(x.iter, fx.make_layout((4, 2), (3, 1)))
        r = part[2, 1]
    else:
        part = fx.full(4, 2.0, fx.Float32)
        r = part[1]
    y[i] = r


def test_branches_may_use_one_name_for_views_of_different_layouts(rng):
    x, n, y = run(rng, views_of_two_layouts)
    np.testing.assert_array_equal(y, np.where(x > 0, x[3], np.where(n > 4, x[7], np.float32(2))))


@flyc.kernel
def remade_in_each_turn(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    part, pair = fx.make_view(x.iter, fx.make_layout(8, 1)), (x[0], 1)
    total = part[5]
    for j in range(n[i]):
        part = fx.make_view(x.iter, fx.make_layout(8, 2))
        pair = (part[j], part[1], 3)
        total += pair[0]
        if total > 1.0:
            part = None
            pair = "large"
            total -= 0.5
    y[i] = total


def test_a_turn_may_remake_a_variable_with_another_layout_or_structure(rng):
    x, n, y = run(rng, remade_in_each_turn)

    def total(turns):
        found = x[5]
        for j in range(turns):
            found = np.float32(found + x[2 * j])
            found = np.float32(found - np.float32(0.5)) if found > 1 else found
        return found

    np.testing.assert_array_equal(y, np.array([total(count) for count in n], np.float32))


@flyc.kernel
def leaves_of_containers(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    state = SimpleNamespace(total=0.0, scratch=None, parts=[x[i], (2, "static")])
    left = n[i]
    while left > 0:
        state.scratch = fx.full(4, 3.0, fx.Float32)
        state.parts[0] = state.scratch[1]
        if left > 3:
            state.parts[1] = (left, 0.5)
            state.scratch = 2.0
        state.total += state.parts[0]
        left -= 1
    y[i] = state.total + state.parts[0]


def test_the_other_items_of_a_container_keep_their_values(rng):
    x, n, y = run(rng, leaves_of_containers)
    np.testing.assert_array_equal(y, np.where(n > 0, 3 * n + np.float32(3), x))


@flyc.kernel
def left_early(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    count = 0
    for j in range(8):
        if x[j] > 1.0:
            break
        part = fx.make_view(x.iter, fx.make_layout(8, 1))
        if part[j] < 0.0:
            part = fx.full(8, 1, fx.Int32)
            continue
        count += 1
        part = count
    y[i] = count


def test_loops_with_break_and_continue_drop_temporaries_too(rng):
    x, _, y = run(rng, left_early)
    seen = x[:8][: int(np.argmax(x[:8] > 1)) if (x[:8] > 1).any() else 8]
    np.testing.assert_array_equal(y, np.full(N, (seen >= 0).sum(), np.float32))


@flyc.kernel
def assigned_again(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    if x[i] > 0.0:
        part = fx.full(4, 1.0, fx.Float32)
    else:
        part = fx.full(8, 1.0, fx.Float32)
    for _ in range(n[i]):
        part = x[i] * 2.0
    if n[i] == 0:
        part = x[i]
    else:
        part = x[i] * 2.0
    y[i] = part


def test_a_variable_without_a_value_may_be_assigned_again(rng):
    x, n, y = run(rng, assigned_again)
    np.testing.assert_array_equal(y, np.where(n == 0, x, 2 * x))


def undefined_after_a_branch(x, use):
    if x[0] > 0.0:
        part = fx.make_view(x.iter, fx.make_layout(4, 1))
    else:
        part = fx.make_view(x.iter, fx.make_layout(4, 2))
    if x[1] > 0.0:
        x[2] = 1.0
    use(x, part)


def atom():
    return fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)


def is_none(x, part):
    return part is None


def is_a_tensor(x, part):
    return isinstance(part, fx.Tensor)


USES = {
    "index": lambda x, part: part[0],
    "copy": lambda x, part: fx.copy(atom(), x, part),
    "store": lambda x, part: x.store(part),
    "element": lambda x, part: x.fill(part),
    "equal": lambda x, part: part == 1.0,
    "key": lambda x, part: {1: 2}.get(part),
    "text": lambda x, part: f"{part}",
    "unpack": lambda x, part: [*part],
    "is": is_none,
    "isinstance": is_a_tensor,
    "conditional": lambda x, part: x[0] if part else x[1],
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_each_use_says_both_types_and_their_lines(use, rng):
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        undefined_after_a_branch(x, use)

    first = undefined_after_a_branch.__code__.co_firstlineno
    with pytest.raises(FrontendError) as error:
        run(rng, kernel)
    for layout, line in (("4:1", first + 2), ("4:2", first + 4)):
        assert f"a Tensor of type !fly.memref<f32, global, {layout}> computed at line {line} on" in str(error.value)


def test_a_value_made_by_the_turn_before_is_refused(rng):
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        last = fx.full(4, 1.0, fx.Float32)
        for i in range(n[0]):
            y[i] = last[0]
            last = fx.full(8, 1.0, fx.Float32)

    with pytest.raises(FrontendError, match=r"'last' is a vector of \(4,\).* before an iteration .* \(8,\)") as error:
        run(rng, kernel)
    assert "y[i] = last[0]" in str(error.value)
