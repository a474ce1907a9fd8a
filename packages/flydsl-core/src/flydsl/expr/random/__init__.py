"""Random numbers without a state: the same for the same seed and offset, on every target (Philox, as Triton's).

    i = fx.block_idx.x * 256 + fx.thread_idx.x
    keep = fx.random.rand(seed, i) > 0.1

`seed` and `offset` are integers, known or not while tracing. The functions with `4x` give four numbers for the cost of
one.
"""

from flydsl.expr.random.universal import rand, rand4x, randint, randint4x, randn, randn4x

__all__ = ["rand", "rand4x", "randint", "randint4x", "randn", "randn4x"]
