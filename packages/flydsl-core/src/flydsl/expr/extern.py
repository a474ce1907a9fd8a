"""External functions: calls of symbols that LLVM bitcode defines, which is linked into the kernel.

scale = link_extern(ffi("scale", ["float32", "int32"], "float32"), bitcode_path="scale.bc")

@flyc.kernel
def kernel(x: fx.Tensor):
    x[0] = scale(x[0], 3)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from flydsl.base.errors import ArgumentError, FrontendError, SettingError
from flydsl.expr.numeric import Float32, Float64, Int32, Int64, Numeric, Uint32, Uint64, as_numeric
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import ScalarLike

__all__ = ["ExternFunction", "ffi"]

_TYPES: dict[str, type[Numeric]] = {
    "int32": Int32,
    "uint32": Uint32,
    "int64": Int64,
    "uint64": Uint64,
    "float32": Float32,
    "float64": Float64,
}


@dataclass(frozen=True, slots=True)
class ExternFunction:
    """A function of a symbol: calling it in a kernel emits a call.

    Types are int32, uint32, int64, uint64, float32 and float64; `ret_type` may be "void". `is_pure` says that the
    result depends on nothing but the arguments; LLVM sees that itself in what it links.
    """

    symbol: str
    arg_types: tuple[str, ...]
    ret_type: str = "void"
    is_pure: bool = False
    bitcode: bytes = field(default=b"", repr=False)
    """What defines the symbol, as it was when it was linked; empty when a device library does."""

    def __call__(self, *args: ScalarLike) -> Numeric | None:
        """The result; integers are truncated or extended to the declared types."""
        emitter = current()
        emitter.require_kernel(f"external function {self.symbol!r}")
        kinds = [self._type(name) for name in self.arg_types]
        result = None if self.ret_type == "void" else self._type(self.ret_type)
        if len(args) != len(kinds):
            raise FrontendError(
                f"external function {self.symbol!r} takes {len(kinds)} arguments "
                f"({', '.join(self.arg_types)}), found {len(args)}"
            )
        operands = [self._operand(kind, value) for kind, value in zip(kinds, args, strict=True)]
        value = emitter.session.call_external(self.symbol, operands, result and result.ir_type_of(), self.bitcode)
        return None if result is None else result.wrap(value)

    def __cache_signature__(self) -> tuple[object, ...]:
        """What the cache must know."""
        return (self.symbol, self.arg_types, self.ret_type, self.is_pure, sha256(self.bitcode).hexdigest())

    def _operand(self, kind: type[Numeric], value: ScalarLike) -> object:
        number = as_numeric(value)
        if number.is_float and not kind.is_float:
            raise FrontendError(
                f"external function {self.symbol!r} takes {kind.__name__}, found {number!r}; convert it: .to(...)"
            )
        return kind(number).ir_value()

    def _type(self, name: str) -> type[Numeric]:
        if name not in _TYPES:
            raise SettingError(
                f"external function {self.symbol!r} has no type {name!r}; types are {', '.join(_TYPES)}, and void "
                "for no result"
            )
        return _TYPES[name]


def ffi(
    symbol: str, arg_types: Sequence[str], ret_type: str = "void", is_pure: bool = False, **options: object
) -> ExternFunction:
    """An external function by its symbol and the names of its types; `link_extern` gives it bitcode."""
    if options:
        raise ArgumentError(
            f"ffi takes a symbol and its types, found {', '.join(options)}; what defines it is given by "
            "flydsl.compiler.extern_link.link_extern(ffi(...), bitcode_path=...)"
        )
    if not isinstance(symbol, str) or not symbol.replace(".", "_").isidentifier():
        raise ArgumentError(f"an external function has the name of a symbol, found {symbol!r}")
    if isinstance(arg_types, str) or not all(isinstance(name, str) for name in (*arg_types, ret_type)):
        raise ArgumentError(f"external function {symbol!r}: types are names such as 'int32', found {arg_types!r}")
    return ExternFunction(symbol, tuple(arg_types), ret_type, bool(is_pure))
