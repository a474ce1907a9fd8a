"""A broken plugin is set aside with its reason, and the others work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.base.errors import DuplicateNameError, IncompatiblePluginError
from flydsl.plugins.entry_points import EntryPoint, installed_distributions
from flydsl.plugins.registry import registry
from flydsl.plugins.scan import discovery
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
        "flydsl-new 1.0 speaks plugin API 7, flydsl-core speaks plugin API 1 to 4: upgrade flydsl-core" in broken.reason
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
    message = "FLYDSL_DISABLE_PLUGINS names 'godo', 'other', installed plugins: good; did you mean 'good'"
    with pytest.warns(RuntimeWarning, match=message):
        tables = discover(write("good", GOOD))
    assert [entry.name for entry in tables.disabled] == ["good"]


def test_a_plugin_that_takes_long_is_named_with_its_cost(
    write: Write, discover: Callable[..., Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([0.0, 5.2, 10.0, 10.1, 20.0, 23.0])
    monkeypatch.setattr(discovery, "perf_counter", lambda: next(times))
    tables = discover(write("dear", GOOD), write("good", GOOD.replace("'good'", "'other'")), write("sad", "oops"))
    assert [(slow.plugin.name, round(slow.seconds, 1)) for slow in tables.slow] == [("dear", 5.2), ("sad", 3.0)]
    assert str(tables.slow[0]).startswith("plugin 'dear' of flydsl-dear 1.0 took 5.2 s to load")


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
    record = info / "RECORD"
    record.write_text("flydsl_version.pth,,\nflydsl-0.2.dist-info/METADATA,,\n")  # it only claims a version
    assert discovery.clash({"flydsl": str(info)}) == ""
    record.write_text("flydsl/__init__.py,,\n")
    assert "owns the same files" in discovery.clash({"flydsl": str(info)})


ENDING = {
    "exit": ("import sys\nsys.exit()", "SystemExit"),
    "generator": ("raise GeneratorExit", "GeneratorExit"),
    "own": ("class Own(BaseException): pass\nraise Own('mine')", "Own: mine"),
    "mute": (
        "class Mute(Exception):\n    def __str__(self): raise OSError\nraise Mute",
        "Mute, whose text cannot be shown (OSError)",
    ),
    "hook": (HEADER + "@hookimpl\ndef flydsl_compile_backends(): raise SystemExit(0)", "SystemExit: 0"),
}


@pytest.mark.parametrize("source", ENDING)
def test_no_plugin_ends_the_program(source: str, write: Write, discover: Callable[..., Tables]) -> None:
    text, reason = ENDING[source]
    tables = discover(write("broken", text), write("good", GOOD))
    assert list(tables.backends) == ["good"]
    assert [broken.reason for broken in tables.quarantined] == [reason]


ADAPTOR = """
from flydsl.plugins import TensorAdaptorManifest, hookimpl
@hookimpl
def flydsl_tensor_adaptors():
    return [TensorAdaptorManifest(name="numpy", factory=lambda: None, claims=lambda cls: True)]
"""


def test_names_of_the_core_are_its_own(write: Write, discover: Callable[..., Tables]) -> None:
    ours = EntryPoint("core", "flydsl-core", "1.0", "flydsl.adaptors.plugin")
    first, second = write("aaa", ADAPTOR), write("bbb", ADAPTOR)._replace(name="core")
    tables = discover(first, second, ours)
    assert [plugin.distribution for plugin in tables.plugins] == ["flydsl-core"]
    assert [str(adaptor.distribution) for adaptor in tables.adaptors if adaptor.name == "numpy"] == ["flydsl-core"]
    assert [broken.plugin.distribution for broken in tables.quarantined] == ["flydsl-aaa", "flydsl-bbb"]


def test_a_name_belongs_to_the_distribution_that_is_called_by_it(write: Write, discover: Callable[..., Tables]) -> None:
    thief = write("aaa", GOOD)
    tables = discover(thief, write("good", GOOD))
    assert tables.backends["good"].distribution == "flydsl-good"
    assert "'good' is the name of what flydsl-good declares" in tables.quarantined[0].reason


def test_a_plugin_in_an_archive_is_set_aside_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, discover: Callable[..., Tables]
) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "zipped.zip", "w") as archive:
        archive.writestr("zipped_plugin.py", GOOD)
    monkeypatch.syspath_prepend(str(tmp_path / "zipped.zip"))
    tables = discover(EntryPoint("zipped", "flydsl-zipped", "1.0", "zipped_plugin"))
    sys.modules.pop("zipped_plugin", None)
    assert "is inside of an archive: install the distribution as files" in tables.quarantined[0].reason
