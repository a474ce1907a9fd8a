"""Selection of the toolchain that a process uses."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from flydsl.base import settings
from flydsl.base.errors import SettingError
from flydsl.toolchain.native import NativeToolchain

if TYPE_CHECKING:
    from pathlib import Path

    from flydsl.toolchain.protocol import Toolchain


def default_toolchain() -> Toolchain:
    """The toolchain that the settings ask for; the same object while they stay the same."""
    chosen = settings.compile
    return create_toolchain(
        chosen.toolchain,
        package=chosen.mlir_package,
        llvm_dir=chosen.llvm_dir,
        lld=chosen.lld,
        memo=settings.runtime.digest_memo,
    )


def begin_loading() -> None:
    """Load the toolchain in the background where it can: for a compilation that is sure to need it soon."""
    toolchain = default_toolchain()
    if isinstance(toolchain, NativeToolchain):
        toolchain.begin_loading()


@cache
def create_toolchain(
    kind: str = "native",
    *,
    package: str = "mlir",
    llvm_dir: Path | None = None,
    lld: Path | None = None,
    memo: Path | None = None,
) -> Toolchain:
    """A toolchain of `kind` (`native` or `upstream`); `package` holds the upstream bindings, `llvm_dir` is the prefix
    of another LLVM for the native one, `lld` a linker program, `memo` a folder that remembers file digests."""
    if kind == "native":
        return NativeToolchain(llvm_dir=llvm_dir, lld=lld, memo=memo)
    if kind == "upstream":
        from flydsl.toolchain.upstream import UpstreamToolchain

        return UpstreamToolchain(package, lld=lld, memo=memo)
    raise SettingError(f"toolchain {kind!r} is not one of 'native', 'upstream'")
