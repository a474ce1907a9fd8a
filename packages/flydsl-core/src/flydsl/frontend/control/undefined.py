"""Stand-ins for variables without a value."""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import FrontendError

RETURNED = "the returned value"


def variable(name: str) -> str:
    """The name of a variable in a message; a description of several words is used as it is."""
    return name if " " in name else f"variable {name!r}"


def undefined(name: str, why: str) -> Undefined:
    """The stand-in for a variable that cannot be carried; raises at once for a description, which is always read."""
    if " " in name:
        raise FrontendError(f"{name} {why}")
    return Undefined(name, why)


class Undefined:
    """A variable without a value, or with one that no region can yield; any use raises an error that says why."""

    def __init__(
        self, name: str, why: str = "has no value on some path through a dynamic branch or loop; assign it before"
    ) -> None:
        object.__setattr__(self, "_text", f"{variable(name)} {why}")

    def fail(self, *_: Any, **__: Any) -> Any:
        """Raise the error that says why there is no value."""
        raise FrontendError(object.__getattribute__(self, "_text"))

    __getattr__ = __call__ = __getitem__ = __iter__ = __bool__ = __len__ = __index__ = fail
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = fail
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = fail
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = fail
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __abs__ = __int__ = __float__ = fail
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __invert__ = __setattr__ = __setitem__ = __delitem__ = fail
    __eq__ = __ne__ = __hash__ = __matmul__ = __rmatmul__ = __contains__ = __repr__ = __str__ = __format__ = fail


class Absent(Undefined):
    """The returned value before any `return` was reached: never read, so any value may replace it."""

    def __init__(self) -> None:
        super().__init__(RETURNED)


class Emptied(Undefined):
    """An attribute after the region that filled it: `is None` is true of it, and any other use is an error.

    A program that asks fills it again; one that does not took it for something that the device decides.
    """

    asked: bool

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the attribute {name}",
            "was filled in a dynamic branch or loop, which the device may not enter; fill it before, or again where it "
            "is None",
        )
        object.__setattr__(self, "asked", False)

    @staticmethod
    def ask(value: Any) -> Any:
        """None for an emptied attribute, which is to be filled then; any other value as it is."""
        if not isinstance(value, Emptied):
            return value
        object.__setattr__(value, "asked", True)
        return None


def is_empty(value: Any) -> bool:
    """Whether an attribute holds nothing, or held nothing before a region that filled it."""
    return value is None or isinstance(value, Emptied)
