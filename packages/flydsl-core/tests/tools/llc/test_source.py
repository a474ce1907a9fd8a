"""Input of `fly-llc`: files, the standard input, and what is mistaken for LLVM IR."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from flydsl.base.errors import SettingError
from flydsl.tools.llc.source import is_bitcode, read_source, triple_of

IR = b'target triple = "amdgcn-amd-amdhsa"\ndefine void @f() {\n  ret void\n}\n'


def test_files_and_the_standard_input_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "k.ll"
    file.write_bytes(IR)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(IR)))
    assert read_source(str(file)) == read_source("-") == IR


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x7fELF\x02\x01", "an ELF file"),
        (b"module attributes {gpu.container_module} {", "MLIR"),
        (b"module {\n}", "MLIR"),
        (b'"builtin.module"() ({', "MLIR"),
        (b"!<arch>\n", "an archive"),
        (b"", "is empty"),
        (b" \n", "is empty"),
    ],
)
def test_other_files_are_refused_with_what_they_are(tmp_path: Path, content: bytes, what: str) -> None:
    file = tmp_path / "k.ll"
    file.write_bytes(content)
    with pytest.raises(SettingError, match=f"k.ll.*{what}"):
        read_source(str(file))


def test_assembly_of_a_module_is_llvm_ir(tmp_path: Path) -> None:
    file = tmp_path / "k.ll"
    file.write_bytes(b'module asm ".globl x"\n')
    assert read_source(str(file))


@pytest.mark.parametrize("name", ["/no/such.ll", "/", "a\0b"])
def test_files_that_cannot_be_read_are_errors(name: str) -> None:
    with pytest.raises(SettingError, match="cannot read"):
        read_source(name)


def test_triples_and_bitcode_are_recognised() -> None:
    assert triple_of(IR.decode()) == "amdgcn-amd-amdhsa"
    assert triple_of('; target triple = "x"\ndefine void @f() { ret void }') == ""
    assert is_bitcode(b"BC\xc0\xde...")
    assert not is_bitcode(IR)
