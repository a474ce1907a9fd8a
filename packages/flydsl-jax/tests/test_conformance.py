"""The conformance suite on jax arrays."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from flydsl.adaptors.dtypes import DTYPES
from flydsl.testing.suite import Tensors, conformance


def zeros(shape: tuple[int, ...], dtype: str) -> jax.Array:
    with jax.enable_x64(True):
        return jnp.zeros(shape, dtype)


TestJax = conformance(
    "flydsl.jax.plugin",
    tensors=Tensors(
        zeros,
        dtypes=tuple(name for name, dtype in DTYPES.items() if dtype.bits >= 8 and hasattr(jnp, name)),
        read_only=lambda array: array,
        refused={"keys": lambda: jax.random.key(0), "int4": lambda: jnp.zeros(3, "int4")},
    ),
    without={"strided": "a jax array has no gaps", "writable": "a jax array never changes"},
)
