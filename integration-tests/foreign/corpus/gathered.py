"""Gathers into fragments like the part of a tiled copy: an offset for each call of the atom."""

import flydsl.compiler as flyc
import flydsl.expr as fx


def gathered(width):
    """`width` neighbouring elements an offset; a thread has 4 rows of each column."""
    count = 4 // width * 2

    @flyc.kernel
    def kernel(x: fx.Tensor, places: fx.Tensor, y: fx.Tensor):
        t = fx.thread_idx.x
        atom = fx.make_copy_atom(fx.UniversalCopy(32 * width), fx.Float32)
        form = (fx.make_layout((4, 4), (1, 4)), fx.make_tile(16, 1))
        part = fx.make_tiled_copy(atom, *form).get_slice(t).partition_D(y)
        fragment = fx.make_fragment_like(part)
        offsets = fx.make_rmem_tensor(count, fx.Int32)
        for k in fx.range_constexpr(count):
            offsets[k] = places[t, k]
        fx.gather(atom, fx.get_iter(x), offsets, fragment)
        for k in fx.range_constexpr(8):
            y[t + k % 4 * 4, k // 4] = fx.make_view(fx.get_iter(fragment), fx.make_layout(8, 1))[k]

    @flyc.jit
    def launch(x: fx.Tensor, places: fx.Tensor, y: fx.Tensor):
        kernel(x, places, y).launch(grid=1, block=4)

    return launch


@flyc.kernel
def summed_kernel(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    """A loop that says it has no state."""
    total = fx.Float32(0.0)
    for i in range(0, n, 1, init=None):
        total = total + x[i]
    y[0] = fx.arith.negf(total)


@flyc.jit
def summed(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    summed_kernel(x, y, n).launch(grid=1, block=1)
