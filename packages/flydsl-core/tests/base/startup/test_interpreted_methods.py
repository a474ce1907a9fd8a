"""Methods of dataclasses by their fields, against the ones that `dataclasses` compiles."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar

import pytest

from flydsl.base.startup.interpreted_methods import interpreted


@dataclass
class Base:
    x: int
    tags: list[str] = field(default_factory=list)


@dataclass(kw_only=True)
class Child(Base):
    limit: ClassVar[int] = 9
    y: float = 2.5
    secret: int = field(default=7, compare=False)
    z: str

    def __post_init__(self) -> None:
        self.after = (self.x, self.z)


@dataclass(frozen=True, slots=True)
class Frozen:
    x: int
    y: tuple[int, ...] = ()
    note: str = field(default="", hash=False)


def refused(instance: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> None:
        raise TypeError(f"compiled: {args} {kwargs}")

    return call


def made(cls: type, *args: Any, **kwargs: Any) -> Any:
    construct = interpreted("__init__", cls, refused)
    assert construct is not None
    instance = object.__new__(cls)
    construct(instance, *args, **kwargs)
    return instance


CALLS: list[tuple[type, tuple[Any, ...], dict[str, Any]]] = [
    (Base, (1,), {}),
    (Base, (1, ["a"]), {}),
    (Base, (), {"tags": [], "x": 3}),
    (Child, (1,), {"z": "q"}),
    (Child, (1, ["b"]), {"z": "q", "y": 1.0, "secret": 0}),
    (Frozen, (1, (2, 3), "n"), {}),
    (Frozen, (1,), {"note": "n"}),
]


@pytest.mark.parametrize(("cls", "args", "kwargs"), CALLS)
def test_an_instance_is_the_one_that_the_constructor_makes(cls: Any, args: Any, kwargs: Any) -> None:
    ours, theirs = made(cls, *args, **kwargs), cls(*args, **kwargs)
    assert ours == theirs
    assert repr(ours) == repr(theirs)
    assert getattr(ours, "after", None) == getattr(theirs, "after", None)
    assert interpreted("__eq__", cls, refused)(ours, theirs)  # type: ignore[misc]


def test_each_instance_has_a_default_of_its_own() -> None:
    assert made(Base, 1).tags is not made(Base, 1).tags


@pytest.mark.parametrize(
    ("cls", "args", "kwargs"),
    [
        (Base, (), {}),
        (Base, (1, [], 3), {}),
        (Base, (1,), {"x": 2}),
        (Base, (1,), {"q": 2}),
        (Child, (1, [], 2.5), {"z": "q"}),
        (Child, (1,), {}),
    ],
)
def test_a_call_that_cannot_be_is_left_to_the_compiled_constructor(cls: Any, args: Any, kwargs: Any) -> None:
    with pytest.raises(TypeError):
        cls(*args, **kwargs)
    with pytest.raises(TypeError, match="compiled"):
        made(cls, *args, **kwargs)


def test_equality_goes_by_the_fields_that_are_compared() -> None:
    equal = interpreted("__eq__", Child, refused)
    assert equal is not None
    one = Child(1, z="a")
    assert equal(one, Child(1, z="a", secret=3)) is True
    assert equal(one, Child(1, z="b")) is False
    assert equal(one, Base(1)) is NotImplemented


def test_a_hash_is_the_compiled_one() -> None:
    ours = interpreted("__hash__", Frozen, refused)
    assert ours is not None
    assert ours(Frozen(1, (2,), "a")) == hash(Frozen(1, (2,), "a")) == hash(Frozen(1, (2,), "b"))


def test_what_the_fields_do_not_say_is_compiled() -> None:
    @dataclass
    class WithArgument:
        x: int
        start: InitVar[int]

    @dataclass
    class Computed:
        x: int
        y: int = field(init=False)

    assert interpreted("__init__", WithArgument, refused) is None
    assert interpreted("__init__", Computed, refused) is None
    assert interpreted("__repr__", Base, refused) is None
