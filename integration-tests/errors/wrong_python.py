"""Mistakes in Python itself; each function makes one."""

# ruff: noqa: F821, F841 - the mistakes are what this file is for

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from catalogue import launch, wrong

import flydsl.compiler as flyc
import flydsl.expr as fx

PYTHON = "Python in kernels"

BRANCHES, LOOPS, PYTHON = "Branches", "Loops", "Python in kernels"


@wrong(PYTHON, "Recursion that ends on a dynamic condition")
def endless_recursion():
    def collatz(n):
        if n > 1:
            return collatz(n // 2)
        return n

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = collatz(fx.thread_idx.x)

    launch(kernel)


@wrong(PYTHON, "A comprehension with a dynamic condition")
def condition_of_a_comprehension():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        positive = [x[i] for i in range(4) if x[i] > 0.0]

    launch(kernel)


@wrong(PYTHON, "A dynamic condition in a helper that cannot be rewritten")
def condition_in_a_helper_that_is_not_traced():
    def relu(value):
        match 0.0:
            case least:
                return value if value > least else least

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = relu(x[0])

    launch(kernel)


@wrong(PYTHON, "A lambda with a dynamic condition")
def condition_in_a_lambda():
    relu = lambda value: value if value > 0.0 else 0.0  # noqa: E731

    @flyc.kernel
    def kernel(x: fx.Tensor):
        helpers = [relu]
        x[0] = helpers[0](x[0])

    launch(kernel)


@wrong(PYTHON, "int() of a dynamic value")
def int_of_dynamic():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[int(fx.thread_idx.x)] = 1.0

    launch(kernel)


@wrong(PYTHON, "len() of a tensor")
def len_of_a_tensor():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        for i in range(len(x)):
            x[i] = 1.0

    launch(kernel)


@wrong(PYTHON, "NumPy on a value of the kernel")
def numpy_on_a_traced_value():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = np.sin(x[0])

    launch(kernel)


@wrong(PYTHON, "A math function of Python on a value of the kernel")
def python_math_on_a_traced_value():
    import math

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = math.sqrt(x[0])

    launch(kernel)


@wrong(PYTHON, "try around a branch that raises")
def try_around_a_branch():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        try:
            if x[0] > 0.0:
                x[1] = float("one")
        except ValueError:
            x[1] = 2.0

    launch(kernel)


@wrong(PYTHON, "match in a kernel")
def match_in_a_kernel():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        match x.shape[0]:
            case 32:
                x[0] = 1.0

    launch(kernel)


@wrong(PYTHON, "A global write in a kernel")
def global_write():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        global COUNT
        COUNT = 1

    launch(kernel)


@wrong(PYTHON, "A kernel that is a generator")
def generator_kernel():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        yield x[0]

    launch(kernel)


@wrong(PYTHON, "A kernel from exec, without source")
def kernel_without_source():
    names = {"fx": fx}
    exec("def function(x: fx.Tensor):\n    x[0] = 1.0\n", names)
    kernel = flyc.kernel(names["function"])

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    host(np.zeros(4, np.float32))


@wrong(PYTHON, "A lambda as a kernel")
def lambda_kernel():
    kernel = flyc.kernel(lambda x: x.fill(1.0))

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    host(np.zeros(4, np.float32))


@wrong(PYTHON, "A variable after del")
def use_after_del():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        value = x[0]
        del value
        x[1] = value

    launch(kernel)


@wrong(PYTHON, "A static assertion that does not hold")
def failing_assert():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        assert x.shape[0] == 64, f"64 elements are needed, found {x.shape[0]}"

    launch(kernel)


@wrong(PYTHON, "Items are added to an object in a dynamic loop")
def namespace_grows():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        state = SimpleNamespace(total=0.0)
        for i in range(fx.thread_idx.x):
            state.last = x[i]

    launch(kernel)
