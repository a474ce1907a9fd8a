"""Mistakes with arguments and launches; each function makes one."""

from __future__ import annotations

import numpy as np
from catalogue import launch, wrong

import flydsl.compiler as flyc
import flydsl.expr as fx

CALLS = "Calls and launches"
KEPT = []


@wrong(CALLS, "A kernel called with too few arguments")
def too_few_kernel_arguments():
    @flyc.kernel
    def kernel(x: fx.Tensor, factor: fx.Float32):
        x[0] = factor

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A @jit function called with too few arguments")
def too_few_arguments():
    @flyc.jit
    def host(x: fx.Tensor, n: fx.Int32):
        pass

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A number of another type than the annotation says")
def number_of_another_type():
    @flyc.jit
    def host(x: fx.Tensor, n: fx.Int32):
        pass

    host(np.zeros(4, np.float32), 2.5)


@wrong(CALLS, "A tensor of a type that kernels do not have")
def tensor_of_another_type():
    @flyc.jit
    def host(x: fx.Tensor):
        pass

    host(np.zeros(4, np.complex64))


@wrong(CALLS, "A kernel called outside of a @jit function")
def kernel_called_by_python():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    kernel(np.zeros(4, np.float32))


@wrong(CALLS, "A kernel that is called and not launched")
def kernel_without_launch():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A block of no threads")
def empty_block():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=0)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A block of more threads than a block can have")
def huge_block():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=(64, 64))

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A grid of four extents")
def grid_of_four():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=(1, 1, 1, 1), block=1)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A grid that is a float")
def float_grid():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=x.shape[0] / 4, block=4)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A value of one kernel used in another")
def value_of_another_kernel():
    @flyc.kernel
    def first(x: fx.Tensor):
        KEPT.append(x[0])

    @flyc.kernel
    def second(x: fx.Tensor):
        x[1] = KEPT[-1]

    @flyc.jit
    def host(x: fx.Tensor):
        first(x).launch(grid=1, block=1)
        second(x).launch(grid=1, block=1)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A kernel that returns a value")
def kernel_returns():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        return x[0]

    launch(kernel)


@wrong(CALLS, "Loading an element in host code")
def load_on_the_host():
    @flyc.jit
    def host(x: fx.Tensor):
        x[0] = 1.0

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A compile-time parameter of a kernel gets a number of the call")
def constexpr_known_at_run_time():
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Constexpr[int]):
        x[0] = n

    @flyc.jit
    def host(x: fx.Tensor, n: fx.Int32):
        kernel(x, n).launch(grid=1, block=1)

    host(np.zeros(4, np.float32), 3)


@wrong(CALLS, "A kernel launched as in Triton and Numba")
def kernel_with_brackets():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        kernel[1, 32](x)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A @jit function called as a kernel of Triton and Numba")
def jit_function_with_brackets():
    @flyc.jit
    def host(x: fx.Tensor):
        pass

    host[1, 32](np.zeros(4, np.float32))


@wrong(CALLS, "A kernel launched without its arguments")
def launch_without_arguments():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        kernel.launch(grid=1, block=32)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A list as a tensor")
def list_as_tensor():
    @flyc.jit
    def host(x: fx.Tensor):
        pass

    host([1.0, 2.0])


@wrong(CALLS, "A launch by a word of another language")
def launch_by_another_word():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(threads=32)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A number as the stream of a launch")
def number_as_stream():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1, stream=0)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A dynamic extent as a compile-time argument")
def dynamic_extent_as_constant():
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Constexpr[int]):
        x[0] = n

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x, x.shape[0]).launch(grid=1, block=1)

    host(np.zeros(4, np.float32))


@wrong(CALLS, "A misspelt annotation in text")
def misspelt_annotation():
    @flyc.jit
    def host(x: fx.Tensor, n: fx.Flaot32):
        pass

    host(np.zeros(4, np.float32), 2.5)


@wrong(CALLS, "Compiled code called with another kind of argument")
def compiled_for_another_kind():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    x = np.zeros(4, np.float32)
    compiled = flyc.compile(host, x)
    compiled(x.tolist())
