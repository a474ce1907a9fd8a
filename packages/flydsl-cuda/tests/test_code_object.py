"""Code objects: what is put together comes apart again, and anything else is an error."""

from __future__ import annotations

import pytest

from flydsl.base.errors import CompileError
from flydsl_cuda.code_object import MAGIC, CodeObject, shared_blocks
from flydsl_cuda.ptxas import Resources

PTX = "//\n.version 8.0\n// µ\n"
KERNELS = {"k": Resources(33, 12, 16, 8, 2048), "other": Resources()}


@pytest.mark.parametrize(
    "code",
    [
        CodeObject(PTX),
        CodeObject(PTX, shared_blocks={"k": 1 << 17, "other": 65536}),
        CodeObject(PTX, b"\x7fELF\0\1\2", KERNELS, {"k": 65536}),
        CodeObject("", b"\x7fELF"),
    ],
)
def test_parts_come_out_as_they_went_in(code: CodeObject) -> None:
    assert CodeObject.from_bytes(code.to_bytes()) == code


def test_the_driver_meets_machine_code_or_text_first() -> None:
    assert CodeObject(PTX).to_bytes().startswith(PTX.encode() + b"\0")
    assert CodeObject(PTX, b"\x7fELF code").to_bytes().startswith(b"\x7fELF code" + PTX.encode() + b"\0")


@pytest.mark.parametrize(
    "code", [b"", b"text\0", PTX.encode(), b"\x7fELF", b"\x7fELF" + bytes(40), b"\x7fELF" + b"\xff" * 24 + MAGIC]
)
def test_other_bytes_are_refused(code: bytes) -> None:
    with pytest.raises(CompileError, match=f"{len(code)} bytes"):
        CodeObject.from_bytes(code)


def test_needs_are_read_from_the_text_of_a_module() -> None:
    text = '}) {fly.bitcode = [], fly_nvvm.shared_blocks = ["k_0=65536", "other.k=131072"]} : () -> ()'
    assert shared_blocks(text) == {"k_0": 65536, "other.k": 131072}
    assert shared_blocks('}) {name = "k=1"}') == {}
