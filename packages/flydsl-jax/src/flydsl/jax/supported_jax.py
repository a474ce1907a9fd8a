"""The versions of JAX that this package works with."""

from __future__ import annotations

from flydsl.base.errors import LibraryMissingError

OLDEST = (0, 8, 1)
"""The first JAX that this package works with, as its metadata says, too."""


def check_version() -> None:
    """LibraryMissingError where the installed JAX is older than that."""
    import jax

    if jax.__version_info__ < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise LibraryMissingError(
            f"flydsl-jax works with jax {oldest} and later, {jax.__version__} is installed: pip install 'jax>={oldest}'"
        )
