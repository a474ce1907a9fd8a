"""The `vector` dialect of MLIR; its loads and stores are of tensors and pointers of the language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flydsl._mlir.building.dialect import lookup, names, star_names
from flydsl._mlir.building.memory import load_vector, store_vector
from flydsl._mlir.building.unknown import refuse

_MEMORY = "load and store vectors by vector.load and vector.store, or by fx.copy with a predicate"
_INSTEAD = dict.fromkeys(
    ("TransferReadOp", "TransferWriteOp", "transfer_read", "transfer_write", "gather", "scatter", "maskedload"), _MEMORY
)


def load(result: object, base: object, indices: Sequence[object], **options: Any) -> Any:
    """A vector of type `result` from consecutive addresses, from the element of `base` at `indices` on."""
    return load_vector(result, base, indices, **options)


def store(valueToStore: object, base: object, indices: Sequence[object], **options: Any) -> None:  # noqa: N803
    """Store a vector at consecutive addresses, from the element of `base` at `indices` on."""
    store_vector(valueToStore, base, indices, **options)


class LoadOp:
    """What `load` does, as a class; `.result` is the vector."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.result = load(*args, **kwargs)


class StoreOp:
    """What `store` does, as a class."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        store(*args, **kwargs)


def __getattr__(name: str) -> Any:
    """An operation or enumeration by its name in MLIR's bindings."""
    if name == "__all__":  # of a star import
        return star_names(__dir__())
    found = None if name in _INSTEAD else lookup("vector", name)
    return found if found is not None else refuse(__name__, name, names("vector"), _INSTEAD.get(name, ""))


def __dir__() -> list[str]:
    return sorted({*names("vector"), "LoadOp", "StoreOp", "load", "store"} - {*_INSTEAD})
