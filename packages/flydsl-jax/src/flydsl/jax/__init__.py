"""FlyDSL for JAX: kernels inside `jax.jit`, and jax arrays as arguments of `@flyc.jit` functions.

jax is imported with the first name of this package: discovery of plugins must not do that.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import LibraryMissingError

if TYPE_CHECKING:
    from flydsl.jax.arguments import from_jax
    from flydsl.jax.exporting import disabled_export_checks
    from flydsl.jax.kernel import JaxKernel, call, jax_kernel
    from flydsl.jax.registration import register

_HOMES = {
    "JaxKernel": "kernel",
    "call": "kernel",
    "disabled_export_checks": "exporting",
    "from_jax": "arguments",
    "jax_kernel": "kernel",
    "register": "registration",
}

__all__ = ["JaxKernel", "call", "disabled_export_checks", "from_jax", "jax_kernel", "register"]


def __getattr__(name: str) -> Any:
    """A public name, from the module that has it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    try:
        import_module(f"{__name__}.supported_jax").check_version()
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("jax", "jaxlib"):
            raise
        raise LibraryMissingError(
            f"flydsl.jax.{name} needs jax, which is not installed ({error}): pip install 'jax>=0.8.1'"
        ) from error


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
