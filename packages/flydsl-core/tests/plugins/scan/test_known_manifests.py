"""Manifests between processes: they count again while all that made them is the same, and never after."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flydsl.base.files import file_digest
from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.manifests import Manifest
from flydsl.plugins.scan import known_manifests
from flydsl.plugins.scan.discovery import discover_entry_points
from flydsl.plugins.scan.known_manifests import KnownManifests, NamedFunction
from flydsl.plugins.tables import Tables

ENTRY = EntryPoint("known", "flydsl-known", "1.0", "known_fly.plugin")
SETTINGS = "import os\nCHOSEN = os.environ.get('KNOWN_FLY', '')\n"
PLUGIN = """
from flydsl.plugins import *
from flydsl.plugins import hookimpl
from known_fly.settings import CHOSEN
HOOKS_READ = ("KNOWN_FLY",)
@hookimpl
def flydsl_compile_backends():
    return [CompileBackendManifest(name="known", factory="known_fly.backend:Backend", runtime_kind="kind",
        passes={"a": "known_fly:A"}, dialects=["known_fly:D"], accelerator=False, tensor_alignment=16)]
@hookimpl
def flydsl_device_runtimes():
    return [DeviceRuntimeManifest(name="known", factory="known_fly:R", kind="kind", device_kinds={DeviceKind.CPU},
        simulator=True, requested_by="KNOWN_FLY" if CHOSEN else "")]
@hookimpl
def flydsl_tensor_adaptors():
    return [TensorAdaptorManifest(name="named", factory="known_fly:N", claims=ClassNames("frame:Array"), priority=3),
        TensorAdaptorManifest(name="asked", factory="known_fly:A", claims=claims, words={"flydsl.compiler.w": "m:a"})]
def claims(cls):
    return cls is complex
"""


class Plugin:
    """A package in a folder of `sys.path`, and what processes that start now would do with it."""

    def __init__(self, root: Path) -> None:
        self.memo, self.path, self.package = root / "cache/memo", root / "site", root / "site/known_fly"
        self.package.mkdir(parents=True)
        for name, text in {"__init__": "", "settings": SETTINGS, "plugin": PLUGIN}.items():
            (self.package / f"{name}.py").write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        """Edit a file in place; its time of modification stays."""
        file = self.package / name
        status, text = file.stat(), file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    def start(self, entry: EntryPoint = ENTRY) -> Tables:
        """The tables of another process."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "known_fly"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        known = KnownManifests(self.memo)
        tables = discover_entry_points([entry], known=known)
        known.keep()
        return tables

    @property
    def was_imported(self) -> bool:
        return "known_fly.plugin" in sys.modules


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugin]:
    """Files count as settled at once, and byte code, which tells edits by times, is not kept."""
    made = Plugin(tmp_path)
    monkeypatch.setattr(file_digest, "SETTLED_NS", -(10**18))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(made.path))
    monkeypatch.delenv("KNOWN_FLY", raising=False)
    yield made
    for name in [name for name in sys.modules if name.partition(".")[0] == "known_fly"]:
        del sys.modules[name]


def fields(manifest: Manifest) -> dict[str, object]:
    """The fields of a manifest, without a function, which is another object when it is found by its name."""
    return {name: getattr(manifest, name) for name in type(manifest).__dataclass_fields__ if name != "claims"}


def test_manifests_are_the_same_without_an_import(plugin: Plugin) -> None:
    told = plugin.start()
    assert plugin.was_imported
    known = plugin.start()
    assert not plugin.was_imported
    assert not known.quarantined
    assert known.plugins == told.plugins == (ENTRY,)
    assert (known.backends, known.runtimes) == (told.backends, told.runtimes)
    assert {name: hash(m) for name, m in known.backends.items()} == {name: hash(m) for name, m in told.backends.items()}
    assert [type(m.passes) for m in known.backends.values()] == [type(m.passes) for m in told.backends.values()]
    assert [fields(m) for m in known.adaptors] == [fields(m) for m in told.adaptors]
    assert all(manifest.owner == "flydsl-known 1.0" for manifest in known.manifests)


