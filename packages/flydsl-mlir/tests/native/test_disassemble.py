"""Decoding of ELF images."""

from __future__ import annotations

import itertools

import pytest

import flydsl_mlir
from flydsl_mlir import MlirError

AMDGPU = {"triple": "amdgcn-amd-amdhsa", "chip": "gfx942"}


def test_instructions_have_addresses_labels_and_bytes(code_object: bytes) -> None:
    found = flydsl_mlir.disassemble(code_object, **AMDGPU)
    section, _, encoding, label, text = found[0]
    assert (section, label) == (".text", "vadd")
    assert text.startswith("s_load_dword")
    assert len(encoding) == 8
    assert any(text.startswith("v_add_f32") for *_, text in found)
    assert any(text == "s_endpgm" for *_, text in found)
    for (_, address, encoding, *_), (_, following, *_) in itertools.pairwise(found):
        assert address + len(encoding) == following


def test_branch_names_its_target(code_object: bytes) -> None:
    found = flydsl_mlir.disassemble(code_object, **AMDGPU)
    branch = next(text for *_, text in found if text.startswith("s_cbranch_execz"))
    label = branch.rsplit("<", 1)[1].rstrip(">")
    assert label in [label for *_, label, _ in found]


def test_relocatable_object_decodes(amdgpu_object: bytes) -> None:
    assert flydsl_mlir.disassemble(amdgpu_object, **AMDGPU)[0][3] == "vadd"


def test_host_code_decodes() -> None:
    code = flydsl_mlir.codegen(b"define i32 @f() { ret i32 42 }", triple="x86_64-pc-linux-gnu")
    texts = [text for *_, text in flydsl_mlir.disassemble(code, triple="x86_64-pc-linux-gnu")]
    assert [" ".join(text.split()) for text in texts] == ["movl $0x2a, %eax", "retq"]


def test_wrong_chip_shows_unknown_instructions(code_object: bytes) -> None:
    texts = [text for *_, text in flydsl_mlir.disassemble(code_object, triple=AMDGPU["triple"], chip="gfx1201")]
    assert "<unknown>" in texts


@pytest.mark.parametrize("garbage", [b"", b"\x7fELF", b"\x7fELF\x02\x01\x01" + b"\xff" * 200, b"MZ" + bytes(100)])
def test_garbage_is_an_error(garbage: bytes) -> None:
    with pytest.raises(MlirError):
        flydsl_mlir.disassemble(garbage, **AMDGPU)


@pytest.mark.parametrize(
    ("triple", "chip"), [("pdp11-dec-unix", ""), ("amdgcn-amd-amdhsa", "gfx1"), ("nvptx64-nvidia-cuda", "")]
)
def test_target_without_disassembler_is_an_error(code_object: bytes, triple: str, chip: str) -> None:
    with pytest.raises(MlirError, match=r"unknown|no disassembler"):
        flydsl_mlir.disassemble(code_object, triple=triple, chip=chip)
