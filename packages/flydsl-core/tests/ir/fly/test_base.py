"""The base of attributes and types: equality, hash, text and parsing of Python parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import pytest
from xdsl.dialects.builtin import i32
from xdsl.ir import Dialect
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from flydsl.ir.context import create_context
from flydsl.ir.fly.base import FlyAttribute, FlyType, text_of
from flydsl.ir.fly.reader import Reader


@dataclass(frozen=True, eq=False, repr=False)
class Even(FlyType):
    """`!base_test.even<n>`."""

    name: ClassVar[str] = "base_test.even"
    number: int

    def body(self) -> str:
        return str(self.number)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.integer("an even number"))

    def verify(self) -> None:
        if self.number % 2:
            raise VerifyException(f"{self.number} is odd")


@dataclass(frozen=True, eq=False, repr=False)
class Also(Even):
    """Another class with the same fields."""

    name: ClassVar[str] = "base_test.also"


@dataclass(frozen=True, eq=False, repr=False)
class Empty(FlyAttribute):
    """`#base_test.empty`."""

    name: ClassVar[str] = "base_test.empty"


DIALECT = Dialect("base_test", [], [Even, Also, Empty])


def parser(text: str) -> Parser:
    return Parser(create_context([DIALECT]), text)


def test_text_is_name_and_body_and_reads_back() -> None:
    assert str(Even(4)) == repr(Even(4)) == text_of(Even(4)) == "!base_test.even<4>"
    assert str(Empty()) == "#base_test.empty"
    assert text_of(i32) == "i32"
    assert parser("!base_test.even<4>").parse_type() == Even(4)
    assert parser("#base_test.empty").parse_attribute() == Empty()


def test_equal_parameters_of_one_class_are_equal() -> None:
    assert Even(4) == Even(4)
    assert hash(Even(4)) == hash(Even(4))
    assert Even(4) != Even(6)
    assert Even(4) != Also(4)
    assert {Even(4): "found"}[Even(4)] == "found"
    assert Even(4).key == (4,)


def test_wrong_parameters_are_refused_when_made_and_when_parsed() -> None:
    with pytest.raises(VerifyException, match="3 is odd"):
        Even(3)
    with pytest.raises(ParseError, match="3 is odd") as caught:
        parser("!base_test.even<3>").parse_type()
    assert caught.value.span.start == len("!base_test.even")


@pytest.mark.parametrize("text", ["!base_test.even<4", "!base_test.even<4, 5>", "!base_test.even<>"])
def test_the_body_ends_with_its_bracket(text: str) -> None:
    with pytest.raises(ParseError):
        parser(text).parse_type()


def test_types_name_their_kind_and_are_not_static_unless_they_say_so() -> None:
    assert (Even(4).typeid, Even(4).static_typeid, Even(4).is_static) == ("base_test.even", "base_test.even", False)
