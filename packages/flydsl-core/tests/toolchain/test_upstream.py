"""The toolchain over upstream bindings, on a package that behaves like them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flydsl.base.errors import ToolchainError, ToolchainMissingError
from flydsl.toolchain.protocol import HOST, Toolchain
from flydsl.toolchain.upstream import UpstreamToolchain

IR = """
from enum import Enum
from types import SimpleNamespace as Record

class Severity(Enum):
    ERROR = 0
    NOTE = 3

class MLIRError(Exception):
    def __init__(self, message, *diagnostics):
        self.error_diagnostics = diagnostics

def diagnostic(severity, message, location, notes=()):
    return Record(severity=severity, message=message, location=location, notes=list(notes))

class Context:
    registry = None
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def enable_multithreading(self, enabled): assert not enabled
    def append_dialect_registry(self, registry): self.registry = registry
    def load_all_available_dialects(self): assert self.registry

class DialectRegistry(list):
    pass

class Module:
    @staticmethod
    def parse(text, context):
        if text == "bad":
            note = diagnostic(Severity.NOTE, "here", 'loc("-":2:1)')
            raise MLIRError("no", diagnostic(Severity.ERROR, "bad text", 'loc("-":1:7 to :9)', [note]))
        module = Module()
        module.context, module.ran = context, []
        module.operation = Record(
            regions=[Record(blocks=[Record(operations=[Record(operation=binary)])])],
            get_asm=lambda **options: f"{text} after {module.ran} {sorted(options.items())}",
        )
        module.operation.owner = module
        return module

binary = Record(name="gpu.binary", regions=[], attributes={
    "sym_name": '"kernels"', "objects": [Record(target="#t", format=3, object=b"code")]})
"""
PASSMANAGER = """
from {package}.ir import MLIRError

class PassManager:
    @staticmethod
    def parse(text):
        assert text.startswith("builtin.module("), text
        if "nope" in text:
            raise ValueError("error: 'nope' does not refer to a registered pass or pass pipeline")
        if "(((" in text:
            raise ValueError("error: expected closing parenthesis")
        manager = PassManager()
        manager.text = text
        return manager
    def enable_verifier(self, enabled): self.verify = enabled
    def run(self, operation):
        if "fail" in self.text:
            raise MLIRError("failed")
        operation.owner.ran.append((self.text, self.verify))
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An importable package `bindings_for_test` with the interface of MLIR's bindings."""
    root = tmp_path / "bindings_for_test"
    for folder in (root, root / "dialects", root / "_mlir_libs"):
        folder.mkdir()
        (folder / "__init__.py").write_text("")
    (root / "__init__.py").write_text("__version__ = '22.0'")
    (root / "ir.py").write_text(IR)
    (root / "passmanager.py").write_text(PASSMANAGER.replace("{package}", root.name))
    (root / "dialects" / "gpu.py").write_text("ObjectAttr = lambda attribute: attribute\n")
    (root / "dialects" / "llvm.py").write_text("")
    (root / "_mlir_libs" / "_mlir.so").write_bytes(b"native")
    monkeypatch.syspath_prepend(tmp_path)
    yield root
    for name in [name for name in sys.modules if name.split(".")[0] == root.name]:
        del sys.modules[name]


@pytest.fixture
def toolchain(package: Path) -> UpstreamToolchain:
    return UpstreamToolchain(package.name)


def test_it_is_a_toolchain(toolchain: UpstreamToolchain) -> None:
    assert isinstance(toolchain, Toolchain)
    assert (toolchain.name, toolchain.version()) == ("upstream", "22.0")


def test_pipeline_runs_with_the_options_asked_for(toolchain: UpstreamToolchain) -> None:
    said = toolchain.run_pipeline("text", "cse", generic=False, verify=False, locations=True)
    assert "text after [('builtin.module(cse)', False)]" in said
    assert "('enable_debug_info', True), ('print_generic_op_form', False)" in said


def test_dialects_are_registered_by_the_caller(package: Path) -> None:
    assert UpstreamToolchain(package.name, register=lambda registry: registry.append("func")).run_pipeline(
        "text", "cse"
    )


