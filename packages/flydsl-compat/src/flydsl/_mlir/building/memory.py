"""Loads and stores of vectors through tensors and pointers of the language, where MLIR's bindings have memrefs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flydsl._mlir.building.values import raw, type_of
from flydsl.backend.language import vector_class
from flydsl.base.errors import FrontendError
from flydsl.expr import Numeric, Pointer, Tensor, Vector, as_numeric


def load_vector(result: object, base: object, indices: Sequence[object], alignment: int | None = None, **_: Any) -> Any:
    """A vector or scalar from consecutive addresses; `alignment` in bytes is asserted of the first."""
    return _at("vector.load", base, indices, alignment).load(type_of(result))


def store_vector(
    value: object, base: object, indices: Sequence[object], alignment: int | None = None, **_: Any
) -> None:
    """Store a vector or scalar at consecutive addresses."""
    pointer = _at("vector.store", base, indices, alignment)
    known = value if isinstance(value, Vector | Numeric) else _of_language(value)
    if pointer.dtype is not None and known.dtype.ir_type_of() != pointer.dtype.ir_type_of():
        raise FrontendError(f"vector.store of {known!r} into memory of {pointer.dtype.__name__}; convert it first")
    pointer.store(known)


def _of_language(value: object) -> Any:
    found = raw(value)
    return Vector(found) if vector_class(found.type) is not None else as_numeric(found)


def _at(name: str, base: object, indices: Sequence[object], alignment: int | None) -> Pointer:
    if not isinstance(base, Tensor | Pointer):
        raise FrontendError(
            f"{name} takes a tensor or pointer of the language, found {base!r}; allocate shared memory with "
            "fx.SharedAllocator().allocate(...), which has .view(layout)"
        )
    where: list[Any] = [one if isinstance(one, int) else as_numeric(one) for one in indices]  # type: ignore[arg-type]
    whole = base.iter if isinstance(base, Tensor) else base
    offset = base.layout(*where) if isinstance(base, Tensor) else where[0]
    pointer: Pointer = whole + offset
    if alignment is None:
        return pointer
    kind = pointer.payload
    return pointer._recast(kind.get(kind.element, kind.space, alignment, kind.swizzle))
