"""The native reader's part of a site: what the reader is told of arguments and plans, and when there is none."""

from __future__ import annotations

import sys
from enum import Enum
from struct import Struct
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.call_sites import Served

import flydsl.expr as fx
from flydsl.cache.guards import Guard, snapshot
from flydsl.compiler.call import native_site
from flydsl.compiler.call.native_site import INTERFACE, describe_reader, reader
from flydsl.frontend.signature import Parameter
from flydsl.plugins.active.selection import choice

TENSOR, COUNT = Parameter("x", "tensor"), Parameter("n", "scalar", fx.Int32)


class FakeReader:
    """Stands for the reader in C: tells calls apart by nothing, and keeps what it is told."""

    def __init__(self, *told: Any) -> None:
        self.told, self.plans, self.word = told, [], b"key"

    def launch(self, *leaves: Any) -> str:
        return "launched"

    def key(self, *leaves: Any) -> bytes | None:
        return self.word

    def add(self, *plan: Any) -> bool:
        self.plans.append(plan)
        return True


def served_function() -> None:
    """Functions can get attributes, which no guard watches."""


class Mode(Enum):
    FAST = 1
    SLOW = 2


def test_what_constants_rest_on_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, int] = {"x": 1}
    guard, other = (Guard("contents", names, "", snapshot(names)), Guard("attribute", Mode.FAST, "name", "FAST"))
    answers = [True, False]
    checks = native_site.ConstantChecks(lambda: answers.pop(), ())
    assert not checks()
    assert checks()
    checks = native_site.ConstantChecks(None, [other])
    assert checks.add([guard, other])
    assert checks()
    names["y"] = 2
    assert not checks()
    assert not checks.add([Guard("contents", names, "", snapshot(names))]), "plans of before may still be there"
    many = [Guard("item", {"x": 1}, "x", 1) for _ in range(300)]
    assert not native_site.ConstantChecks(None, ()).add(many)


def test_the_dict_of_a_class_is_watched_once() -> None:
    checks = native_site.ConstantChecks(None, ())
    for _ in range(3):
        assert checks.add([Guard("contents", vars(Mode), "", snapshot(vars(Mode)))])
    assert len(checks._guards) == 1
    assert native_site._described(Guard("contents", vars(Mode), "", ()))[1].keys() == vars(Mode).keys()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_site, "_installed", lambda: (FakeReader, "a fake"))
    monkeypatch.setenv("FLYDSL_RUNTIME_NATIVE_READER", "1")


def fake_of(served: Served) -> Any:
    assert served.site.native is not None
    return served.site.native._site


@pytest.mark.usefixtures("fake")
def test_the_reader_is_told_how_each_argument_is_read() -> None:
    x, pair = np.zeros((2, 3), np.float32), object()
    parameters = [TENSOR, Parameter("a", "any"), Parameter("c", "constexpr"), Parameter("s", "stream"), COUNT]
    served = Served(parameters, (x, 5, "code", None, 7), 4, pair=pair, is_current=bool)
    descriptions, defaults, stub, _, fail, guards, is_current, current_stream, written = fake_of(served).told
    assert descriptions[0][:2] == ("header", np.ndarray)
    assert descriptions[1:] == (("number", "n"), ("constant", str, {}), ("no stream", type(None)), ("number", "i"))
    assert (defaults, stub, is_current) == ((7,), served.pure.stub, bool)
    assert guards == (("attribute", choice, "pair", pair),)
    assert (fail, current_stream, written) == (served.failures.append, None, ())
    assert served.site.serve() == "launched"


@pytest.mark.usefixtures("fake")
def test_nothing_is_asked_of_a_default_stream_that_is_none() -> None:
    stream = Parameter("s", "stream")
    for passed, expected in ((1, "no stream"), (2, "stream")):
        served = Served([COUNT, stream], (1, fx.Stream(None)), passed)
        assert fake_of(served).told[0][1][0] == expected


@pytest.mark.usefixtures("fake")
def test_a_plan_is_handed_on_with_what_its_pointers_belong_to() -> None:
    x = np.zeros((2, 3), np.float32)
    served = Served([TENSOR, COUNT], (x, 1))
    ((key, leaves, parts, (address, *rest), device, plan),) = fake_of(served).plans
    assert (key, leaves[0], leaves[1], rest, device) == (b"key", x, 1, [0x10, 0x20, 3], None)
    assert parts == ((3, np.array([2, 3], np.int32).tobytes() + np.array([3], np.int64).tobytes()), None)
    assert plan is next(iter(served.pure.plans.values()))
    assert address


@pytest.mark.usefixtures("fake")
def test_a_plan_is_kept_from_the_reader_when_it_could_not_launch_it() -> None:
    served = Served([COUNT], (1,))
    native, (plan,) = served.site.native, served.pure.plans.values()
    assert native is not None
    fake_of(served).word = None
    native.add((1,), plan)
    fake_of(served).word = b"key"
    native.add((1,), (lambda *_: 0, *plan[1:]))
    native.add((1,), (*plan[:4], Struct("<q").pack, *plan[5:]))
    assert len(fake_of(served).plans) == 1


@pytest.mark.usefixtures("fake")
def test_a_plan_that_the_stub_has_is_learned_and_others_are_not() -> None:
    served = Served([COUNT], (1,))
    learn = fake_of(served).told[3]
    learn((5,))
    assert len(fake_of(served).plans) == 2
    served.pure.plans.clear()
    learn((5,))
    assert len(fake_of(served).plans) == 2


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("parameter, value", [
    (Parameter("n", "scalar", fx.Float16), 1.0),
    (Parameter("n", "scalar", fx.BFloat16), 1.0),
    (Parameter("n", "any"), fx.Int32(3)),
    (Parameter("n", "scalar", fx.Float32), np.float32(1)),
    (Parameter("c", "constexpr"), [1, 2]),
    (Parameter("c", "constexpr"), served_function),
])  # fmt: skip
def test_unusual_arguments_are_left_to_the_stub(parameter: Parameter, value: Any) -> None:
    assert not Served([parameter], (value,)).is_native


def test_a_reader_that_refuses_what_it_is_told_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*told: Any) -> Any:
        raise ValueError("too many")

    monkeypatch.setattr(native_site, "_installed", lambda: (refuse, "a fake"))
    served = Served([COUNT], (1,))
    assert not served.is_native
    assert served.site.serve is served.pure.stub


def test_the_setting_switches_it_off(fake: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (reader(), describe_reader()) == (FakeReader, "a fake")
    monkeypatch.setenv("FLYDSL_RUNTIME_NATIVE_READER", "0")
    assert (reader(), describe_reader()) == (None, "generated stubs: FLYDSL_RUNTIME_NATIVE_READER is off")
    assert not Served([COUNT], (1,)).is_native


@pytest.mark.parametrize("interface", [None, INTERFACE, INTERFACE + 1])
def test_a_reader_of_another_interface_is_not_used(interface: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("flydsl_reader")
    module.INTERFACE, module.Site = interface, FakeReader
    monkeypatch.setitem(sys.modules, "flydsl_reader", None if interface is None else module)
    make, reason = native_site._installed.__wrapped__()
    assert (make is FakeReader) == (interface == INTERFACE)
    assert {None: "not installed", INTERFACE: "in C"}.get(interface, "is needed") in reason
