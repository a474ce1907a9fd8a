"""Mistakes with words of Python and of other libraries on values of a kernel; each function makes one."""

from __future__ import annotations

from catalogue import launch, wrong

import flydsl.compiler as flyc
import flydsl.expr as fx

TENSORS = "Tensors and numbers"


@wrong(TENSORS, "A condition of the device compared with `is True`")
def identity_of_a_condition():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        big = x[0] > 3
        if big is True:
            x[1] = 1.0

    launch(kernel)


@wrong(TENSORS, "Two values of the device compared with `is`")
def identity_of_values():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x[0] is x[1]:
            x[2] = 1.0

    launch(kernel)


@wrong(TENSORS, "A type of elements compared with one of Python")
def dtype_of_python():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x.dtype == float:
            x[0] = 1.0

    launch(kernel)


@wrong(TENSORS, "A misspelt type of elements")
def misspelt_dtype():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x.dtype == "flaot32":
            x[0] = 1.0

    launch(kernel)


@wrong(TENSORS, "A value of the device looked for in a range")
def membership_of_a_range():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        i = fx.thread_idx.x
        if i in range(4, 8):
            x[i] = 1.0

    launch(kernel)


@wrong(TENSORS, "round() of Python")
def round_of_python():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = round(x[1])

    launch(kernel)


@wrong(TENSORS, "@ between numbers")
def matrix_product_of_numbers():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = x[0] @ x[1]

    launch(kernel)


@wrong(TENSORS, "pow() with a modulus")
def power_with_modulus():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = pow(x[0].to(fx.Int32), 2, 3)

    launch(kernel)


@wrong(TENSORS, "A number unpacked")
def number_unpacked():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        low, high = x[0]
        x[1] = low + high

    launch(kernel)


@wrong(TENSORS, "A value looked for in text")
def membership_of_text():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if x[0] in "abc":
            x[1] = 1.0

    launch(kernel)


@wrong(TENSORS, "A sum as in NumPy")
def sum_as_in_numpy():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = fx.sum(x)

    launch(kernel)


@wrong(TENSORS, "A selection as in NumPy")
def where_as_in_numpy():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = fx.where(x[0] > 1, 1.0, 2.0)

    launch(kernel)


@wrong(TENSORS, "An array in shared memory of a dynamic size")
def array_of_dynamic_size():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.SharedAllocator().allocate(fx.Array[fx.Float32, fx.thread_idx.x])

    launch(kernel)


@wrong(TENSORS, "A format of C in printf")
def printf_of_c():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.printf("%f", x[0])

    launch(kernel)


@wrong(TENSORS, "An error inside of a lambda")
def error_in_a_lambda():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        twice = lambda v: v.doubled  # noqa: E731
        x[0] = twice(x[1])

    launch(kernel)
