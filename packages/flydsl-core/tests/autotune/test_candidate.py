"""Runs of one configuration: arrays, hooks, options and streams, in order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from flydsl.adaptors.numpy_adaptor import NumpyAdaptor
from flydsl.autotune import Config, bench
from flydsl.autotune.candidate import Candidate, Hooks, saved_arrays
from flydsl.compiler.modes.ambient_hints import ambient_hints
from flydsl.plugins.manifests import TensorAdaptorManifest

if TYPE_CHECKING:
    from flydsl.testing.sandbox import PluginSandbox


def test_a_run_restores_resets_and_calls_the_hooks_in_order(array: Any) -> None:
    log = array.log

    def fn(x: object, BLOCK: int) -> str:
        log.append(f"kernel {BLOCK}")
        return "value"

    def noting(name: str) -> Any:
        return lambda keywords: log.append(f"{name} {sorted(keywords)}")

    @contextmanager
    def validate(values: dict[str, object]) -> Iterator[None]:
        log.append(f"enter {sorted(values)}")
        yield
        log.append("leave")

    config = Config(BLOCK=3, pre_hook=noting("config"))
    hooks = Hooks(("x",), noting("pre"), noting("post"), validate)
    candidate = Candidate(fn, config, (array,), {"y": 1}, {"x": array, "y": 1}, hooks)
    candidate = Candidate(lambda x, y, BLOCK: fn(x, BLOCK), *_rest(candidate))
    run = [
        *("restore", "zero", "config ['BLOCK', 'y']", "pre ['BLOCK', 'y']", "kernel 3", "post ['BLOCK', 'y']"),
    ]
    with saved_arrays(["x", "no_such"], candidate.given) as saved:
        candidate.validate(saved)
        candidate.run(saved)
    assert log == ["clone", "enter ['x', 'y']", *run, "leave", *run, "restore"]
    log.clear()
    candidate.reset()
    assert candidate.call() == "value"
    assert log == ["zero", "kernel 3"]


def _rest(candidate: Candidate) -> tuple[Any, ...]:
    return candidate.config, candidate.args, candidate.kwargs, candidate.given, candidate.hooks


def test_arrays_are_put_back_when_a_run_fails(array: Any) -> None:
    with pytest.raises(KeyError), saved_arrays(["x"], {"x": array}):
        raise KeyError
    assert array.log == ["clone", "restore"]


def test_options_are_hints_of_the_call(isolated_plugins: PluginSandbox) -> None:
    hints: list[object] = []
    Candidate(lambda: hints.append(dict(ambient_hints())), Config(), (), {}, {}).call()
    with pytest.raises(TypeError, match="no compile hint 'waves_per_eu'"):
        Candidate(lambda: hints.append(0), Config(waves_per_eu=2), (), {}, {}).call()
    assert hints == [{}]


def test_a_stream_is_that_of_the_frameworks_and_of_the_events(array: Any, isolated_plugins: PluginSandbox) -> None:
    log: list[object] = []

    class Adaptor(NumpyAdaptor):
        def on_stream(self, stream: object) -> AbstractContextManager[None]:
            @contextmanager
            def block() -> Iterator[None]:
                log.append(stream)
                yield
                log.append("end")

            return block()

    kind = type(array)
    isolated_plugins.register(TensorAdaptorManifest(name="fake", factory=Adaptor, claims=lambda cls: cls is kind))

    def fn(x: object, stream: object) -> None:
        log.append(bench._STREAM.get())

    Candidate(fn, Config(), (array, 7), {}, {"x": array, "stream": 7}).call()
    assert log == [7, 7, "end"]
    assert bench._STREAM.get() == 0
