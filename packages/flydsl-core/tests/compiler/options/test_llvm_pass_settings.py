"""Which LLVM passes a compilation has: hints over settings, keys by content, and files that change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from flydsl.base import settings
from flydsl.base.errors import ArgumentError, CompileError
from flydsl.compiler.options.llvm_pass_settings import (
    FileStates,
    asked_by,
    check_backend,
    has_passes,
    key_values,
    normalised,
    passes_of,
)
from flydsl.testing.fakes import FakeBackend
from flydsl.toolchain.llvm_passes import LlvmPasses
from flydsl.toolchain.protocol import CodegenTarget, MachinePass

PLUGINS = "FLYDSL_COMPILE_LLVM_PASS_PLUGINS"


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    path = tmp_path / "a.so"
    path.write_bytes(b"one")
    return path


def files(*paths: Path) -> dict[str, Any]:
    return {"llvm_pass_plugins": tuple(map(str, paths))}


def test_files_are_a_path_a_list_or_a_comma_list() -> None:
    assert normalised("llvm_pass_plugins", " a.so, b.so ,") == ("a.so", "b.so")
    assert normalised("llvm_pass_plugins", Path("a,b.so")) == ("a,b.so",)
    assert normalised("llvm_codegen_plugins", [Path("a.so"), "b.so"]) == ("a.so", "b.so")
    assert normalised("llvm_codegen_plugins", None) == ()


def test_texts_are_one_or_several() -> None:
    assert normalised("llvm_pass_pipeline", " gvn ") == "gvn"
    assert normalised("llvm_codegen_passes", ["a@pre-ra", "b@post-ra"]) == "a@pre-ra,b@post-ra"
    assert normalised("llvm_codegen_passes", None) == ""


@pytest.mark.parametrize(
    ("name", "kind"), [("llvm_pass_pipeline", "a string"), ("llvm_pass_plugins", "a path or a list")]
)
@pytest.mark.parametrize("value", [3, [1], {"a.so": 1}])
def test_other_values_are_refused_with_what_is_expected(name: str, kind: str, value: object) -> None:
    with pytest.raises(ArgumentError, match=f"compile hint '{name}' is {kind}.*, found "):
        normalised(name, value)


def test_plugins_alone_are_for_the_default_pipeline_of_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not has_passes({})
    assert has_passes(files(Path("a.so")))
    assert passes_of(files(Path("a.so"))) == LlvmPasses("default<O2>", (Path("a.so"),))
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "1")
    assert passes_of(files(Path("a.so"))).pipeline == "default<O1>"
    assert passes_of({**files(Path("a.so")), "opt_level": 3}).pipeline == "default<O3>"
    assert passes_of({**files(Path("a.so")), "llvm_pass_pipeline": "gvn"}).pipeline == "gvn"


def test_hints_win_over_settings_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_CODEGEN_PASSES", "a@pre-ra")
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_CODEGEN_PLUGINS", "x.so,y.so")
    expected = LlvmPasses("", (), (MachinePass("b", "post-ra"),), (Path("x.so"), Path("y.so")))
    assert passes_of({"llvm_codegen_passes": "b@post-ra"}) == expected
    assert not has_passes({"llvm_codegen_passes": ""})


def test_keys_hold_the_content_of_plugins_and_not_their_place_or_time(plugin: Path, tmp_path: Path) -> None:
    first = key_values(files(plugin))
    assert str(tmp_path) not in repr(first)
    os.utime(plugin, (1, 1))
    assert key_values(files(plugin)) == first
    moved = tmp_path / "there" / "a.so"
    moved.parent.mkdir()
    moved.write_bytes(b"one")
    assert key_values(files(moved)) == first
    plugin.write_bytes(b"two")
    assert key_values(files(plugin)) != first


def test_keys_tell_texts_and_plugins_apart(plugin: Path) -> None:
    asked: list[dict[str, Any]] = [
        {},
        {"llvm_pass_pipeline": "gvn"},
        {"llvm_codegen_passes": "gvn"},
        files(plugin),
        {"llvm_codegen_plugins": (str(plugin),)},
    ]
    assert len({repr(key_values(hints)) for hints in asked}) == len(asked)
    assert key_values({}) == settings.key_values()


def test_a_plugin_that_is_not_there_has_no_key(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"LLVM pass plugin '.*none\.so' cannot be read: No such file"):
        key_values(files(tmp_path / "none.so"))


def test_states_of_files_change_when_they_are_touched_replaced_or_gone(plugin: Path, tmp_path: Path) -> None:
    assert FileStates.of({}) is None
    states = FileStates.of(files(plugin))
    assert states is not None
    assert states.is_current()
    assert states == FileStates.of(files(plugin))
    os.utime(plugin, (1, 1))
    assert not states.is_current()
    assert states != FileStates.of(files(plugin))
    touched = FileStates.of(files(plugin))
    plugin.unlink()
    assert touched is not None
    assert not touched.is_current()


def test_states_are_those_of_the_settings_too(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLUGINS, str(plugin))
    assert FileStates.of({}) == FileStates.of(files(plugin))


def test_a_backend_without_a_target_for_passes_is_an_error_that_names_it() -> None:
    class Taking(FakeBackend):
        def codegen_target(self, **_: object) -> CodegenTarget:
            return CodegenTarget("triple")

    given = {"llvm_passes": LlvmPasses("gvn")}
    check_backend(FakeBackend(), "fake1", {})
    check_backend(Taking(), "fake1", given)
    with pytest.raises(CompileError, match="backend 'fake' does not run LLVM passes on its code for 'fake1'"):
        check_backend(FakeBackend(), "fake1", given)


def test_what_asks_for_passes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_CODEGEN_PASSES", "nowhere")
    assert asked_by({"llvm_pass_pipeline": "gvn"}) == (
        "compile hint 'llvm_pass_pipeline', FLYDSL_COMPILE_LLVM_CODEGEN_PASSES"
    )
    with pytest.raises(ArgumentError, match=r"found 'nowhere' \(FLYDSL_COMPILE_LLVM_CODEGEN_PASSES\)"):
        passes_of({})
    with pytest.raises(ArgumentError, match=r"found 'there' \(compile hint 'llvm_codegen_passes'\)"):
        passes_of({"llvm_codegen_passes": "there"})
    with pytest.raises(ArgumentError, match="compile hint 'llvm_pass_plugins' names '~no-such-user/x.so'"):
        passes_of({"llvm_pass_plugins": ("~no-such-user/x.so",)})
