"""Arguments of prepared calls made to fit: compile-time values filled in, tensors marked as those of the code are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from flydsl.adaptors.resolve import claiming_adaptor
from flydsl.base.errors import ArgumentError, FlyDSLError
from flydsl.compiler.call.tensor_argument import TensorArgument

if TYPE_CHECKING:
    from flydsl.compiler.call.bound_call import BoundCall

Mould = Callable[[Any], TensorArgument]


class Fits(NamedTuple):
    """What the code of a call takes, by position; it keeps no argument but compile-time values and defaults."""

    names: Sequence[str]
    constants: dict[int, Any]
    """The compile-time values, by position."""
    moulds: dict[int, Mould | None]
    """What marks a tensor as the code's own is, by position; None where that is not marked."""
    defaults: tuple[Any, ...] = ()
    """Of the last parameters, which the call that was compiled left out."""

    @classmethod
    def of(cls, call: BoundCall, given: int) -> Self:
        """What the code of `call` takes, whose first `given` arguments are no defaults."""
        pairs = list(enumerate(zip(call.parameters, call.values, strict=True)))
        constants = {i: value for i, (parameter, value) in pairs if parameter.kind == "constexpr"}
        moulds = {
            i: value.mould() if isinstance(value, TensorArgument) else None
            for i, (_, value) in pairs
            if isinstance(value, TensorArgument) or claiming_adaptor(type(value)) is not None
        }
        return cls([parameter.name for parameter in call.parameters], constants, moulds, call.values[given:])

    def changes(self, types: Sequence[type]) -> bool:
        """Whether `fitted` changes some argument of these types."""
        return any(self._changes(i, kind) for i, kind in enumerate(types))

    def _changes(self, index: int, kind: type) -> bool:
        if index not in self.moulds:
            return False
        is_marked = issubclass(kind, TensorArgument)
        if self.moulds[index] is None:
            return is_marked
        return not is_marked and claiming_adaptor(kind) is not None

    def fitted(self, function: str, args: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments of one call as the code takes them; ArgumentError for another number of them."""
        return tuple(self._fitted(i, value) for i, value in enumerate(self._completed(function, args)))

    def _fitted(self, index: int, value: Any) -> Any:
        if not self._changes(index, type(value)):
            return value
        mould = self.moulds[index]
        if mould is None:
            return value.tensor
        try:
            return mould(value)
        except FlyDSLError as error:
            error.amend(before=f"argument {self.names[index]!r}: ")
            raise

    def _completed(self, function: str, args: Sequence[Any]) -> Sequence[Any]:
        """All arguments: those of a call that leaves out what the compiled one did, or compile-time values, or both."""
        given = len(self.names) - len(self.defaults)
        if len(args) == len(self.names):
            return args
        # as many as were given can also be all but compile-time values: those tell, which are the same in each call
        if len(args) == given and (len(args) != len(self.names) - len(self.constants) or self._has_constants(args)):
            return *args, *self.defaults
        for count, defaults in ((len(self.names), ()), (given, self.defaults)):
            constants = [i for i in self.constants if i < count]
            if len(args) == count - len(constants):
                rest = iter(args)
                return *(self.constants[i] if i in constants else next(rest) for i in range(count)), *defaults
        raise ArgumentError(
            f"{function} was compiled for {given} arguments ({', '.join(self.names[:given])}), "
            f"found {len(args)}; pass as many{self._advice()}"
        )

    def _has_constants(self, args: Sequence[Any]) -> bool:
        """Whether compile-time values stand in their places, with the values of the code."""
        given = {i: value for i, value in self.constants.items() if i < len(args)}
        return all(type(args[i]) is type(value) and args[i] == value for i, value in given.items())

    def _advice(self) -> str:
        names = ", ".join(self.names[i] for i in self.constants)
        return f", or leave out the compile-time arguments ({names}), all of them" if names else ""
