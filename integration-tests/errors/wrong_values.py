"""Mistakes with arguments, launches, tensors, layouts and atoms; each function makes one."""

from __future__ import annotations

import numpy as np
from catalogue import launch, wrong

import flydsl.compiler as flyc
import flydsl.expr as fx

CALLS, TENSORS, LAYOUTS = "Calls and launches", "Tensors and numbers", "Layouts, copies and matrix products"
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


@wrong(TENSORS, "A float as an index")
def float_index():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[fx.thread_idx.x / 2] = 1.0

    launch(kernel)


@wrong(TENSORS, "A static index outside of the shape")
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
