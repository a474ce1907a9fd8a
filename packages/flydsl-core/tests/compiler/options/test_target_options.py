"""Targets, options and tools of a compilation."""

from __future__ import annotations

import pytest

from flydsl.base.errors import UnsupportedTargetError
from flydsl.compiler.options.target_options import has_lines, key_options, options, target_of, tools
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.testing.fakes import FakeBackend, fake_backend
from flydsl.testing.sandbox import PluginSandbox
from flydsl.toolchain.llvm_passes import LlvmPasses
from flydsl.toolchain.protocol import MachinePass


@pytest.mark.usefixtures("fake_device")
def test_the_target_is_named_set_of_the_device_or_the_default(monkeypatch):
    class Device:
        arch = "fake2"

    assert target_of() == GPUTarget("fake", "fake1", 32)
    monkeypatch.setattr(FakeBackend, "device_arch", lambda self, arch: arch)
    assert target_of(device=Device()).arch == "fake2"
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "fake2")
    assert target_of().arch == "fake2"
    assert target_of(arch="fake1").arch == "fake1"
    assert target_of("fake", "fake2").backend == "fake"


@pytest.mark.usefixtures("fake_device")
def test_an_architecture_of_another_backend_is_refused_with_its_name(isolated_plugins: PluginSandbox):
    isolated_plugins.register(fake_backend("other", factory=lambda: FakeBackend("other", ("other1",))))
    with pytest.raises(UnsupportedTargetError, match="backend 'other' does: name it with backend= or FLYDSL_COMPILE"):
        target_of("fake", "other1")
    with pytest.raises(UnsupportedTargetError) as caught:
        target_of("fake", "none1")
    assert "backend 'other' does" not in str(caught.value)


@pytest.mark.parametrize("variable", ["FLYDSL_COMPILE_ARCH", "ARCH"])
def test_an_architecture_that_nobody_knows_is_told_with_its_variable(
    variable: str, isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolated_plugins.register(fake_backend())
    monkeypatch.setenv(variable, "nowhere")
    with pytest.raises(UnsupportedTargetError, match=rf"'fake' does not support architecture 'nowhere' \({variable}\)"):
        target_of()
    with pytest.raises(UnsupportedTargetError) as caught:
        target_of(arch="elsewhere")
    assert variable not in str(caught.value)


def test_options_are_the_settings_and_hints_come_first(monkeypatch):
    monkeypatch.setenv("FLYDSL_DEBUG_ENABLE_DEBUG_INFO", "1")
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "1")
    assert options() == {"opt_level": 1, "debug_info": True}
    assert options({"opt_level": 3})["opt_level"] == 3
    assert has_lines()
    assert not has_lines({"debug_info": False})


def test_custom_llvm_passes_are_one_option_and_hints_win_over_settings(monkeypatch):
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_PASS_PIPELINE", "instcombine")
    assert options()["llvm_passes"] == LlvmPasses("instcombine")
    given = options({"llvm_pass_pipeline": "", "llvm_codegen_passes": "a@pre-emit"})
    assert given["llvm_passes"] == LlvmPasses(machine=(MachinePass("a", "pre-emit"),))
    assert "llvm_passes" not in options({"llvm_pass_pipeline": ""})
    assert not [name for name in given if name.startswith("llvm_") and name != "llvm_passes"]


@pytest.mark.usefixtures("fake_device")
def test_custom_passes_are_in_the_key_as_what_they_come_to(monkeypatch):
    plain = key_options({}, "fake")
    assert key_options({"llvm_pass_pipeline": ""}, "fake") == plain
    by_hint = key_options({"llvm_pass_pipeline": "instcombine"}, "fake")
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_PASS_PIPELINE", "instcombine")
    assert key_options({}, "fake") == by_hint != plain
    assert key_options({"llvm_pass_pipeline": ""}, "fake") == plain


@pytest.mark.usefixtures("fake_device")
def test_the_tools_are_known_by_their_fingerprints():
    assert tools("fake") == {"fake": "fake 1.0"}


@pytest.mark.usefixtures("fake_device")
def test_device_libraries_count_with_their_names_and_content_as_they_are_now(monkeypatch, tmp_path):
    files = [tmp_path / "here" / "one.bc", tmp_path / "there" / "one.bc", tmp_path / "here" / "two.bc"]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"code")
    found = []
    for libraries in ([], files[:1], files[1:2], files[2:]):
        monkeypatch.setattr(FakeBackend, "device_libraries", lambda self, libraries=libraries: libraries)
        found.append(tools("fake").get("device_libraries"))
    assert found[0] is None
    assert found[1] == found[2] != found[3]
    files[2].write_bytes(b"other code")
    assert tools("fake")["device_libraries"] not in found
