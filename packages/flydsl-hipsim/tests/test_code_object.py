"""What is read from code objects of clang."""

from __future__ import annotations

from typing import Any

import pytest

from flydsl_hipsim.code_object import elf_size, parse_code_object
from flydsl_hipsim.errors import CodeObjectError


def test_kernels_arguments_and_sizes(kernels: Any) -> None:
    code = kernels("memory", 2).code
    assert (code.arch, code.wave_size) == ("gfx942", 64)
    structs = code.kernels["structs"]
    assert [(a.offset, a.size) for a in structs.arguments] == [(0, 32), (32, 2), (40, 8)]
    assert code.kernels["through_lds"].static_lds == 1024
    assert kernels("memory", 0).code.kernels["scratch"].private_bytes >= 128
    assert code.kernels["grid"].implicit_offset == 16
    assert code.kernels["grid"].vgpr_ids == 2
    assert code.kernels["atomics"].float_mode == 0xF0


def test_symbols_and_relocations(kernels: Any) -> None:
    code = kernels("memory", 2).code
    sizes = {symbol.name: symbol.size for symbol in code.symbols if not symbol.is_function}
    assert (sizes["counter"], sizes["squares"], sizes["place"]) == (4, 64, 8)
    addresses = {symbol.name: symbol.address for symbol in code.symbols}
    assert (addresses["place"], addresses["counter"]) in code.relocations


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"\x7fELF" + bytes(100), bytes(64)])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(CodeObjectError):
        parse_code_object(data)
    with pytest.raises(CodeObjectError, match="not a code object"):
        elf_size(data[:3])
