"""Relocatable ELF objects that hold bytes as constants, made without a compiler."""

from __future__ import annotations

import struct

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")

_PROGBITS, _SYMTAB, _STRTAB = 1, 2, 3
_ALLOC = 2
_GLOBAL_OBJECT = (1 << 4) | 1
_HIDDEN = 2
_DATA, _SYMBOLS = 1, 3  # indices of the sections below


def data_object(data: bytes, symbol: str, *, like: bytes, alignment: int) -> bytes:
    """An object for the machine of the object `like`, with hidden symbols `<symbol>` and `<symbol>_size` (i64)."""
    machine, flags = struct.unpack_from("<H", like, 18)[0], struct.unpack_from("<I", like, 48)[0]
    size_at = -(-len(data) // 8) * 8
    content = data.ljust(size_at, b"\0") + struct.pack("<q", len(data))
    names = f"\0{symbol}\0{symbol}_size\0".encode()
    symbols = _SYMBOL.pack(0, 0, 0, 0, 0, 0)
    symbols += _SYMBOL.pack(1, _GLOBAL_OBJECT, _HIDDEN, _DATA, 0, len(data))
    symbols += _SYMBOL.pack(len(symbol) + 2, _GLOBAL_OBJECT, _HIDDEN, _DATA, size_at, 8)
    section_names = b"\0.rodata\0.note.GNU-stack\0.symtab\0.strtab\0"
    # name, type, flags, content, link, info, alignment, entry size
    sections = [
        (b".rodata", _PROGBITS, _ALLOC, content, 0, 0, alignment, 0),
        (b".note.GNU-stack", _PROGBITS, 0, b"", 0, 0, 1, 0),  # the stack need not be executable
        (b".symtab", _SYMTAB, 0, symbols, _SYMBOLS + 1, 1, 8, _SYMBOL.size),
        (b".strtab", _STRTAB, 0, names + section_names, 0, 0, 1, 0),
    ]
    body, table = b"", bytes(_SECTION.size)
    for name, kind, section_flags, part, link, info, align, entry in sections:
        offset = _HEADER.size + len(body)
        name_at = len(names) + section_names.index(name + b"\0")
        table += _SECTION.pack(name_at, kind, section_flags, 0, offset, len(part), link, info, align, entry)
        body += part.ljust(-(-len(part) // 8) * 8, b"\0")
    identity = b"\x7fELF\x02\x01\x01" + bytes(9)
    table_at, count = _HEADER.size + len(body), len(sections) + 1
    head = (identity, 1, machine, 1, 0, 0, table_at, flags, _HEADER.size, 0, 0, _SECTION.size, count, count - 1)
    return _HEADER.pack(*head) + body + table
