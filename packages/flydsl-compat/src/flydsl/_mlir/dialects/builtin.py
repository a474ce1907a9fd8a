"""What kernels use of MLIR's `builtin` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flydsl._mlir.building.unknown import refuse
from flydsl._mlir.building.values import address, raw, type_of, wrapped
from flydsl.backend.language import current
from flydsl.base.errors import FrontendError
from flydsl.expr import Pointer, Tensor


class UnrealizedConversionCastOp:
    """One value seen as another type of the same bits: an address as `!llvm.ptr`, a vector as another.

    There is no operation that stands for a conversion to come: types that no instruction converts are refused.
    """

    def __init__(self, outputs: Sequence[object], inputs: Sequence[Any], **_: Any) -> None:
        types = [type_of(one) for one in outputs]
        if len(types) != len(inputs):
            raise FrontendError(f"a cast gives a value for each value, found {len(inputs)} for {len(types)} types")
        self.results = [_cast(kind, value) for kind, value in zip(types, inputs, strict=True)]

    @property
    def result(self) -> Any:
        """The only result."""
        if len(self.results) != 1:
            raise FrontendError(f"the cast has {len(self.results)} results, not one")
        return self.results[0]


def unrealized_conversion_cast(outputs: Sequence[object], inputs: Sequence[Any]) -> Any:
    """The value or values of `UnrealizedConversionCastOp`."""
    results = UnrealizedConversionCastOp(outputs, inputs).results
    return results[0] if len(results) == 1 else results


def __getattr__(name: str) -> Any:
    """What is not here."""
    refuse(__name__, name, ("UnrealizedConversionCastOp", "unrealized_conversion_cast"))


def _cast(kind: Any, value: Any) -> Any:
    if isinstance(value, Tensor | Pointer) and kind.name == "llvm.ptr":
        return address(value, getattr(kind.addr_space, "data", 0) or 0)
    source = raw(value)
    names = (str(source.type), str(kind))
    if source.type == kind:
        return wrapped(source)
    if "index" in names:
        return wrapped(current().value("arith.index_cast", [source], kind))
    if source.type.name == kind.name == "llvm.ptr":
        return current().value("llvm.addrspacecast", [source], kind)
    if source.type.name == "llvm.ptr" or kind.name == "llvm.ptr":
        name = "llvm.ptrtoint" if source.type.name == "llvm.ptr" else "llvm.inttoptr"
        return wrapped(current().value(name, [source], kind))
    return wrapped(current().value("llvm.bitcast", [source], kind))
