"""External functions with the bitcode that defines them."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from flydsl.base.bitcode import is_bitcode
from flydsl.base.errors import ArgumentError, SettingError
from flydsl.expr.extern import ExternFunction

__all__ = ["ExternFunction", "link_extern"]


def link_extern(
    ffi: ExternFunction, *, bitcode_path: str | PathLike[str] | None = None, module_init_fn: object = None
) -> ExternFunction:
    """`ffi`, whose calls link the LLVM bitcode in the file `bitcode_path` into their kernel.

    The file is read now. Functions of it that nothing calls are left out.
    """
    if not isinstance(ffi, ExternFunction):
        raise ArgumentError(f"link_extern takes what ffi(...) gives, found {ffi!r}")
    if module_init_fn is not None:
        raise ArgumentError("link_extern: module_init_fn is not supported by this version; leave it out")
    if bitcode_path is None:
        return ffi
    path = Path(bitcode_path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingError(f"the bitcode of {ffi.symbol!r} cannot be read: {error}") from None
    if not is_bitcode(content):
        raise SettingError(
            f"{str(path)!r} is not LLVM bitcode; make it with clang -c -emit-llvm, or with llvm-as from text"
        )
    return replace(ffi, bitcode=content)
