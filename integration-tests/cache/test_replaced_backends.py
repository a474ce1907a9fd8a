"""Backends that a program replaces or takes back: functions that were compiled before do not keep the old code."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.plugins import hookimpl, register_backend, register_plugin, unregister_plugin
from flydsl.plugins.active.fingerprint import describe, fingerprint
from flydsl.plugins.active.selection import resolve_pair
from flydsl.plugins.code.manifest_text import reasons_of
from flydsl_cpu.backend import CpuBackend
from flydsl_cpu.plugin import flydsl_compile_backends

pytestmark = pytest.mark.usefixtures("cache")
(OURS,) = flydsl_compile_backends()


class Adding(CpuBackend):
    """Stores `x + more` where a kernel says `x + 1000`."""

    name = "zeta"

    def __init__(self, more: float = 1.0) -> None:
        super().__init__()
        self.more = more

    def emit_code_object(self, module_text: str, **options: Any) -> bytes:
        assert "1.000000e+03" in module_text
        return super().emit_code_object(module_text.replace("1.000000e+03", f"{self.more:e}"), **options)


class AddsTwo(Adding):
    def __init__(self) -> None:
        super().__init__(2.0)


def stored(launch: Any) -> float:
    y = np.zeros(4, np.float32)
    launch(np.zeros(4, np.float32), y)
    return float(y[0])


def function() -> Any:
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        y[fx.thread_idx.x] = x[fx.thread_idx.x] + 1000.0

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=4)

    return launch


def use(factory: Any) -> None:
    register_backend("zeta", factory, force=True, runtime_kind="cpu", passes=OURS.passes, accelerator=False)
    flyc.use_pair("zeta")


def test_a_function_compiled_before_has_the_code_of_the_backend_of_now() -> None:
    launch = function()
    for factory, expected in (
        (Adding, 1.0),
        (AddsTwo, 2.0),
        (partial(Adding, 3.0), 3.0),
        (lambda: Adding(4.0), 4.0),
        (lambda: Adding(5.0), 5.0),
        (Adding, 1.0),
    ):
        use(factory)
        assert stored(launch) == expected


def test_what_has_no_name_is_this_process_s_alone_and_says_so() -> None:
    use(Adding)
    named = describe(resolve_pair("zeta"))
    assert not reasons_of(named["backend.manifest"])
    assert named["backend.class"].endswith(":Adding")
    use(lambda: Adding(4.0))
    first = fingerprint(resolve_pair("zeta"))
    assert "imported as" in reasons_of(describe(resolve_pair("zeta"))["backend.manifest"])[0]
    use(lambda: Adding(4.0))
    assert fingerprint(resolve_pair("zeta")) != first


def test_the_reason_is_what_the_command_tells(capsys: pytest.CaptureFixture[str]) -> None:
    from flydsl.tools.cache_cli import main

    use(lambda: Adding(6.0))
    stored(function())
    assert main(["why", "launch"]) == 0
    assert "of the process that made it only" in capsys.readouterr().out


def test_a_plugin_that_is_taken_back_leaves_no_code() -> None:
    from dataclasses import replace

    module = ModuleType("zeta")

    @hookimpl
    def flydsl_compile_backends() -> list[Any]:
        return [replace(OURS, name="zeta", factory=Adding)]

    module.flydsl_compile_backends = flydsl_compile_backends  # type: ignore[attr-defined]
    launch = function()
    register_plugin(module)
    flyc.use_pair("zeta")
    assert stored(launch) == 1.0
    unregister_plugin("zeta")
    flyc.use_pair("cpu")
    assert stored(launch) == 1000.0
