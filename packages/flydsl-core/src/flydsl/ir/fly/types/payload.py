"""Base of the types that hold one value of the layout algebra, and the value behind whatever stands for one."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from xdsl.ir import Attribute

import flydsl.layout as fl
from flydsl.base.errors import FrontendError
from flydsl.ir.fly.base import FlyType
from flydsl.ir.fly.reader import Reader
from flydsl.layout.int_tuple import text as tuple_text


class PayloadType(FlyType):
    """Base of the types that hold one layout value, in `value`."""

    parse_at: ClassVar[staticmethod[[str, int], tuple[Any, int]]]
    """Parser of the value at a position of a text."""
    value: Any

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.payload(cls.parse_at))

    def body(self) -> str:
        return tuple_text(self.value) if isinstance(self.value, tuple) else str(self.value)

    @property
    def is_static(self) -> bool:
        return fl.is_static(self.value)


class StructuredType(PayloadType):
    """Base of int tuples and layouts: types of values with modes."""

    @property
    def rank(self) -> int:
        """Number of modes."""
        return fl.rank(self.value)

    @property
    def depth(self) -> int:
        """Nesting depth."""
        return fl.depth(self.value)

    @property
    def is_leaf(self) -> bool:
        """Whether there is one mode, which is no tuple."""
        return not isinstance(getattr(self.value, "shape", self.value), tuple)


def payload(value: object) -> Any:
    """The layout value behind a type, a value of the language, or nested tuples of them; None stands for `*`."""
    if value is None:
        return fl.STAR
    if isinstance(value, tuple | list):
        return tuple(payload(item) for item in value)
    if isinstance(value, PayloadType):
        return value.value
    if isinstance(value, Attribute):
        raise FrontendError(f"{value} is no type of a layout value")
    return getattr(value, "payload", value)
