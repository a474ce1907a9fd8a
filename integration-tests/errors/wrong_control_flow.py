"""Mistakes in branches and loops; each function makes one."""

# ruff: noqa: SIM108 - the mistakes are what this file is for

from __future__ import annotations

from catalogue import launch, wrong

import flydsl.compiler as flyc
import flydsl.expr as fx

BRANCHES, LOOPS = "Branches", "Loops"


@wrong(BRANCHES, "A list grows in a dynamic branch")
def append_in_a_branch():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        found = []
        if x[0] > 0.0:
            found.append(x[0])

    launch(kernel)


@wrong(BRANCHES, "A helper appends to a list in a dynamic branch")
def helper_appends_in_a_branch():
    def remember(items, value):
        items.append(value)

    @flyc.kernel
    def kernel(x: fx.Tensor):
        found = []
        if x[0] > 0.0:
            remember(found, 1)

    launch(kernel)


@wrong(BRANCHES, "A set grows in a dynamic branch")
def set_grows_in_a_branch():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        seen = {0}
        if x[0] > 0.0:
            seen.add(1)
        x[1] = len(seen)

    launch(kernel)


@wrong(BRANCHES, "An attribute is written in a dynamic branch")
def attribute_in_a_branch():
    class Counter:
        hits = 0

    counter = Counter()

    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x[0] > 0.0:
            counter.hits = 1

    launch(kernel)


@wrong(BRANCHES, "print in a dynamic branch")
def print_in_a_branch():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x[0] > 0.0:
            print("positive", x[0])

    launch(kernel)


@wrong(BRANCHES, "raise in a dynamic branch")
def raise_in_a_branch():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x[0] < 0.0:
            raise ValueError("negative")

    launch(kernel)


@wrong(BRANCHES, "The two branches give values of different types")
def different_types():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        value = x[0]
        if x[0] > 0.0:
            value = "positive"
        x[1] = value

    launch(kernel)


@wrong(BRANCHES, "The two branches give tensors of different layouts")
def different_layouts():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x[0] > 0.0:
            part = fx.make_view(x.iter, fx.make_layout(4, 1))
        else:
            part = fx.make_view(x.iter, fx.make_layout(4, 2))
        part[0] = 1.0

    launch(kernel)


@wrong(BRANCHES, "The two branches give vectors of different lengths")
def different_vectors():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        value = fx.full(4, 1.0, fx.Float32)
        if x[0] > 0.0:
            value = fx.full(8, 1.0, fx.Float32)
        x[0] = value[0]

    launch(kernel)


@wrong(BRANCHES, "The two branches give tuples of different lengths")
def different_tuples():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        pair = (x[0], x[1])
        if x[0] > 0.0:
            pair = (x[0], x[1], x[2])
        x[0] = pair[1]

    launch(kernel)


@wrong(BRANCHES, "A variable has a value on one path only")
def value_on_one_path():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x[0] > 0.0:
            scale = 2.0
        x[1] = x[1] * scale

    launch(kernel)


@wrong(BRANCHES, "`is None` of what is None on one path only")
def is_none_on_one_path():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        best = None
        if x[0] > 0.0:
            best = x[0]
        if best is None:
            x[1] = 0.0

    launch(kernel)


@wrong(BRANCHES, "A helper returns a value on one path only")
def return_on_one_path():
    def clamp(value):
        if value > 1.0:
            return 1.0

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = clamp(x[0])

    launch(kernel)


@wrong(BRANCHES, "A tensor as a condition")
def tensor_as_condition():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x:
            x[0] = 1.0

    launch(kernel)


@wrong(BRANCHES, "A vector as a condition")
def vector_as_condition():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x.load() > 0.0:
            x[0] = 1.0

    launch(kernel)


@wrong(BRANCHES, "const_expr around a dynamic value")
def const_expr_of_dynamic():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if fx.const_expr(fx.thread_idx.x > 3):
            x[0] = 1.0

    launch(kernel)


@wrong(BRANCHES, "A barrier that some threads do not reach")
def divergent_barrier():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if fx.thread_idx.x < 7:
            fx.barrier()

    launch(kernel)


@wrong(LOOPS, "A dynamic loop carries another type after an iteration")
def loop_changes_type():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        last = None
        for i in range(fx.thread_idx.x):
            last = x[i]
        x[0] = last

    launch(kernel)


@wrong(LOOPS, "An iteration of a loop reads a tensor that the previous one created with another layout")
def layout_of_the_turn_before():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        part = fx.make_view(x.iter, fx.make_layout(4, 1))
        for i in range(fx.thread_idx.x):
            x[i] = part[1]
            part = fx.make_view(x.iter, fx.make_layout(4, 2))

    launch(kernel)


@wrong(LOOPS, "A value of a loop iteration is used after the loop")
def value_after_its_loop():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        for i in range(fx.thread_idx.x):
            square = x[i] * x[i]
        x[0] = square

    launch(kernel)


@wrong(LOOPS, "The index of a dynamic loop selects from a Python list")
def dynamic_index_of_a_list():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        weights = [1.0, 2.0, 4.0]
        for i in range(3):
            x[i] = weights[i]

    launch(kernel)


@wrong(LOOPS, "range_constexpr over a dynamic number")
def constexpr_range_of_dynamic():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        for i in fx.range_constexpr(fx.thread_idx.x):
            x[i] = 1.0

    launch(kernel)


@wrong(LOOPS, "range over a float")
def range_of_a_float():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        for i in range(x[0]):
            x[i] = 1.0

    launch(kernel)


@wrong(LOOPS, "range with step 0")
def range_of_step_zero():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        for i in range(0, 8, 0):
            x[i] = 1.0

    launch(kernel)


@wrong(LOOPS, "A range with unroll=0")
def range_of_no_turns_at_a_time():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        for i in fx.range(8, unroll=0):
            x[i] = 1.0

    launch(kernel)


@wrong(LOOPS, "An iteration yields another number of values than init has")
def yield_of_another_length():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        for i, state in range(0, 8, init=[0.0, 1.0]):
            yield [state[0] + x[i]]

    launch(kernel)


@wrong(LOOPS, "A loop with init= that yields nothing")
def init_without_yield():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        for i, state in range(0, 8, init=[0.0]):
            x[i] = state[0]

    launch(kernel)


@wrong(LOOPS, "Iterating over a number")
def iterate_over_a_number():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        for i in fx.thread_idx.x:
            x[i] = 1.0

    launch(kernel)


@wrong(LOOPS, "Iterating over a tensor")
def iterate_over_a_tensor():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        total = 0.0
        for value in x:
            total += value

    launch(kernel)


@wrong(LOOPS, "A loop that Python never ends")
def endless_loop():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        step = 1
        while step > 0:
            step += 1

    launch(kernel)
