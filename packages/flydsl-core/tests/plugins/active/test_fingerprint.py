"""The digest of everything installed that shapes code: each change shows, nothing else does."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

from flydsl.plugins.active.fingerprint import (
    CORE,
    READ_LIKE_A_USERS,
    describe,
    fingerprint,
    native_files,
)
from flydsl.plugins.active.portions import _folder_digest, is_covered, portion_digest, portion_of, renew
from flydsl.plugins.active.selection import resolve_pair
from flydsl.plugins.code.installed_code import package_root, package_roots
from flydsl.testing.fakes import FakeBackend, fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox

PRINT = """
from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.active.fingerprint import fingerprint
from flydsl.plugins.active.selection import resolve_pair
from flydsl.testing.sandbox import PluginSandbox
with PluginSandbox() as sandbox:
    sandbox.install(EntryPoint("toy", "flydsl-toy", "1.0", "flydsl_toy.plugin"))
    print(fingerprint(resolve_pair()))
"""
PLUGIN = """
from flydsl.plugins import CompileBackendManifest, DeviceRuntimeManifest, hookimpl
@hookimpl
def flydsl_compile_backends():
    return [CompileBackendManifest(name="toy", factory="flydsl_toy.backend:Toy", runtime_kind="toy")]
@hookimpl
def flydsl_device_runtimes():
    return [DeviceRuntimeManifest(name="toy", factory="flydsl.testing.fakes:FakeRuntime", kind="toy")]
"""
BACKEND = """
from flydsl.testing.fakes import FakeBackend
class Toy(FakeBackend):
    def __init__(self):
        super().__init__("toy")

    def cache_key_native_lib_patterns(self):
        return ["lib/*.so"]
