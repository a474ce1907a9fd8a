"""Random numbers of kernels, `fx.random`, under the path where other programs import them."""

from __future__ import annotations

from flydsl.expr.random import rand, rand4x, randint, randint4x, randn, randn4x
from flydsl.expr.random import universal as universal

__all__ = ["rand", "rand4x", "randint", "randint4x", "randn", "randn4x"]
