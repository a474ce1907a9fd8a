"""Matrix products of fp8, whose bytes are packed in words of registers."""

import flydsl.compiler as flyc
import flydsl.expr as fx


def product(atom_type, depth, words):
    """The launcher of c = a @ b.T by instructions of 16 x 16 x depth, of which a lane holds `words` of each operand."""

    @flyc.kernel
    def product_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
        lane = fx.thread_idx.x
        row, group = lane % 16, lane // 16
        steps = a.shape[1] * 4 // depth
        left, right = (fx.make_rmem_tensor(fx.make_layout((words, 1, 2), (1, 0, words)), fx.Int32) for _ in range(2))
        sums = fx.make_rmem_tensor(fx.make_layout((4, 1, 1), (1, 0, 0)), fx.Float32)
        sums.fill(0.0)
        atom = fx.make_mma_atom(atom_type())
        for step in range(0, steps, 2):
            for part in fx.range_constexpr(2):
                first = ((step + part) * 4 + group) * words
                for word in fx.range_constexpr(words):
                    left[word, 0, part] = a[row, first + word]
                    right[word, 0, part] = b[row, first + word]
            fx.gemm(atom, sums, left, right, sums)
        for item in fx.range_constexpr(4):
            c[group * 4 + item, row] = sums[item, 0, 0]

    @flyc.jit
    def launch(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
        product_kernel(a, b, c).launch(grid=1, block=64)

    return launch


def narrow(dtype):
    return product(lambda: fx.rocdl.MFMA(16, 16, 32, dtype), 32, 2)


def wide(dtype):
    return product(lambda: fx.rocdl.cdna4.MFMA_Scale(16, 16, 128, dtype), 128, 8)
