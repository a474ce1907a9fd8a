"""Objects that hold bytes, read back by the ELF specification; flydsl-mlir links and loads them."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from flydsl.toolchain.data_object import data_object

X86_64, AMDGPU = 62, 224
LIKE = b"\x7fELF".ljust(18, b"\0") + struct.pack("<H", AMDGPU) + bytes(28) + struct.pack("<I", 0x54C) + bytes(12)


def parsed(image: bytes) -> dict[str, Any]:
    """The sections by name, as their headers' fields and contents, and the symbols."""
    table, size, count, names_at = struct.unpack_from("<Q10xHHH", image, 40)
    assert (size, table + size * count) == (64, len(image))
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, table + size * i) for i in range(count)]
    contents = [image[h[4] : h[4] + h[5]] for h in headers]
    strings = contents[names_at]

    def text(offset: int, table: bytes = strings) -> str:
        return table[offset : table.index(b"\0", offset)].decode()

    sections = {text(h[0]): (h, c) for h, c in zip(headers, contents, strict=True)}
    symbols = {
        text(name): (info, visibility, section, value, length)
        for name, info, visibility, section, value, length in struct.iter_unpack("<IBBHQQ", sections[".symtab"][1])
    }
    return {"sections": sections, "symbols": symbols}


@pytest.mark.parametrize("size", [0, 1, 7, 8, 4096])
@pytest.mark.parametrize("alignment", [8, 4096])
def test_the_bytes_and_their_size_stand_behind_hidden_symbols(size: int, alignment: int) -> None:
    data = bytes(i * 31 % 251 for i in range(size))
    image = parsed(data_object(data, "blob", like=LIKE, alignment=alignment))
    header, content = image["sections"][".rodata"]
    assert header[8] == alignment
    for name, length in (("blob", size), ("blob_size", 8)):
        info, visibility, _, _, found = image["symbols"][name]
        assert (info >> 4, info & 15, visibility, found) == (1, 1, 2, length)  # global, object, hidden
    start, at = image["symbols"]["blob"][3], image["symbols"]["blob_size"][3]
    assert content[start : start + size] == data
    assert struct.unpack_from("<q", content, at) == (size,)
    assert at % 8 == 0


def test_the_object_is_for_the_machine_of_another() -> None:
    image = data_object(b"abc", "blob", like=LIKE, alignment=16)
    assert struct.unpack_from("<H", image, 18) == (AMDGPU,)
    assert struct.unpack_from("<I", image, 48) == (0x54C,)
    assert image[:7] == b"\x7fELF\x02\x01\x01"


def test_the_stack_need_not_be_executable() -> None:
    header, content = parsed(data_object(b"abc", "blob", like=LIKE, alignment=16))["sections"][".note.GNU-stack"]
    assert (header[2], content) == (0, b"")
