"""Mistakes with tensors, layouts and atoms; each function makes one."""

from __future__ import annotations

import numpy as np
from catalogue import launch, wrong

import flydsl.compiler as flyc
import flydsl.expr as fx

TENSORS, LAYOUTS = "Tensors and numbers", "Layouts, copies and matrix products"


@wrong(TENSORS, "A word that the language does not have")
def unknown_word():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.make_layot(4, 1)

    launch(kernel)


@wrong(TENSORS, "An attribute that a tensor does not have")
def unknown_attribute():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = x.shap[0]

    launch(kernel)


@wrong(TENSORS, "Arithmetic on a whole tensor")
def tensor_as_number():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x = x + 1.0

    launch(kernel)


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


@wrong(TENSORS, "Two indices of a vector")
def two_indices_of_a_vector():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        i = fx.thread_idx.x
        x[i, 0] = x[i, 1]

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


@wrong(TENSORS, "thread_idx called or used as one number")
def thread_idx_called():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[fx.thread_idx()] = 1.0

    launch(kernel)


@wrong(TENSORS, "A conversion as in NumPy")
def conversion_of_numpy():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = x[1].astype(fx.Int32)

    launch(kernel)


@wrong(TENSORS, "An extent converted with .to")
def conversion_of_an_extent():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = x.shape[0].to(fx.Int64)

    launch(kernel)


@wrong(TENSORS, "A dict looked up by a number of the device")
def dict_by_a_dynamic_key():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        weights = {0: 1.0, 1: 2.0}
        x[0] = weights[fx.thread_idx.x]

    launch(kernel)


@wrong(TENSORS, "A float as an index")
def float_index():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[fx.thread_idx.x / 2] = 1.0

    launch(kernel)


@wrong(TENSORS, "A static index outside the shape")
def index_outside():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[32] = 1.0

    launch(kernel)


@wrong(TENSORS, "Two indices for a tensor of one mode")
def too_many_indices():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0, 1] = 1.0

    launch(kernel)


@wrong(TENSORS, "A mode that a layout does not have")
def mode_outside():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.select(fx.make_layout((4, 8), (8, 1)), [0, 2])

    launch(kernel)


@wrong(TENSORS, "A tensor stored as an element")
def tensor_as_element():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = x

    launch(kernel)


@wrong(TENSORS, "Text stored as an element")
def text_as_element():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = "one"

    launch(kernel)


@wrong(TENSORS, "A vector stored as an element")
def vector_as_element():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = fx.full(4, 1.0, fx.Float32)

    launch(kernel)


@wrong(TENSORS, "A vector stored to a tensor of another size")
def vector_of_another_size():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x.store(fx.full(4, 1.0, fx.Float32))

    launch(kernel)


@wrong(TENSORS, "Adding a number and text")
def add_text():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = x[0] + "1"

    launch(kernel)


@wrong(TENSORS, "Bit operations on floats")
def bits_of_floats():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = x[0] & 1

    launch(kernel)


@wrong(TENSORS, "A register tensor of a dynamic shape")
def dynamic_register_tensor():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.make_rmem_tensor(fx.thread_idx.x, fx.Float32)

    launch(kernel)


@wrong(TENSORS, "Writing through a coordinate tensor")
def store_to_coordinates():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        coordinates = fx.make_view(fx.make_coord(0), fx.make_identity_layout(8))
        coordinates[0] = 1

    launch(kernel)


@wrong(TENSORS, "A slice as in NumPy")
def slice_of_numpy():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0:4].store(fx.full(4, 1.0, fx.Float32))

    launch(kernel)


@wrong(TENSORS, "A NumPy array from outside of the kernel")
def captured_array():
    weights = np.ones(32, np.float32)

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[fx.thread_idx.x] = weights[fx.thread_idx.x]

    launch(kernel)


@wrong(TENSORS, "Python's max of two numbers of the device")
def maximum_of_python():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = max(x[1], x[2])

    launch(kernel)


@wrong(TENSORS, "Shared memory used as a number")
def storage_as_number():
    @fx.struct
    class Counters:
        hits: fx.Int32
        misses: fx.Int32

    @flyc.kernel
    def kernel(x: fx.Tensor):
        counters = fx.SharedAllocator().allocate(Counters)
        counters.hits = 0
        counters.hits += 1

    launch(kernel)


@wrong(TENSORS, "An array in shared memory indexed like a matrix")
def array_as_matrix():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        tile = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 32])
        tile[0, fx.thread_idx.x] = x[fx.thread_idx.x]

    launch(kernel)


@wrong(TENSORS, "An f-string in printf")
def printf_of_an_f_string():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.printf(f"x[0] is {x[0]}")

    launch(kernel)


@wrong(LAYOUTS, "A composition that no layout expresses")
def inadmissible_composition():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.composition(fx.make_layout((4, 6), (1, 5)), fx.make_layout(5, 3))

    launch(kernel)


@wrong(LAYOUTS, "A shape and strides that do not fit together")
def incongruent_layout():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.make_layout((4, 8), (1, 4, 32))

    launch(kernel)


@wrong(LAYOUTS, "A copy atom of more bits than the values have")
def copy_of_too_few_values():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        part = fx.make_view(x.iter, fx.make_layout(2, 1))
        registers = fx.make_rmem_tensor(2, fx.Float32)
        fx.copy(fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32), part, registers)

    launch(kernel)


@wrong(LAYOUTS, "A copy between tensors of different sizes")
def copy_of_other_shapes():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        registers = fx.make_rmem_tensor(16, fx.Float32)
        fx.copy(fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32), x, registers)

    launch(kernel)


@wrong(LAYOUTS, "A copy atom for another element type")
def copy_of_another_type():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        registers = fx.make_rmem_tensor(32, fx.Float16)
        fx.copy(fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32), x, registers)

    launch(kernel)


@wrong(LAYOUTS, "gemm with operands of other shapes")
def gemm_of_other_shapes():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        atom = fx.make_mma_atom(fx.UniversalFMA(fx.Float32))
        a, b = fx.make_rmem_tensor((1, 2), fx.Float32), fx.make_rmem_tensor((1, 3), fx.Float32)
        c = fx.make_rmem_tensor((1, 2, 2), fx.Float32)
        fx.gemm(atom, c, a, b, c)

    launch(kernel)


@wrong(LAYOUTS, "A tile of more modes than the tensor")
def tile_of_too_many_modes():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.flat_divide(x, fx.make_tile(4, 8))

    launch(kernel)
