"""Which toolchain the settings select."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from flydsl.base.errors import SettingError, ToolchainError, ToolchainMissingError
from flydsl.toolchain.native import NativeToolchain
from flydsl.toolchain.select import begin_loading, create_toolchain, default_toolchain
from flydsl.toolchain.upstream import UpstreamToolchain


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("TOOLCHAIN", "MLIR_PACKAGE", "LLVM_DIR", "LLD"):
        monkeypatch.delenv(f"FLYDSL_COMPILE_{name}", raising=False)
    return monkeypatch


def test_native_is_the_default() -> None:
    assert isinstance(default_toolchain(), NativeToolchain)
    assert default_toolchain() is default_toolchain()


def test_upstream_is_chosen_by_name(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("FLYDSL_COMPILE_TOOLCHAIN", "upstream")
    environment.setenv("FLYDSL_COMPILE_MLIR_PACKAGE", "no_such_bindings")
    chosen = default_toolchain()
    assert isinstance(chosen, UpstreamToolchain)
    with pytest.raises(ToolchainMissingError, match="no_such_bindings"):
        chosen.run_pipeline("", "cse")


def test_unknown_name_is_an_error(environment: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingError, match="'other' is not one of 'native', 'upstream'"):
        create_toolchain("other")
    environment.setenv("FLYDSL_COMPILE_TOOLCHAIN", "other")
    with pytest.raises(SettingError, match="FLYDSL_COMPILE_TOOLCHAIN"):
        default_toolchain()


def test_only_a_toolchain_that_can_is_loaded_in_the_background(environment: pytest.MonkeyPatch) -> None:
    begun = Mock()
    environment.setattr(NativeToolchain, "begin_loading", begun)
    begin_loading()
    assert begun.call_count == 1
    environment.setenv("FLYDSL_COMPILE_TOOLCHAIN", "upstream")
    begin_loading()
    assert begun.call_count == 1


def test_linker_setting_is_used(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("FLYDSL_COMPILE_LLD", "/no/such/linker")
    with pytest.raises(ToolchainError, match="/no/such/linker"):
        default_toolchain().link([b""])


def test_llvm_setting_is_handed_to_the_toolchain(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("FLYDSL_COMPILE_LLVM_DIR", "/no/such/prefix")
    native = SimpleNamespace(load=Mock(side_effect=ImportError("no LLVM below /no/such/prefix")))
    environment.setitem(sys.modules, "flydsl_mlir", native)
    with pytest.raises(ToolchainMissingError, match="no LLVM below /no/such/prefix"):
        default_toolchain().run_pipeline("", "cse")
    native.load.assert_called_once_with(Path("/no/such/prefix"))
