"""Plugin manifest of this distribution; jax is not imported."""

from __future__ import annotations

from flydsl.plugins import TensorAdaptorManifest, hookimpl


@hookimpl
def flydsl_tensor_adaptors() -> list[TensorAdaptorManifest]:
    """`jax.Array`: see `flydsl.jax.adaptor`."""
    return []
