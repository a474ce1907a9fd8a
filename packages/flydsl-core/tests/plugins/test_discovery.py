"""A broken plugin is set aside with its reason, and the others work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.base.errors import DuplicateNameError, IncompatiblePluginError
from flydsl.plugins import discovery
from flydsl.plugins.entry_points import EntryPoint, installed_distributions
from flydsl.plugins.registry import registry
from flydsl.plugins.tables import Tables
from flydsl.testing.sandbox import PluginSandbox

HEADER = """
from flydsl.plugins import hookimpl
from flydsl.testing.fakes import fake_backend, fake_runtime
"""
GOOD = HEADER + "@hookimpl\ndef flydsl_compile_backends(): return [fake_backend('good')]\n"
BROKEN = {
    "import": ("import flydsl_no_such_module", "ModuleNotFoundError: No module named 'flydsl_no_such_module'"),
    "raise": ("raise OSError('no licence')", "OSError: no licence"),
    "syntax": ("def", "SyntaxError: invalid syntax"),
    "no hook": ("", "TypeError: module 'broken_plugin' implements no hook"),
    "unknown hook": ("@hookimpl\ndef flydsl_compilers(): return []", "TypeError: unknown hook 'flydsl_compilers'"),
    "argument": ("@hookimpl\ndef flydsl_compile_backends(config): return []", "PluginValidationError"),
    "result": ("@hookimpl\ndef flydsl_compile_backends(): return 3", "returned 3, expected a list of CompileBackend"),
    "element": ("@hookimpl\ndef flydsl_compile_backends(): return [fake_runtime()]", "expected a list of Compile"),
    "manifest": (
        "@hookimpl\ndef flydsl_compile_backends(): return [fake_backend('Bad Name')]",
        "ValueError: CompileBackendManifest 'Bad Name': name is 'Bad Name'",
    ),
    "registers": (
        "from flydsl.plugins import register_backend\nregister_backend('mine', lambda: None)",
        "RuntimeError: a plugin module uses the registry while it loads",
    ),
}

Write = Callable[[str, str], EntryPoint]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a plugin module and gives its entry point."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(name: str, source: str) -> EntryPoint:
        (tmp_path / f"{name}_plugin.py").write_text(source)
        monkeypatch.delitem(sys.modules, f"{name}_plugin", raising=False)
        return EntryPoint(name, f"flydsl-{name}", "1.0", f"{name}_plugin")

    return make


@pytest.fixture
def discover(monkeypatch: pytest.MonkeyPatch, isolated_plugins: PluginSandbox) -> Callable[..., Tables]:
    """Discovers given entry points in place of the installed ones."""

    def run(*entries: EntryPoint) -> Tables:
        monkeypatch.setattr(discovery, "find_entry_points", lambda **_: sorted(entries))
        monkeypatch.setattr(discovery, "remembered", lambda memo, scan: scan())
        registry.swap(None)
        return registry.tables

    return run


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_plugin_is_set_aside_and_a_good_one_works(
    fault: str, write: Write, discover: Callable[..., Tables]
) -> None:
    source, reason = BROKEN[fault]
    tables = discover(write("broken", HEADER + source), write("good", GOOD))
    assert list(tables.backends) == ["good"]
    (broken,) = tables.quarantined
    assert reason in broken.reason
    assert str(broken).startswith("plugin 'broken' of flydsl-broken 1.0: ")


def test_a_plugin_that_fails_halfway_leaves_nothing_behind(write: Write, discover: Callable[..., Tables]) -> None:
    half = (
        HEADER
        + "@hookimpl\ndef flydsl_compile_backends(): return [fake_backend('half')]\n"
        + "@hookimpl\ndef flydsl_device_runtimes(): raise ValueError('later')\n"
    )
    tables = discover(write("half", half))
    assert not tables.backends
    assert len(tables.quarantined) == 1


def test_another_api_version_is_an_error_that_names_both_sides(write: Write, discover: Callable[..., Tables]) -> None:
    source = HEADER + "@hookimpl\ndef flydsl_compile_backends(): return [fake_backend('new', api_version=7)]\n"
    tables = discover(write("new", source), write("good", GOOD))
    assert list(tables.backends) == ["good"]
    (broken,) = tables.quarantined
    assert isinstance(broken.error, IncompatiblePluginError)
    assert isinstance(broken.error, ImportError)
    assert (
        "flydsl-new 1.0 speaks plugin API 7, flydsl-core speaks plugin API 1 to 3: upgrade flydsl-core" in broken.reason
    )


def test_of_two_plugins_with_one_backend_name_the_second_is_refused(
    write: Write, discover: Callable[..., Tables]
) -> None:
    tables = discover(write("zebra", GOOD), write("apple", GOOD))
    assert [entry.name for entry in tables.plugins] == ["apple"]
    (broken,) = tables.quarantined
    assert isinstance(broken.error, DuplicateNameError)
    assert broken.plugin.name == "zebra"
    assert "compile backend 'good' exists already, registered by flydsl-good 1.0" in broken.reason


def test_two_entry_points_of_one_name_are_refused(write: Write, discover: Callable[..., Tables]) -> None:
    first = write("good", GOOD)
    second = EntryPoint("good", "flydsl-impostor", "1.0", write("other", GOOD.replace("'good'", "'bad'")).module)
    tables = discover(first, second)
    assert list(tables.backends) == ["good"]
    assert [broken.plugin.distribution for broken in tables.quarantined] == ["flydsl-impostor"]


@pytest.mark.parametrize("value, left", [("good", []), ("GOOD", []), ("*", []), ("", ["good"])])
def test_disabled_plugins_are_not_imported(
    value: str, left: list[str], write: Write, discover: Callable[..., Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLYDSL_DISABLE_PLUGINS", value)
    tables = discover(write("good", GOOD))
    assert list(tables.backends) == left
    assert [entry.name for entry in tables.disabled] == [name for name in ["good"] if not left]
    assert ("good_plugin" in sys.modules) == bool(left)


def test_a_disabled_plugin_that_is_not_installed_is_named(
    write: Write, discover: Callable[..., Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLYDSL_DISABLE_PLUGINS", "good, godo,other")
    message = "FLYDSL_DISABLE_PLUGINS names 'godo', 'other', installed plugins: good"
    with pytest.warns(RuntimeWarning, match=message):
        tables = discover(write("good", GOOD))
    assert [entry.name for entry in tables.disabled] == ["good"]


def test_an_entry_point_may_name_an_object(write: Write, discover: Callable[..., Tables]) -> None:
    source = HEADER + (
        "class Plugin:\n    __name__ = 'plugin'\n    @hookimpl\n    def flydsl_device_runtimes(self):\n"
        "        return [fake_runtime('inner')]\nplugin = Plugin()\n"
    )
    module = write("inner", source)
    entry = EntryPoint("inner", "flydsl-inner", "1.0", f"{module.module}:plugin")
    assert list(discover(entry).runtimes) == ["inner"]


def test_nothing_is_loaded_until_it_is_asked_for(
    isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path))  # nothing is remembered of other processes
    asked: list[int] = []
    monkeypatch.setattr(discovery, "find_entry_points", lambda **_: asked.append(1) or [])
    registry.swap(None)
    assert not asked
    assert registry.tables is registry.tables
    assert asked == [1]


def test_a_distribution_named_flydsl_is_reported(
    tmp_path: Path, isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert discovery.clash(installed_distributions()) == ""
    info = tmp_path / "flydsl-0.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flydsl\nVersion: 0.2\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.swap(None)
    with pytest.warns(RuntimeWarning, match="a distribution named 'flydsl' is installed .* 'pip uninstall flydsl'"):
        _ = registry.tables
