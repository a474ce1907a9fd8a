"""The three hooks: what each takes and returns, and that a plugin's answer arrives."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import flydsl.plugins
from flydsl.plugins import TensorAdaptorManifest, hookimpl, hookspecs
from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.scan.hooks import HOOKS
from flydsl.testing.fakes import fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox

README = Path(flydsl.plugins.__file__).with_name("README.md")


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("example_plugin")
    monkeypatch.setitem(__import__("sys").modules, "example_plugin", module)
    return module


ENTRY = EntryPoint("example", "flydsl-example", "2.0", "example_plugin")


def test_hook_flydsl_compile_backends(plugin: ModuleType, isolated_plugins: PluginSandbox) -> None:
    def flydsl_compile_backends() -> list[object]:
        return [fake_backend("one"), fake_backend("two")]

    plugin.flydsl_compile_backends = hookimpl(flydsl_compile_backends)  # type: ignore[attr-defined]
    assert list(isolated_plugins.install(ENTRY).backends) == ["one", "two"]


def test_hook_flydsl_device_runtimes(plugin: ModuleType, isolated_plugins: PluginSandbox) -> None:
    def flydsl_device_runtimes() -> list[object]:
        return [fake_runtime("one", distribution="", version="")]

    plugin.flydsl_device_runtimes = hookimpl(flydsl_device_runtimes)  # type: ignore[attr-defined]
    runtime = isolated_plugins.install(ENTRY).runtimes["one"]
    assert (runtime.distribution, runtime.version) == ("flydsl-example", "2.0")


def test_hook_flydsl_tensor_adaptors(plugin: ModuleType, isolated_plugins: PluginSandbox) -> None:
    def flydsl_tensor_adaptors() -> list[object]:
        names = {"low": -1, "high": 5, "plain": 0}
        return [TensorAdaptorManifest(name=n, factory="m:a", claims=bool, priority=p) for n, p in names.items()]

    plugin.flydsl_tensor_adaptors = hookimpl(flydsl_tensor_adaptors)  # type: ignore[attr-defined]
    assert [adaptor.name for adaptor in isolated_plugins.install(ENTRY).adaptors] == ["high", "plain", "low"]


def test_hooks_take_no_argument_and_have_one_sentence() -> None:
    for name in HOOKS:
        hook = getattr(hookspecs, name)
        assert not inspect.signature(hook).parameters
        assert re.fullmatch(r"[A-Z][^.]*\.", hook.__doc__)


def test_each_hook_has_a_heading_with_its_signature_in_the_readme() -> None:
    text = README.read_text(encoding="utf-8")
    for name in HOOKS:
        assert f"### `{name}{inspect.signature(getattr(hookspecs, name))}`".replace("'", "") in text, name


def test_each_hook_is_used_by_a_shipped_plugin() -> None:
    packages = Path(__file__).parents[3]
    shipped = "".join(path.read_text(encoding="utf-8") for path in packages.glob("*/src/**/plugin.py"))
    for name in HOOKS:
        assert f"def {name}()" in shipped
