"""The two functions that compilers of frameworks replace."""

from __future__ import annotations

import subprocess
import sys

from flydsl.base import interception
from flydsl.expr.tracing import context


def test_a_trace_is_seen_here() -> None:
    assert not interception.is_tracing()
    with context.tracing(object()):
        assert interception.is_tracing()


def test_a_call_goes_to_the_method_of_the_callable() -> None:
    calls = []

    class Callee:
        def slow_path_call(self, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
            calls.append((args, kwargs))

    interception.slow_path_call(Callee(), (1,), {"x": 2})
    assert calls == [((1,), {"x": 2})]


def test_the_module_imports_next_to_nothing_of_ours() -> None:
    script = (
        "import sys, flydsl.base.interception; print(sorted(name for name in sys.modules if name.startswith('flydsl')))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert found.strip() == "['flydsl', 'flydsl.base', 'flydsl.base.interception']"
