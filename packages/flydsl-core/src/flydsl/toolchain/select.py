"""Which toolchain a process uses: settings or arguments in, one shared `Toolchain` out."""

from __future__ import annotations

from functools import cache

from flydsl.base.errors import SettingError
from flydsl.toolchain.protocol import Toolchain

__all__ = ["create_toolchain", "default_toolchain"]


def create_toolchain(kind: str = "native", *, package: str = "mlir", lld: str = "") -> Toolchain:
    """A toolchain of `kind` (`native`, `upstream`); `package` holds the upstream bindings, `lld` is a linker program."""
    if kind == "native":
        from flydsl.toolchain.native import NativeToolchain

        return NativeToolchain(lld=lld)
    if kind == "upstream":
        from flydsl.toolchain.upstream import UpstreamToolchain

        return UpstreamToolchain(package, lld=lld)
    raise SettingError(f"toolchain {kind!r} is not one of 'native', 'upstream' (FLYDSL_COMPILE_TOOLCHAIN)")


@cache
def default_toolchain() -> Toolchain:
    """The toolchain that the settings ask for, made once."""
    return create_toolchain()
