"""Plugin manifest of this distribution; jax is not imported."""

from __future__ import annotations

from flydsl.plugins import TensorAdaptorManifest, hookimpl

_NAMES = frozenset({"Array", "ArrayImpl", "Tracer", "PRNGKeyArray", "Ref"})
_PACKAGES = frozenset({"jax", "jaxlib"})


@hookimpl
def flydsl_tensor_adaptors() -> list[TensorAdaptorManifest]:
    """`jax.Array`, and what only looks like one: `flydsl.jax.adaptor` refuses it with help."""
    return [
        TensorAdaptorManifest(
            name="jax",
            factory="flydsl.jax.adaptor:JaxAdaptor",
            claims=_is_of_jax,
            words={"flydsl.compiler.from_jax": "flydsl.jax:from_jax"},
        )
    ]


def _is_of_jax(cls: type[object]) -> bool:
    return any(
        base.__module__.partition(".")[0] in _PACKAGES and base.__name__.rpartition(".")[2] in _NAMES
        for base in cls.__mro__
    )
