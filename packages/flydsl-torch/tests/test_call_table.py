"""Calls of graphs: arguments put together again, and a clear error for a call that nobody knows."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from flydsl.base.errors import RuntimeFailure
from flydsl.torch.call_table import Calls, GraphCall


def test_leaves_come_from_the_lists_of_the_operator() -> None:
    found: list[object] = []
    parts = [("out", 0), ("int", 1), ("value", "a"), ("in", 0), ("float", 0), ("value", None)]
    call = GraphCall.of(lambda *leaves: found.extend(leaves), parts)
    one, two = torch.zeros(1), torch.zeros(2)
    call([one], [two], [5, 6], [0.5])
    assert found[0] is two
    assert found[3] is one
    assert [found[index] for index in (1, 2, 4, 5)] == [6, "a", 0.5, None]


def test_containers_are_built_of_leaves() -> None:
    found: list[object] = []
    call = GraphCall.of(lambda *values: found.extend(values), [("int", 0), ("int", 1)], lambda leaves: (tuple(leaves),))
    call([], [], [1, 2], [])
    assert found == [(1, 2)]


def test_an_unknown_call_names_the_function_and_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path))
    with pytest.raises(RuntimeFailure, match=r"kernel function 'scale' as 'scale:0a1b', which was traced in another"):
        Calls()["scale:0a1b"]


def test_functions_of_one_name_have_numbers() -> None:
    class Function:
        def __init__(self) -> None:
            self.__module__, self.__qualname__ = "m", "f"

    calls, one, two = Calls(), Function(), Function()
    numbers = [calls._identity(each) for each in (one, two, one)]  # type: ignore[arg-type]
    assert numbers == [("m.f", 0), ("m.f", 1), ("m.f", 0)]
