"""Base classes of Fly attributes and types: frozen dataclasses, printed as `name<body>`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any, ClassVar, Self

from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from flydsl.base.errors import FlyDSLError
from flydsl.ir.fly.reader import Reader


class FlyAttribute(ParametrizedAttribute):
    """Base of attributes whose parameters are Python values.

    A subclass is a `@dataclass(frozen=True, eq=False, repr=False)` with a `name`, the text of its parameters (`body`)
    and their reader (`read`). Text and hash are computed once: these objects are keys of every cache.
    """

    sigil: ClassVar[str] = "#"

    def body(self) -> str:
        """The text between `<` and `>`; empty when there are no parameters."""
        return ""

    @classmethod
    def read(cls, reader: Reader) -> Self:
        """Read what `body` prints."""
        return cls()

    def verify(self) -> None:
        """Raise `VerifyException` when the parameters do not fit."""

    @cached_property
    def text(self) -> str:
        """The whole spelling, as in MLIR text."""
        body = self.body()
        return f"{self.sigil}{self.name}<{body}>" if body else f"{self.sigil}{self.name}"

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """The fields, in order: two attributes of one class are equal when their keys are."""
        return tuple(getattr(self, field.name) for field in fields(self))

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.key))

    def __post_init__(self) -> None:
        self.verify()

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and self.key == other.key)

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    @property
    def parameters(self) -> tuple[Attribute, ...]:
        return ()

    @classmethod
    def new(cls, params: Sequence[Attribute]) -> Self:
        """xDSL's constructor from parsed parameters: `parse_parameters` made the whole attribute already."""
        return params[0] if params else cls()  # type: ignore[return-value]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        reader = Reader(parser)
        start = reader.position
        bracketed = reader.accept("<")
        try:
            attribute = cls.read(reader)
        except (FlyDSLError, VerifyException) as error:
            parser.raise_error(str(error), start, max(start, reader.position))
        if bracketed:
            reader.expect(">")
        reader.finish()
        return (attribute,)

    def print_parameters(self, printer: Printer) -> None:
        if body := self.body():
            printer.print_string(f"<{body}>")


class FlyType(FlyAttribute, TypeAttribute):
    """Base of types whose parameters are Python values."""

    sigil: ClassVar[str] = "!"

    @property
    def static_typeid(self) -> str:
        """The name of the kind of type, the same for all types of a kind."""
        return self.name

    @property
    def typeid(self) -> str:
        """The name of the kind of this type."""
        return self.name

    @property
    def is_static(self) -> bool:
        """True when everything about a value is in its type. Pointers and tensors of memory never are."""
        return False


def text_of(attribute: Attribute) -> str:
    """MLIR text of any attribute or type."""
    return attribute.text if isinstance(attribute, FlyAttribute) else str(attribute)
