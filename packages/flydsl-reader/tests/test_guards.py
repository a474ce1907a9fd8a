"""Guards that the reader tests itself: items of dicts and attributes, by identity, with the stub's answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from support.call_sites import Served

import flydsl.expr as fx
from flydsl.cache.guards import MISSING, Guard
from flydsl.frontend.signature import Parameter

COUNT = Parameter("n", "scalar", fx.Int32)


def served(*guards: Guard, **options: Any) -> Served:
    return Served([COUNT], (1,), guards=guards, **options)


def test_an_item_that_changes_or_goes_is_noticed() -> None:
    value, names = [1], {"x": 0}
    names["x"] = value  # type: ignore[assignment]
    site = served(Guard("item", names, "x", value))
    for held, outcome in ((value, "launched"), ([1], "missed"), (None, "missed"), (value, "launched")):
        names["x"] = held  # type: ignore[assignment]
        assert site.agreed(1)[0] == outcome
    del names["x"]
    assert site.agreed(1)[0] == "missed"


def test_an_item_that_appears_is_noticed() -> None:
    names: dict[str, Any] = {}
    site = served(Guard("item", names, "x", MISSING))
    assert site.agreed(1)[0] == "launched"
    names["x"] = None
    assert site.agreed(1)[0] == "missed"


def test_an_attribute_that_changes_or_goes_is_noticed() -> None:
    owner, code = SimpleNamespace(x=5), object()
    owner.x = code
    site = served(Guard("attribute", owner, "x", code))
    assert site.agreed(1)[0] == "launched"
    owner.x = object()
    assert site.agreed(1)[0] == "missed"
    del owner.x
    assert site.agreed(1)[0] == "missed"


def test_code_and_defaults_of_functions_are_attributes() -> None:
    def function(x: int = 3) -> int:
        return x

    other = (lambda: lambda x=4: x)()
    site = served(
        *(Guard("attribute", function, name, getattr(function, name)) for name in ("__code__", "__defaults__"))
    )
    assert site.agreed(1)[0] == "launched"
    before, function.__defaults__ = function.__defaults__, (4,)
    assert site.agreed(1)[0] == "missed"
    function.__defaults__ = before
    assert site.agreed(1)[0] == "launched"
    function.__code__ = other.__code__
    assert site.agreed(1)[0] == "missed"


def test_all_guards_and_what_tells_the_rest_must_hold() -> None:
    names, state = {"x": 1, "y": 2}, {"current": True}
    guards = [Guard("item", names, name, names[name]) for name in names]
    site = served(*guards, is_current=lambda: state["current"])
    assert site.agreed(1)[0] == "launched"
    state["current"] = False
    assert site.agreed(1)[0] == "missed"
    state["current"], names["y"] = True, 3
    assert site.agreed(1)[0] == "missed"
    names["y"] = 2
    assert site.agreed(1)[0] == "launched"


def test_an_error_of_an_attribute_is_left_to_the_stub_and_an_interrupt_is_not() -> None:
    class Owner:
        raised: type[BaseException] = ValueError

        @property
        def x(self) -> object:
            raise self.raised

    site = served(Guard("attribute", Owner(), "x", 1))
    assert site.agreed(1)[0] == "missed"
    Owner.raised = KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        site.site.serve(1)
