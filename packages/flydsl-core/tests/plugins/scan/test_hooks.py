"""Hooks that are called without pluggy, and those that need it."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType
from typing import Any

import pluggy
import pytest

from flydsl.plugins.scan.hooks import hookimpl, manifests_of
from flydsl.testing.fakes import fake_backend, fake_runtime

PLUGGYS = pluggy.HookimplMarker("flydsl")


def module(**functions: Any) -> ModuleType:
    """A plugin with these hooks."""
    made = ModuleType("example_plugin")
    for name, function in functions.items():
        setattr(made, name, function)
    return made


def backends() -> list[object]:
    return [fake_backend("one"), fake_backend("two")]


def runtimes() -> list[object]:
    return [fake_runtime("three")]


def names(plugin: object) -> list[str]:
    return [manifest.name for manifest in manifests_of(plugin)]


@pytest.mark.parametrize("marker", [hookimpl, PLUGGYS])
def test_plain_hooks_are_called_in_the_order_of_their_names(marker: Any) -> None:
    plugin = module(flydsl_device_runtimes=marker(runtimes), flydsl_compile_backends=marker(backends))
    assert names(plugin) == ["one", "two", "three"]


def test_a_plain_mark_is_that_of_pluggy() -> None:
    assert hookimpl(lambda: []).flydsl_impl == PLUGGYS(lambda: []).flydsl_impl  # type: ignore[attr-defined]
    assert hookimpl(trylast=True)(lambda: []).flydsl_impl == PLUGGYS(trylast=True)(lambda: []).flydsl_impl


def test_a_hook_of_another_name_and_a_wrapper_around_it_are_called_by_pluggy() -> None:
    def wrapper() -> Any:
        manifests = yield
        return [manifest for group in manifests for manifest in [list(reversed(group))]]

    plugin = module(own=hookimpl(specname="flydsl_compile_backends")(backends))
    assert names(plugin) == ["one", "two"]
    plugin.around = hookimpl(specname="flydsl_compile_backends", wrapper=True)(wrapper)  # type: ignore[attr-defined]
    assert names(plugin) == ["two", "one"]


def test_hooks_may_be_methods_of_an_object() -> None:
    class Plugin:
        @hookimpl
        def flydsl_device_runtimes(self) -> list[object]:
            return runtimes()

    assert names(Plugin()) == ["three"]


def test_a_hook_with_a_parameter_is_refused_by_pluggy() -> None:
    plugin = module(flydsl_compile_backends=hookimpl(lambda config: []))
    with pytest.raises(pluggy.PluginValidationError, match="config"):
        names(plugin)


def test_what_is_not_marked_is_no_hook() -> None:
    with pytest.raises(TypeError, match="'example_plugin' implements no hook"):
        names(module(flydsl_compile_backends=lambda: []))


def test_plain_hooks_need_no_pluggy() -> None:
    code = (
        "import sys, types\n"
        "from flydsl.plugins.scan.hooks import hookimpl, manifests_of\n"
        "plugin = types.ModuleType('plugin')\n"
        "plugin.flydsl_compile_backends = hookimpl(lambda: [])\n"
        "assert list(manifests_of(plugin)) == []\n"
        "assert 'pluggy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