def test_a_function_is_imported_when_it_is_called(plugin: Plugin) -> None:
    plugin.start()
    named, asked = plugin.start().adaptors
    assert named.claims == told_claims(plugin, "named")
    assert not named.claims(complex)
    assert not plugin.was_imported
    assert repr(asked.claims) == "<function known_fly.plugin:claims>"
    assert (asked.claims(complex), asked.claims(int)) == (True, False)
    assert plugin.was_imported


def told_claims(plugin: Plugin, name: str) -> object:
    """What the plugin itself says."""
    from flydsl.plugins import ClassNames

    assert name == "named"
    return ClassNames("frame:Array")


CHANGES: dict[str, Callable[[Plugin], object]] = {
    "module edited in place": lambda p: p.edit("plugin.py", 'name="known"', 'name="other"'),
    "package edited in place": lambda p: (p.package / "__init__.py").write_text("# nothing\n"),
    "imported module edited in place": lambda p: p.edit("settings.py", "''", "'x'"),
    "replaced by a package": lambda p: (
        (p.package / "plugin").mkdir(),
        (p.package / "plugin/__init__.py").write_text(PLUGIN),
    ),
    "upgraded": lambda p: (
        shutil.rmtree(p.package),
        shutil.copytree(p.path.parent / "new", p.package),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_after_a_change_the_plugin_is_asked(change: str, plugin: Plugin) -> None:
    shutil.copytree(plugin.package, plugin.path.parent / "new")  # an equal version, as of an editable installation
    plugin.start()
    plugin.start()
    assert not plugin.was_imported
    CHANGES[change](plugin)
    tables = plugin.start()
    assert plugin.was_imported
    assert list(tables.backends) == (["other"] if change == "module edited in place" else ["known"])
    assert [m.requested_by for m in tables.runtimes.values()] == ["KNOWN_FLY" if "imported" in change else ""]
    assert plugin.start().backends.keys() == tables.backends.keys()
    assert not plugin.was_imported


def test_a_variable_that_the_hooks_read_counts(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin.start()
    for value, expected in (("1", "KNOWN_FLY"), ("", ""), ("2", "KNOWN_FLY")):
        monkeypatch.setenv("KNOWN_FLY", value)
        for is_asked in (True, False):
            assert plugin.start().runtimes["known"].requested_by == expected
            assert plugin.was_imported == is_asked
    monkeypatch.setenv("KNOWN_OTHER", "1")
    plugin.start()
    assert not plugin.was_imported


def test_another_version_is_asked(plugin: Plugin) -> None:
    plugin.start()
    assert plugin.start(ENTRY._replace(version="2.0")).backends["known"].version == "2.0"
    assert plugin.was_imported


def test_a_package_that_comes_first_now_is_asked(
    plugin: Plugin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tmp_path / "first"
    first.mkdir()
    monkeypatch.setattr(sys, "path", [str(first), *sys.path])
    plugin.start()
    plugin.start()
    assert not plugin.was_imported
    shutil.copytree(plugin.package, first / "known_fly")
    (first / "known_fly/plugin.py").write_text(PLUGIN.replace('name="known"', 'name="first"'))
    assert list(plugin.start().backends) == ["first"]


def test_a_plugin_that_is_gone_is_set_aside(plugin: Plugin) -> None:
    plugin.start()
    shutil.rmtree(plugin.package)
    (broken,) = plugin.start().quarantined
    assert "No module named 'known_fly'" in broken.reason


def test_a_module_of_ours_that_changed_ends_all(
    plugin: Plugin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = tmp_path / "ours.py"
    ours.write_text("")
    monkeypatch.setattr(known_manifests, "_OURS", ("known_ours",))
    monkeypatch.setitem(sys.modules, "known_ours", type("Module", (), {"__file__": str(ours)}))
    plugin.start()
    plugin.start()
    assert not plugin.was_imported
    ours.write_text("# changed")
    plugin.start()
    assert plugin.was_imported


def test_what_is_known_is_written_once(plugin: Plugin) -> None:
    told = plugin.start()
    (memo,) = (path for path in plugin.memo.iterdir() if path.is_file())
    written = memo.stat()
    assert plugin.start().backends == told.backends
    importlib.import_module("known_fly.plugin")
    known = KnownManifests(plugin.memo)
    assert discover_entry_points([ENTRY], known=known).backends == told.backends  # it was asked, and says the same
    known.keep()
    assert (memo.stat().st_ino, memo.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)


def test_an_imported_plugin_speaks_for_itself(plugin: Plugin) -> None:
    plugin.start()
    module = importlib.import_module("known_fly.plugin")
    module.PATCHED = True
    known = KnownManifests(plugin.memo)
    assert known.of(ENTRY) is None


SILENT: dict[str, tuple[str, str]] = {
    "says nothing": ('HOOKS_READ = ("KNOWN_FLY",)\n', ""),
    "factory without a name": ('factory="known_fly:R"', "factory=lambda: None"),
    "function without a name": ("claims=claims", "claims=lambda cls: False"),
    "manifest of its own": ('return [DeviceRuntimeManifest(name="known"', 'return [M(name="known"'),
}


@pytest.mark.parametrize("reason", SILENT)
def test_what_cannot_be_told_is_asked_each_time(reason: str, plugin: Plugin) -> None:
    plugin.edit("plugin.py", *SILENT[reason])
    plugin.edit(
        "plugin.py",
        "@hookimpl\ndef flydsl_compile",
        "class M(DeviceRuntimeManifest): pass\n@hookimpl\ndef flydsl_compile",
    )
    for _ in range(2):
        assert list(plugin.start().backends) == ["known"]
        assert plugin.was_imported
    assert not plugin.memo.exists()


@pytest.mark.parametrize("wrong", ['"KNOWN_FLY"', "[3]", '("KNOWN_FLY", 3)', "{}"])
def test_a_wrong_declaration_sets_the_plugin_aside(wrong: str, plugin: Plugin) -> None:
    plugin.edit("plugin.py", '("KNOWN_FLY",)', wrong)
    (broken,) = plugin.start().quarantined
    assert "TypeError: HOOKS_READ is" in broken.reason
    assert "expected a tuple of names of environment variables" in broken.reason


def test_files_that_changed_just_now_are_asked_again(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_digest, "SETTLED_NS", 2_000_000_000)
    monkeypatch.setattr(known_manifests, "IMPORTED_NS", time.time_ns())
    for _ in range(2):
        plugin.start()
        assert plugin.was_imported
    assert not plugin.memo.exists()


def test_files_that_changed_since_the_start_of_the_process_are_not_trusted(
    plugin: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have imported what they were before."""
    monkeypatch.setattr(file_digest, "SETTLED_NS", 0)
    monkeypatch.setattr(known_manifests, "IMPORTED_NS", (plugin.package / "plugin.py").stat().st_ctime_ns)
    plugin.start()
    assert not plugin.memo.exists()


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"0" * 64 + b"\n"])
def test_a_damaged_memo_is_made_anew(damage: bytes, plugin: Plugin) -> None:
    plugin.start()
    (file,) = plugin.memo.iterdir()
    file.write_bytes(damage)
    assert list(plugin.start().backends) == ["known"]
    assert plugin.was_imported
    plugin.start()
    assert not plugin.was_imported


def test_without_a_memo_it_is_asked_each_time(plugin: Plugin) -> None:
    plugin.memo.parent.write_text("a file")
    for _ in range(2):
        assert list(plugin.start().backends) == ["known"]
        assert plugin.was_imported
    assert KnownManifests().of(ENTRY) is None


def test_disabled_plugins_stay_known(plugin: Plugin) -> None:
    plugin.start()
    known = KnownManifests(plugin.memo)
    tables = discover_entry_points([ENTRY], disabled=["known"], known=known)
    known.keep()
    assert (tables.disabled, dict(tables.backends)) == ((ENTRY,), {})
    plugin.start()
    assert not plugin.was_imported


def test_a_named_function_is_that_function() -> None:
    assert NamedFunction("operator:add")(2, 3) == 5
