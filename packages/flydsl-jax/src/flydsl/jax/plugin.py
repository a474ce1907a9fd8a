"""Plugin manifest of this distribution; jax is not imported."""

from __future__ import annotations

from flydsl.plugins import ClassNames, TensorAdaptorManifest, hookimpl

HOOKS_READ: tuple[str, ...] = ()
"""What they return is always the same."""
_NAMES = ("Array", "ArrayImpl", "Tracer", "PRNGKeyArray", "Ref")
_PACKAGES = ("jax", "jaxlib")


@hookimpl
def flydsl_tensor_adaptors() -> list[TensorAdaptorManifest]:
    """`jax.Array`, and what only looks like one: `flydsl.jax.adaptor` refuses it with help."""
    return [
        TensorAdaptorManifest(
            name="jax",
            factory="flydsl.jax.adaptor:JaxAdaptor",
            api_version=4,
            claims=ClassNames(*(f"{package}.*:{name}" for package in _PACKAGES for name in _NAMES)),
            words={"flydsl.compiler.from_jax": "flydsl.jax:from_jax"},
        )
    ]
