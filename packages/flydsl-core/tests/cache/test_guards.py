"""Guards notice that a value which a function reads has changed."""

from __future__ import annotations

from collections import OrderedDict
from types import CellType, MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from flydsl.cache import guards
from flydsl.cache.guards import MISSING, Guard, checker, class_attribute, snapshot


class Base:
    X = 1


class Derived(Base):
    pass


class Signed:
    def __init__(self) -> None:
        self.options = ("a",)

    def __cache_signature__(self) -> tuple[str, ...]:
        return self.options


def holds(guard: Guard) -> bool:
    """By the generated function, and by the one for a single test, which must say the same."""
    found = checker((guard,))()
    assert guards.holds(guard) is found
    return found


def test_item_guard_notices_a_new_value_and_a_removed_one() -> None:
    place: dict[str, Any] = {"x": "old"}
    guard = Guard("item", place, "x", place["x"])
    assert holds(guard)
    place["x"] = object()
    assert not holds(guard)
    del place["x"]
    assert not holds(guard)


def test_item_guard_notices_what_was_not_there_before() -> None:
    place: dict[str, Any] = {}
    guard = Guard("item", place, "x", MISSING)
    assert holds(guard)
    place["x"] = None
    assert not holds(guard)


def test_attribute_guard_notices_other_code_and_empty_cells() -> None:
    def function() -> int:
        return 1

    guard = Guard("attribute", function, "__code__", function.__code__)
    assert holds(guard)
    function.__code__ = (lambda: 2).__code__
    assert not holds(guard)

    cell = CellType(3)
    guard = Guard("attribute", cell, "cell_contents", cell.cell_contents)
    assert holds(guard)
    del cell.cell_contents
    assert not holds(guard)


def test_class_guard_notices_an_override_in_a_subclass(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = Guard("class", Derived, "X", class_attribute(Derived, "X"))
    assert holds(guard)
    monkeypatch.setattr(Derived, "X", 1, raising=False)
    assert holds(guard)  # the same object
    monkeypatch.setattr(Derived, "X", 2)
    assert not holds(guard)


@pytest.mark.parametrize(
    ("container", "change"),
    [
        ([1, 2], lambda c: c.append(3)),
        ([1, 2], lambda c: c.__setitem__(0, True)),
        ([1, 2], lambda c: c.reverse()),
        ({1, 2}, lambda c: c.add(3)),
        ({"a": 1}, lambda c: c.update(a=2)),
        ({"a": 1}, lambda c: c.update(b=c.pop("a"))),
        (OrderedDict(a=1, b=2), lambda c: c.move_to_end("a")),
        (vars(SimpleNamespace(a=1)), lambda c: c.update(a=1.0)),
    ],
)
def test_contents_guard_notices_every_change_in_place(container: Any, change: Any) -> None:
    guard = Guard("contents", container, "", snapshot(container))
    assert holds(guard)
    change(container)
    assert not holds(guard)


def test_signature_guard_asks_the_object() -> None:
    owner = Signed()
    guard = Guard("signature", owner, "", owner.__cache_signature__())
    assert holds(guard)
    owner.options = ("b",)
    assert not holds(guard)


def test_no_guards_always_hold() -> None:
    assert checker(())()


def test_guards_that_compare_identities_are_told_from_others() -> None:
    names, ordered, owner = {"x": 1}, OrderedDict(x=1), SimpleNamespace(x=1)
    plain = (
        *(Guard("item", names, "x", 1), Guard("item", names, "y", MISSING), Guard("attribute", owner, "x", 1)),
        *(Guard("contents", names, "", snapshot(names)), Guard("contents", vars(Base), "", snapshot(vars(Base)))),
    )
    others = (
        Guard("item", ordered, "x", 1),
        Guard("contents", ordered, "", snapshot(ordered)),
        Guard("signature", Signed(), "", ("a",)),
        Guard("class", Base, "X", 1),
        Guard("answer", lambda: 1, "", 1),
    )
    mixed = [*others[:2], *plain, *others[2:]]
    assert guards.split(mixed) == (plain, others)
    assert guards.split(()) == ((), ())


def test_the_dict_behind_a_view_is_found() -> None:
    names = {"x": 1}
    assert guards.plain_dict(names) is guards.plain_dict(MappingProxyType(names)) is names
    behind = guards.plain_dict(vars(Base))
    assert behind is not None
    assert behind.keys() == vars(Base).keys()
    assert guards.plain_dict(MappingProxyType(OrderedDict())) is guards.plain_dict([1]) is None
