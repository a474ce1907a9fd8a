"""The plugin SDK: builds, what builds are for, and the template. Passes that run are tested in integration-tests."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from flydsl_mlir import sdk
from flydsl_mlir.errors import MlirError
from flydsl_mlir.identity import llvm_version
from flydsl_mlir.plugin_file import read_plugin

# What fly_pass.h says to loaders, without LLVM's headers: they take seconds.
SMALL = """
#define TEXT "VERSION " FLY_PASS_SOURCES
extern "C" int llvmGetPassPluginInfo() { return ANSWER; }
struct Note { unsigned name, text, type; char owner[8], what[sizeof(TEXT)]; };
[[gnu::section(".note.fly_pass"), gnu::used]] static const Note note = {8, sizeof(TEXT), 1, "FlyPass", TEXT};
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "small.cpp"
    file.write_text(SMALL.replace("VERSION", llvm_version()).replace("ANSWER", "1"))
    return file


def test_a_plugin_is_built_beside_its_source(source: Path) -> None:
    plugin = sdk.build(source)
    assert plugin == source.with_suffix(".so")
    assert read_plugin(plugin).built_with == llvm_version()
    assert sorted(path.name for path in source.parent.iterdir()) == ["small.cpp", "small.so"]


def test_a_build_that_is_up_to_date_is_kept(source: Path) -> None:
    first = os.stat(sdk.build(source)).st_ino
    assert os.stat(sdk.build(source)).st_ino == first


def test_changes_of_sources_headers_and_flags_build_again(source: Path) -> None:
    header = source.with_name("small.h")
    header.write_text("// 1")
    seen = [read_plugin(sdk.build(source, header)).sources]
    header.write_text("// 2")
    seen.append(read_plugin(sdk.build(source, header)).sources)
    source.write_text(source.read_text() + "\n// more\n")
    seen.append(read_plugin(sdk.build(source, header)).sources)
    seen.append(read_plugin(sdk.build(source, header, flags=["-DX=1"])).sources)
    seen.append(read_plugin(sdk.build(source, header, flags=["-DX=2"])).sources)
    assert len(set(seen)) == 5


def test_a_program_that_runs_the_old_plugin_keeps_it(source: Path) -> None:
    plugin = sdk.build(source)
    content = plugin.read_bytes()
    with plugin.open("rb") as old:
        source.write_text(source.read_text().replace("return 1", "return 2"))
        assert sdk.build(source).read_bytes() != content
        assert old.read() == content


def test_a_damaged_plugin_is_built_again(source: Path) -> None:
    plugin = sdk.build(source)
    plugin.write_bytes(b"damaged")
    assert read_plugin(sdk.build(source)).built_with


def test_what_does_not_compile_shows_the_compilers_words(source: Path) -> None:
    source.write_text("int x = nothing;")
    with pytest.raises(MlirError, match=r"'small\.cpp' does not compile(?s:.*)nothing"):
        sdk.build(source)
    assert sorted(path.name for path in source.parent.iterdir()) == ["small.cpp"]


def test_missing_sources_and_compilers_are_errors(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MlirError, match=r"cannot read source '.*none\.cpp'"):
        sdk.build(source.with_name("none.cpp"))
    with pytest.raises(MlirError, match="none was given"):
        sdk.build()
    with pytest.raises(MlirError, match="cannot build"):
        sdk.build(source, compiler="/no/such/compiler")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(ImportError, match=r"no C\+\+ compiler"):
        sdk.build(source)


def test_missing_headers_name_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdk, "llvm_prefix", lambda: tmp_path)
    with pytest.raises(ImportError, match="apt install llvm-22-dev"):
        sdk.compile_flags()


def test_the_template_is_copied_under_the_name_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template = shutil.copytree(sdk.template_dir(), tmp_path / "template")
    compiled = template / "src/my_passes/__pycache__/__init__.cpython-312.pyc"  # as pip leaves it there
    compiled.parent.mkdir(exist_ok=True)
    compiled.write_bytes(b"\xcb\r\r\n")
    monkeypatch.setattr(sdk, "template_dir", lambda: template)
    folder = sdk.create_project(tmp_path / "fast-maths")
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert files == [
        *("CMakeLists.txt", "README.md", "pyproject.toml"),
        *("src/fast_maths/__init__.py", "src/native/fast_maths.cpp"),
    ]
    text = "".join((folder / file).read_text() for file in files)
    assert "my_passes" not in text
    assert "fast_maths.so" in text


def test_the_template_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / "passes").mkdir()
    (tmp_path / "passes/mine.txt").write_text("x")
    with pytest.raises(MlirError, match="exists"):
        sdk.create_project(tmp_path / "passes")
    for name in ("Passes", "1x", "a b"):
        with pytest.raises(MlirError, match="cannot name a package"):
            sdk.create_project(tmp_path / name)