def test_parse_error_carries_diagnostics_and_notes(toolchain: UpstreamToolchain) -> None:
    with pytest.raises(ToolchainError, match="does not parse") as caught:
        toolchain.run_pipeline("bad", "cse")
    assert [(d.severity, d.message, d.line, d.column) for d in caught.value.diagnostics] == [
        ("error", "bad text", 1, 7),
        ("note", "here", 2, 1),
    ]


def test_missing_pass_is_named(toolchain: UpstreamToolchain) -> None:
    with pytest.raises(ToolchainError, match="'bindings_for_test' lacks the pass 'nope'"):
        toolchain.run_pipeline("text", "builtin.module(nope)")


def test_broken_pipeline_and_failing_pass_are_errors(toolchain: UpstreamToolchain) -> None:
    with pytest.raises(ToolchainError, match="not valid: error: expected closing parenthesis"):
        toolchain.run_pipeline("text", "(((")
    with pytest.raises(ToolchainError, match="a pass failed"):
        toolchain.run_pipeline("text", "fail")


def test_gpu_objects_need_the_targets(toolchain: UpstreamToolchain, package: Path) -> None:
    with pytest.raises(ToolchainError, match="lacks the module '_mlirRegisterEverything'"):
        toolchain.gpu_objects("text", "gpu-module-to-binary")
    (package / "_mlir_libs" / "_mlirRegisterEverything.so").touch()
    (found,) = toolchain.gpu_objects("text", "gpu-module-to-binary")
    assert (found.module, found.target, found.format, found.object) == ("kernels", "#t", "bin", b"code")


def test_llvm_ir_when_the_package_translates(toolchain: UpstreamToolchain, package: Path) -> None:
    with pytest.raises(ToolchainError, match="lacks the module '_mlirRegisterEverything'"):
        toolchain.emit_llvm_ir("text")
    (package / "_mlir_libs" / "_mlirRegisterEverything.so").touch()
    with pytest.raises(ToolchainError, match=r"lacks 'dialects\.llvm\.translate_module_to_llvmir'"):
        toolchain.emit_llvm_ir("text")
    sys.modules["bindings_for_test.dialects.llvm"].translate_module_to_llvmir = lambda op: "; IR"  # type: ignore[attr-defined]
    assert toolchain.emit_llvm_ir("text") == "; IR"


def test_what_bindings_never_have_is_said(toolchain: UpstreamToolchain) -> None:
    calls = {
        "a code generator": lambda: toolchain.codegen(b"", HOST),
        "which 'emit_host_object' needs": lambda: toolchain.emit_host_object("text"),
        "a linker": lambda: toolchain.link([]),
        "a disassembler": lambda: toolchain.disassemble(b"", HOST),
        "a callback after each pass": lambda: toolchain.run_pipeline("text", "cse", dump=lambda *_: None),
    }
    for message, call in calls.items():
        with pytest.raises(ToolchainError, match=f"'bindings_for_test' lacks .*{message}|{message}"):
            call()


def test_fingerprint_follows_the_libraries(toolchain: UpstreamToolchain, package: Path) -> None:
    before = toolchain.fingerprint()
    assert toolchain.fingerprint() == before
    (package / "_mlir_libs" / "_mlir.so").write_bytes(b"another")
    assert toolchain.fingerprint() != before


def test_fingerprint_follows_the_linker(toolchain: UpstreamToolchain, tmp_path: Path) -> None:
    program = tmp_path / "ld.lld"
    found = {toolchain.fingerprint()}
    for text in ("#!/bin/sh\n", "#!/bin/sh\n# another\n"):
        program.write_text(text)
        program.chmod(0o755)
        found.add(UpstreamToolchain("bindings_for_test", lld=program).fingerprint())
    assert len(found) == 3


@pytest.mark.parametrize("name", ["no_such_bindings", "no.such.bindings", "json"])
def test_missing_package_is_an_error(name: str) -> None:
    toolchain = UpstreamToolchain(name)
    with pytest.raises(ToolchainMissingError, match=name):
        toolchain.fingerprint()
    with pytest.raises(ToolchainMissingError, match="FLYDSL_COMPILE_MLIR_PACKAGE"):
        toolchain.run_pipeline("module {}", "cse")