"""

Lay = Callable[[Path], Path]


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return lay_down(tmp_path / "site")


def lay_down(site: Path) -> Path:
    package = site / "flydsl_toy"
    (package / "lib").mkdir(parents=True)
    files = {"__init__.py": "", "plugin.py": PLUGIN, "backend.py": BACKEND, "lowering.py": "x = 1\n"}
    for name, text in files.items():
        (package / name).write_text(text)
    (package / "lib/libtoy.so").write_bytes(b"native 1")
    return site


def in_new_process(site: Path, cache: Path, *, hash_seed: str = "0") -> str:
    variables = {"PYTHONPATH": str(site), "FLYDSL_RUNTIME_CACHE_DIR": str(cache), "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", PRINT], capture_output=True, text=True, check=True, env={**_environment(), **variables}
    )
    return done.stdout.strip()


def _environment() -> dict[str, str]:
    import os

    return {key: value for key, value in os.environ.items() if not key.startswith("FLYDSL_")}


@pytest.mark.parametrize("change", ["lowering.py", "lib/libtoy.so", "new_file.py"])
def test_a_change_of_any_file_of_the_plugin_shows_in_the_next_process(change: str, toy: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    before = in_new_process(toy, cache)
    assert in_new_process(toy, cache, hash_seed="7") == before
    (toy / "flydsl_toy" / change).write_bytes(b"x = 2\n")
    assert in_new_process(toy, cache) not in ("", before)


def test_the_place_of_installation_and_the_cache_folder_do_not_show(toy: Path, tmp_path: Path) -> None:
    elsewhere = lay_down(tmp_path / "elsewhere")
    assert in_new_process(toy, tmp_path / "c1") == in_new_process(elsewhere, tmp_path / "c2")


def test_a_native_pattern_that_matches_nothing_is_an_error(toy: Path, tmp_path: Path) -> None:
    (toy / "flydsl_toy/lib/libtoy.so").unlink()
    with pytest.raises(subprocess.CalledProcessError) as caught:
        in_new_process(toy, tmp_path / "cache")
    assert "backend 'toy' declares native files 'lib/*.so'" in caught.value.stderr
    assert "reinstall flydsl-toy" in caught.value.stderr


def test_code_that_changes_in_a_running_process_is_taken_for_no_other(
    toy: Path, monkeypatch: pytest.MonkeyPatch, isolated_plugins: PluginSandbox
) -> None:
    from flydsl.plugins.entry_points import EntryPoint

    monkeypatch.syspath_prepend(str(toy))
    isolated_plugins.install(EntryPoint("toy", "flydsl-toy", "1.0", "flydsl_toy.plugin"))
    try:
        found = describe(resolve_pair())
    finally:
        for name in [name for name in sys.modules if name.startswith("flydsl_toy")]:
            del sys.modules[name]
    assert "+" in found["backend.files"]
    assert "+" in found["backend.native"]


@pytest.mark.parametrize("fields", [{"version": "1.1"}, {"distribution": "flydsl-other"}, {"factory": FakeBackend}])
def test_names_and_versions_show(fields: dict[str, object], isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_runtime(), fake_backend("fake"))
    before = fingerprint(resolve_pair())
    isolated_plugins.install()
    isolated_plugins.register(fake_runtime(), fake_backend("fake", **fields))
    after = fingerprint(resolve_pair())
    assert after != before


def test_the_runtime_the_kind_and_the_architecture_show(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend(), fake_runtime("a"), fake_runtime("b"))
    one = fingerprint(resolve_pair(runtime="a"), arch="fake1")
    assert one == fingerprint(resolve_pair(runtime="a"), arch="fake1")
    assert one != fingerprint(resolve_pair(runtime="b"), arch="fake1")
    assert one != fingerprint(resolve_pair(runtime="a"), arch="fake2")
    assert len(one) == 64


def test_the_fingerprint_contains_no_absolute_path(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend(), fake_runtime())
    assert not [value for value in describe(resolve_pair()).values() if "/" in value]


def test_code_typed_into_an_interpreter_is_taken_for_no_other_process(tmp_path: Path) -> None:
    script = dedent("""
        from flydsl.plugins import register_backend
        from flydsl.plugins.active.fingerprint import fingerprint
        from flydsl.plugins.active.selection import resolve_pair
        from flydsl.testing.fakes import FakeBackend
        register_backend("typed", lambda: FakeBackend("typed"))
        assert fingerprint(resolve_pair("typed")) == fingerprint(resolve_pair("typed"))
        print(fingerprint(resolve_pair("typed")))
    """)
    environment = {**_environment(), "FLYDSL_RUNTIME_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
        for _ in range(2)
    ]
    assert runs[0].stdout != runs[1].stdout


def test_package_roots_skip_namespaces() -> None:
    core = Path(package_root.__code__.co_filename).parents[2]
    assert package_root("flydsl.plugins.active.fingerprint") == core / "plugins"
    assert package_root("flydsl.plugins") == core / "plugins"
    assert package_root("json.decoder") == Path(__import__("json").__file__).parent
    assert package_root("flydsl_no_such.module") is None
    modules = [
        "flydsl.plugins.active.fingerprint",
        "flydsl.base",
        "json.decoder",
        "json.encoder",
        "flydsl_no_such.module",
    ]
    assert package_roots(modules) == {module: package_root(module) for module in modules}


def test_every_package_of_the_core_is_in_the_fingerprint_or_makes_no_code() -> None:
    core = Path(package_root.__code__.co_filename).parents[2]
    packages = {path.name for path in core.iterdir() if any(path.glob("*.py"))}
    assert packages - set(CORE) == set(READ_LIKE_A_USERS)


def test_what_is_in_the_fingerprint_is_covered_and_nothing_else_is() -> None:
    covered = frozenset({"flydsl", "flydsl_toy"})
    for name in ("flydsl", "flydsl_toy", "flydsl_toy.lowering", *(f"flydsl.{name}.x" for name in CORE)):
        assert is_covered(name, covered)
    for name in ("flydsl.testing.suite.kernels", "flydsl.nowhere", "flydsl_toys", "numpy"):
        assert not is_covered(name, covered)


def test_what_another_distribution_adds_to_the_namespace_is_covered_by_a_digest_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "flydsl/extra_words/__init__.py"
    file.parent.mkdir(parents=True)
    file.write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert is_covered("flydsl.extra_words.inner", frozenset({"flydsl"}))
    assert portion_of("flydsl.extra_words.inner") == "extra_words"
    assert [portion_of(name) for name in ("flydsl.expr.math", "flydsl.testing.x", "flydsl", "numpy.x")] == [""] * 4
    first = portion_digest("extra_words")
    assert portion_digest("extra_words") == first
    file.write_text("VALUE = 20\n")
    _folder_digest.cache_clear()
    assert portion_digest("extra_words") != first


def test_files_replaced_before_they_are_imported_show_after_renewing(
    toy: Path, monkeypatch: pytest.MonkeyPatch, isolated_plugins: PluginSandbox
) -> None:
    from flydsl.plugins.entry_points import EntryPoint

    monkeypatch.syspath_prepend(str(toy))
    monkeypatch.setattr("flydsl.plugins.code.installed_code.IMPORTED_NS", time.time_ns() + 10**9)  # the files are older
    isolated_plugins.install(EntryPoint("toy", "flydsl-toy", "1.0", "flydsl_toy.plugin"))
    try:
        pair = resolve_pair()
        fingerprint(pair)
        renew(pair)  # the plugin's modules were imported for that
        before = fingerprint(pair)
        (toy / "flydsl_toy" / "lowering.py").write_text("x = 3  # another version\n")
        renew(pair)
        assert fingerprint(pair) == before  # nothing was imported: what is loaded is the old code
        import_module("flydsl_toy.lowering")
        renew(pair)
        assert fingerprint(pair) != before
    finally:
        for name in [name for name in sys.modules if name.startswith("flydsl_toy")]:
            del sys.modules[name]


def test_absolute_patterns_are_taken_as_they_are(tmp_path: Path) -> None:
    library = tmp_path / "libx.so"
    library.write_bytes(b"x")

    class Mine(FakeBackend):
        def cache_key_native_lib_patterns(self) -> list[str]:
            return [str(tmp_path / "*.so"), str(library)]

    assert native_files(fake_backend(factory=Mine)) == [library]
