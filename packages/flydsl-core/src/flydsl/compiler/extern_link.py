"""External functions with the bitcode that defines them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from flydsl.base.bitcode import is_bitcode
from flydsl.base.errors import ArgumentError, SettingError
from flydsl.expr import extern
from flydsl.expr.extern import ffi

__all__ = ["ExternFunction", "link_extern", "register_extern_resolver"]

Resolver = Callable[[str, str | None, object], tuple[str | PathLike[str] | None, object]]
"""`resolver(symbol, bitcode_path, module_init_fn)` gives the latter two as they are to be used."""

_RESOLVERS: list[Resolver] = []


def register_extern_resolver(resolver: Resolver) -> Resolver:
    """Ask `resolver` for the files of all functions that are linked from now on, after those registered before."""
    if not callable(resolver):
        raise ArgumentError(f"a resolver is a function of a symbol, a path and a function, found {resolver!r}")
    _RESOLVERS.append(resolver)
    return resolver


class _AllInOne(type):
    """The metaclass of `ExternFunction`: linked functions are its instances."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, extern.ExternFunction)


class ExternFunction(metaclass=_AllInOne):
    """`ExternFunction(symbol, arg_types, ret_type, bitcode_path=...)`: `link_extern(ffi(...), ...)` in one."""

    def __new__(  # type: ignore[misc]
        cls,
        symbol: str,
        arg_types: Sequence[str],
        ret_type: str = "void",
        is_pure: bool = False,
        *,
        bitcode_path: str | PathLike[str] | None = None,
        module_init_fn: object = None,
    ) -> extern.ExternFunction:
        """The linked function."""
        function = ffi(symbol, arg_types, ret_type, is_pure)
        return link_extern(function, bitcode_path=bitcode_path, module_init_fn=module_init_fn)


def link_extern(
    ffi: extern.ExternFunction,
    *,
    bitcode_path: str | PathLike[str] | None = None,
    module_init_fn: object = None,
) -> extern.ExternFunction:
    """`ffi`, whose calls link the LLVM bitcode in the file `bitcode_path` into their kernel.

    The file is read now; resolvers may name another. Functions of it that nothing calls are left out.
    """
    if not isinstance(ffi, extern.ExternFunction):
        raise ArgumentError(f"link_extern takes what ffi(...) gives, found {ffi!r}")
    for resolver in _RESOLVERS:
        given = None if bitcode_path is None else fspath(bitcode_path)
        bitcode_path, module_init_fn = resolver(ffi.symbol, given, module_init_fn)
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
