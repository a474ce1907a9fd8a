"""Shortcuts of a call site: which plan a comparison of tensors leads to, and when there is none."""

from __future__ import annotations

from typing import Any

from flydsl.compiler.call.shortcuts import MOST, Shortcuts


def matcher(tensors: Any, written: Any) -> Any:
    """Tensors are numbers; negative ones are not compared when they are written."""
    if any(w and tensor < 0 for tensor, w in zip(tensors, written, strict=True)):
        return None
    return lambda *others: list(others) == list(tensors)


def key(*leaves: int) -> tuple[int, ...]:
    return leaves


def found(shortcuts: Shortcuts, rest: Any, *tensors: int) -> Any:
    return next((plan for match, plan in shortcuts.get(rest, ()) if match(*tensors)), None)


def test_a_comparison_leads_to_the_plan_of_its_tensors() -> None:
    shortcuts = Shortcuts({(1, 2): "plan"}, matcher, [False, True])
    shortcuts.add("rest", (1, 2), key, (1, 2))
    assert found(shortcuts, "rest", 1, 2) == "plan"
    assert found(shortcuts, "rest", 1, 3) is None
    assert found(shortcuts, "other", 1, 2) is None


def test_of_each_key_a_few_are_kept() -> None:
    shortcuts = Shortcuts({(n,): n for n in range(9)}, matcher, [False])
    for n in range(1, 9):
        shortcuts.add("rest", (n,), key, (n,))
    assert len(shortcuts["rest"]) == MOST
    assert found(shortcuts, "rest", 1) == 1


def test_what_cannot_be_compared_is_tried_once() -> None:
    shortcuts = Shortcuts({(-1,): "plan"}, matcher, [True])
    shortcuts.add("rest", (-1,), key, (-1,))
    assert found(shortcuts, "rest", -1) is None
    assert len(shortcuts["rest"]) == 1


def test_a_tensor_that_changes_while_it_is_looked_at_gets_no_shortcut() -> None:
    tensors = [[1]]

    def changing(values: Any, written: Any) -> Any:
        values[0][0] = 2
        return lambda value: value == [1]

    shortcuts = Shortcuts({(2,): "of 2"}, changing, [False])
    shortcuts.add("rest", tensors, lambda value: tuple(value), tensors)
    assert found(shortcuts, "rest", [1]) is None
