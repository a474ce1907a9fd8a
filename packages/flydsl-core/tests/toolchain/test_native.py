"""The native toolchain over a stand-in for `flydsl_mlir`: what is handed on, and what its failures become."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from flydsl.base.errors import Diagnostic, ToolchainError, ToolchainMissingError
from flydsl.toolchain.native import NativeToolchain
from flydsl.toolchain.protocol import CodegenTarget, GpuObject, Toolchain


class MlirError(Exception):
    """The error of the stand-in."""

    def __init__(self, message: str, diagnostics: list[tuple[str, str, str, int, int]]) -> None:
        super().__init__(message)
        self.message, self.diagnostics = message, diagnostics


class PassError(MlirError):
    """The error of the stand-in for a user's passes."""


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    library = tmp_path / "_native.so"
    library.write_bytes(b"native")
    identity = SimpleNamespace(
        llvm_version=lambda: "22.1.8",
        native_file=lambda: library,
        library_state=Mock(return_value=(["libLLVM:1"], 0)),
        distribution_version=lambda: "0.1.0",
    )
    module = SimpleNamespace(
        load=Mock(),
        begin_loading=Mock(),
        identity=identity,
        MlirError=MlirError,
        PassError=PassError,
        run_pipeline=Mock(return_value="module {}"),
        gpu_objects=Mock(return_value=[("m", "#target", "bin", b"code")]),
        emit_llvm_ir=Mock(return_value="ret i32"),
        codegen=Mock(return_value=b"obj"),
        emit_host_object=Mock(return_value=b"host"),
        link=Mock(return_value=b"elf"),
        disassemble=Mock(
            return_value=[(".text", 16, b"\1\2\3\4\5\6\7\10", "start", "s_nop 0"), (".text", 24, b"\1", "", "end")]
        ),
        host_cpu=Mock(return_value=("x86_64-linux-gnu", "zen4", "+avx2")),
    )
    monkeypatch.setitem(sys.modules, "flydsl_mlir", module)
    return module


def test_it_is_a_toolchain(native: SimpleNamespace) -> None:
    toolchain = NativeToolchain(llvm_dir="/llvm")
    assert isinstance(toolchain, Toolchain)
    assert (toolchain.name, toolchain.version()) == ("native", "22.1.8")
    assert toolchain.run_pipeline("text", "cse", locations=True, verify=False) == "module {}"
    native.load.assert_called_with("/llvm")
    options = native.run_pipeline.call_args.kwargs
    assert native.run_pipeline.call_args.args == ("text", "cse")
    assert options == {"locations": True, "verify": False}


def test_loading_begins_with_the_prefix_and_a_missing_module_waits_for_its_use(
    native: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    NativeToolchain(llvm_dir="/llvm").begin_loading()
    native.begin_loading.assert_called_once_with("/llvm")
    monkeypatch.setitem(sys.modules, "flydsl_mlir", None)
    NativeToolchain().begin_loading()
    with pytest.raises(ToolchainMissingError):
        NativeToolchain().run_pipeline("text", "cse")


def test_results_are_those_of_the_protocol(native: SimpleNamespace) -> None:
    toolchain = NativeToolchain()
    assert toolchain.gpu_objects("text", "p") == [GpuObject("m", "#target", b"code", "bin")]
    assert toolchain.emit_llvm_ir("text") == "ret i32"
    assert toolchain.link([b"a", b"b"], args=["-x"]) == b"elf"
    native.link.assert_called_once_with([b"a", b"b"], args=["-x"], shared=True)


def test_a_target_is_handed_on_field_by_field(native: SimpleNamespace) -> None:
    assert NativeToolchain().codegen(b"ir", CodegenTarget("t", "c", "+f", opt_level=3), filetype="asm") == b"obj"
    asked = native.codegen.call_args
    assert asked.args == (b"ir",)
    assert {"triple": "t", "chip": "c", "features": "+f", "opt_level": 3}.items() <= asked.kwargs.items()
    assert asked.kwargs["assembly"] is True


def test_the_native_chip_is_this_machines(native: SimpleNamespace) -> None:
    NativeToolchain().emit_host_object("text", CodegenTarget(chip="native", features="-sse4a"))
    asked = native.emit_host_object.call_args.kwargs
    assert (asked["chip"], asked["features"]) == ("zen4", "+avx2,-sse4a")


def test_a_pipeline_is_run_with_the_object(native: SimpleNamespace) -> None:
    assert NativeToolchain().emit_host_object("text", pipeline="p") == b"host"
    assert native.emit_host_object.call_args.kwargs["pipeline"] == "p"
    native.run_pipeline.assert_not_called()


def test_code_is_shown_with_labels_addresses_and_bytes(native: SimpleNamespace) -> None:
    first, second, third = NativeToolchain().disassemble(b"code", CodegenTarget("t", "c")).splitlines()
    assert first == "start:"
    assert second == f"  {'s_nop 0':<60} // 000000000010: 01020304 05060708"
    assert third.endswith("// 000000000018: 01")


def test_an_unknown_filetype_is_refused(native: SimpleNamespace) -> None:
    with pytest.raises(ToolchainError, match="'exe' is not one of 'obj', 'asm'"):
        NativeToolchain().codegen(b"", CodegenTarget(), filetype="exe")  # type: ignore[arg-type]


def test_a_failure_carries_its_diagnostics(native: SimpleNamespace) -> None:
    native.run_pipeline.side_effect = MlirError("does not parse", [("error", "unknown op", "module.mlir", 2, 8)])
    with pytest.raises(ToolchainError, match="does not parse") as caught:
        NativeToolchain().run_pipeline("text", "cse")
    assert caught.value.diagnostics == (Diagnostic("error", "unknown op", "module.mlir", 2, 8),)


def test_the_fingerprint_is_of_versions_and_contents(native: SimpleNamespace) -> None:
    before = NativeToolchain().fingerprint()
    assert before.startswith("flydsl-mlir 0.1.0 ")
    assert before.endswith(" libLLVM:1")
    native.identity.native_file().write_bytes(b"other!")
    assert NativeToolchain().fingerprint() != before


def test_the_linker_program_is_part_of_the_fingerprint(native: SimpleNamespace, tmp_path: Path) -> None:
    linker = tmp_path / "ld.lld"
    linker.write_text("#!/bin/sh\n")
    linker.chmod(0o755)
    with_linker = NativeToolchain(lld=linker).fingerprint()
    assert "ld.lld:" in with_linker
    assert with_linker != NativeToolchain().fingerprint()
    with pytest.raises(ToolchainMissingError, match="the linker .*none' of FLYDSL_COMPILE_LLD is not there"):
        NativeToolchain(lld=tmp_path / "none").fingerprint()


def test_a_library_that_cannot_be_loaded_is_named(native: SimpleNamespace) -> None:
    native.load.side_effect = ImportError("libMLIR.so: not found")
    with pytest.raises(ToolchainMissingError, match=r"libMLIR.so: not found; pip install flydsl-mlir"):
        NativeToolchain().run_pipeline("", "")
    native.identity.library_state.side_effect = ImportError("apt install libmlir-22")
    with pytest.raises(ToolchainMissingError, match="the native toolchain is incomplete: apt install libmlir-22"):
        NativeToolchain().fingerprint()


def test_a_missing_package_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flydsl_mlir", None)
    toolchain = NativeToolchain()
    for call in (toolchain.version, toolchain.fingerprint, lambda: toolchain.run_pipeline("", "")):
        with pytest.raises(ToolchainMissingError, match="pip install flydsl-mlir"):
            call()
