"""Measurements of candidates and the choice among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from flydsl.autotune import Config
from flydsl.autotune.candidate import Candidate
from flydsl.autotune.search import best_of, measured
from flydsl.testing.fakes import fake_backend, fake_runtime

if TYPE_CHECKING:
    from flydsl.testing.sandbox import PluginSandbox


def candidates(fn: Callable[..., object], *configs: Config) -> list[Candidate]:
    return [Candidate(fn, config, (), {}, {}) for config in configs]


def test_each_candidate_is_measured(make_bench: Any, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[int] = []
    tried = candidates(lambda BLOCK: seen.append(BLOCK), Config(BLOCK=1), Config(BLOCK=2))
    results = measured("add", tried, [], make_bench(3.0, 2.0), 5, 25)
    assert seen == [1, 2]
    assert [cost for _, cost in results] == [3.0, 2.0]
    assert best_of("add", results, None) is tried[1].config
    assert capsys.readouterr().out.splitlines() == [
        "[autotune] add: Config(BLOCK=1): 3 ms",
        "[autotune] add: Config(BLOCK=2): 2 ms",
        "[autotune] add: best is Config(BLOCK=2)",
    ]


def test_a_candidate_that_fails_is_printed_and_skipped(make_bench: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def fn(BLOCK: int) -> None:
        if BLOCK == 1:
            raise ValueError("too small")

    results = measured("add", candidates(fn, Config(BLOCK=1), Config(BLOCK=2)), [], make_bench(), 5, 25)
    assert [config.kwargs for config, _ in results] == [{"BLOCK": 2}]
    assert "Config(BLOCK=1) fails: ValueError: too small" in capsys.readouterr().out


def test_nothing_left_is_an_error(make_bench: Any) -> None:
    with pytest.raises(RuntimeError, match="All autotune configs failed"):
        measured("add", candidates(lambda: 1 / 0, Config()), [], make_bench(), 5, 25)
    with pytest.raises(RuntimeError, match="All autotune configs failed"):
        measured("add", [], [], make_bench(), 5, 25)


def test_the_first_of_equals_wins() -> None:
    first, second = Config(BLOCK=1), Config(BLOCK=2)
    assert best_of("add", [(first, 1.0), (second, 1.0)], None) is first


def test_a_choice_of_ones_own_is_one_of_the_pairs() -> None:
    first, second = Config(BLOCK=1), Config(BLOCK=2)
    results = [(first, 1.0), (second, 2.0)]
    assert best_of("add", results, lambda pairs: pairs[-1]) is second
    with pytest.raises(ValueError, match="one of the measured pairs"):
        best_of("add", results, lambda pairs: (first, 9.0))


def test_without_a_device_plain_functions_cannot_be_compared(
    isolated_plugins: PluginSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    isolated_plugins.register(fake_backend(), fake_runtime(devices=0))
    with pytest.raises(RuntimeError, match="All autotune configs failed"):
        measured("add", candidates(lambda: None, Config()), [], None, 5, 25)
    assert "there is no device" in capsys.readouterr().out
