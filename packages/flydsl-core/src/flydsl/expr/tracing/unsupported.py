"""Names, attributes and operators that do not exist: errors that say what to write instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn, Self

from flydsl.base.errors import FrontendError

_ELSEWHERE = {
    "abs": "absf",
    "cdiv": "ceil_div",
    "make_tensor": "make_view",
    "maximum": "max",
    "minimum": "min",
    "pow": "powf",
    "program_id": "block_idx",
    "syncthreads": "barrier",
    "sync_threads": "barrier",
    "threadIdx": "thread_idx",
    "zeros": "full",
}
"""Names of other kernel languages and their counterparts here."""
_OTHER_LANGUAGES = {
    **dict.fromkeys(
        ("mean", "prod", "reduce", "sum"),
        "reduce a vector with x.load().reduce(fx.ReductionOp.ADD), threads with fx.coop.warp_reduce or "
        "fx.coop.BlockReduce",
    ),
    **dict.fromkeys(("where", "select"), "write condition.select(a, b)"),
    **dict.fromkeys(("dot", "mma", "matmul"), "multiply tiles with fx.gemm, vectors with (a * b).reduce(...)"),
    "warp_reduce": "it is fx.coop.warp_reduce",
    "block_reduce": "it is fx.coop.BlockReduce",
    "load": "read x[i], or all elements with x.load()",
    "store": "write x[i] = v, or all elements with x.store(v)",
    "relu": "write fx.max(x, 0.0)",
    "arange": "count with range, or with fx.thread_idx.x and fx.block_idx.x",
    **dict.fromkeys(("shared", "shared_array", "shared_memory"), "allocate with fx.SharedAllocator()"),
}
"""What other kernel languages have as functions, and what is written here."""
_NUMBER = "convert with .to(dtype), as in x[i].to(fx.Int32)"
_KEPT = "leave it out: a value of a kernel takes part in its operators as it is"
_INSTEAD = {
    **dict.fromkeys(("astype", "float", "half", "int", "type"), _NUMBER),
    **dict.fromkeys(("item", "numpy", "tolist"), _KEPT),
    **dict.fromkeys(("dim", "ndim"), "its rank is fx.rank(x)"),
    **dict.fromkeys(("numel", "size"), "how many elements it has is fx.size(x)"),
    **dict.fromkeys(("max", "min", "sum"), "reduce a vector of it, as in x.load().reduce(fx.ReductionOp.ADD)"),
}
_LOADED = "load its elements first, as in x[i].to(fx.Int32), or all of them: x.load().to(fx.Int32)"
_OF_TYPE = {
    **{("Tensor", name): _LOADED for name in ("astype", "float", "half", "int", "to", "type")},
    ("IntTuple", "to"): "make a number of one leaf by its type, as in fx.Int64(x.shape[0])",
}


def meant(name: str, known: Iterable[str]) -> str:
    """`did you mean 'make_layout'?`, or an empty string if no public name is close."""
    if name in _OTHER_LANGUAGES:
        return _OTHER_LANGUAGES[name]
    import difflib

    public = [one for one in known if not one.startswith("_")]
    close = [one for one in public if one == _ELSEWHERE.get(name)] or difflib.get_close_matches(name, public, n=2)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else ""


class NoAttributeError(FrontendError, AttributeError):
    """A mistake of the user's that is also the AttributeError that `hasattr` expects."""


class NoUnknownAttributes:
    """Base of the values of the language, which do not change: a copy is the value itself.

    Raises NoAttributeError, which says what to write instead, for unknown attributes.
    """

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            kind = type(self).__name__
            hint = _OF_TYPE.get((kind, name)) or _INSTEAD.get(name) or meant(name, dir(type(self)))
            raise NoAttributeError(f"{self!r} has no attribute {name!r}" + (f"; {hint}" if hint else ""))


class NoArithmetic:
    """Refuses the operators of numbers with an error that says what to write."""

    __slots__ = ()

    def _hint(self) -> str:
        """What this value is, and what to write, for the message."""
        raise NotImplementedError

    def _refuse(self, *_: object) -> NoReturn:
        raise FrontendError(f"{self!r} is {self._hint()}")

    def __eq__(self, other: object) -> Any:
        return True if self is other else self._refuse()

    __hash__ = object.__hash__

    if not TYPE_CHECKING:  # a type checker reports them at the call
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
        __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _refuse
        __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refuse
        __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _refuse
        __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __pos__ = __invert__ = __abs__ = _refuse
