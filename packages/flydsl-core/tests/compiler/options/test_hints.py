"""Compile hints: checked, copied, told when they change, and part of the key."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from flydsl.base.errors import ArgumentError
from flydsl.compiler.options.hints import NO_HINTS, CompileHints, frozen_hints, hint_keys
from flydsl.testing.fakes import FakeBackend, fake_backend
from flydsl.testing.sandbox import PluginSandbox

CHANGES = {
    "item": lambda hints: hints.__setitem__("a", 1),
    "delete": lambda hints: hints.__delitem__("old"),
    "update": lambda hints: hints.update(a=1),
    "or": lambda hints: hints.__ior__({"a": 1}),
    "pop": lambda hints: hints.pop("old"),
    "popitem": lambda hints: hints.popitem(),
    "clear": lambda hints: hints.clear(),
    "setdefault": lambda hints: hints.setdefault("a", 1),
}


@pytest.mark.parametrize("change", list(CHANGES.values()), ids=list(CHANGES))
def test_every_change_is_told(change: object) -> None:
    changed = Mock()
    hints = CompileHints(changed)
    dict.__setitem__(hints, "old", 1)
    change(hints)  # type: ignore[operator]
    changed.assert_called_once_with()


def test_a_change_that_fails_is_told_too() -> None:
    changed = Mock()
    with pytest.raises(KeyError):
        del CompileHints(changed)["none"]
    changed.assert_called_once_with()


def test_checked_hints_are_a_copy_that_cannot_change() -> None:
    given = {"opt_level": 3}
    hints = frozen_hints(given)
    given["opt_level"] = 0
    assert hints == {"opt_level": 3}
    with pytest.raises(TypeError):
        hints["opt_level"] = 1  # type: ignore[index]
    assert frozen_hints({}) is NO_HINTS


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        (3, "compile hints are a mapping such as {'opt_level': 3}, found 3"),
        ({"opt_level": [1]}, "a compile hint is a name with a number, string, bool, None or tuple of them"),
        ({1: 2}, "a compile hint is a name with"),
        ({"opt_level": 4}, "compile hint 'opt_level' is an integer from 0 to 3, found 4"),
        ({"opt_level": True}, "compile hint 'opt_level' is an integer from 0 to 3, found True"),
        (
            {"fastness": 1},
            "no compile hint 'fastness'; known: debug_info, fast_fp_math, .*, unsafe_fp_math, waves",
        ),
    ],
)
def test_what_cannot_be_a_hint(isolated_plugins: PluginSandbox, hints: object, message: str) -> None:
    class Waving(FakeBackend):
        hints = frozenset({"waves"})

    isolated_plugins.register(fake_backend(factory=Waving))
    assert frozen_hints({"waves": (1, (2, "x"))}) == {"waves": (1, (2, "x"))}
    with pytest.raises(ArgumentError, match=message):
        frozen_hints(hints)


def test_the_key_holds_them_sorted_by_name() -> None:
    assert list(hint_keys({"b": "x", "a": 1.0}).items()) == [("hint.a", "1.0"), ("hint.b", "'x'")]


def test_options_of_llvm_are_a_mapping_that_is_not_changed_in_place():
    changes = []
    hints, given = CompileHints(lambda: changes.append(None)), {"enable-post-misched": False}
    hints["llvm_options"] = given
    given["other"] = 1
    assert hints["llvm_options"] == {"enable-post-misched": False}
    with pytest.raises(TypeError):
        hints["llvm_options"]["other"] = 1
    hints.update(llvm_options={"b": "x", "a": 2})
    assert frozen_hints(hints)["llvm_options"] == (("a", 2), ("b", "x"))
    assert len(changes) == 2


def test_flags_of_float_arithmetic_are_those_of_the_most_exact_hint():
    from flydsl.compiler.options.hints import fast_math_of
    from flydsl.expr.numbers.fast_math import FastMathFlags as Flags

    assert fast_math_of({}) == 0
    assert fast_math_of({"fast_fp_math": True}) == Flags.fast
    assert fast_math_of({"unsafe_fp_math": True}) == Flags.fast & ~(Flags.nnan | Flags.ninf)
    assert fast_math_of({"fastmath": "contract", "fast_fp_math": True}) == Flags.contract
    assert fast_math_of({"fastmath": None, "fast_fp_math": None}) == 0
