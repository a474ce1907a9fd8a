"""Line tables of code objects (DWARF 4 and 5): offsets in the image with `file:line`."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

Row = tuple[int, str]
_FORMS = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x1E: 16}  # data1, data2, data4, data8, data16
_STRING, _LINE_STRING, _STRP, _UDATA = 0x08, 0x1F, 0x0E, 0x0F
_PATH, _DIRECTORY = 1, 2


def line_table(data: bytes) -> list[Row]:
    """Sorted rows: a line holds until the next row's offset, an empty text ends it. None without debug information."""
    sections = dict(_sections(data))
    table = sections.get(".debug_line", b"")
    rows: list[Row] = []
    at = 0
    while at + 6 <= len(table):
        (length,) = struct.unpack_from("<I", table, at)
        rows += _Unit(table[at : at + 4 + length], sections).rows()
        at += 4 + length
    return sorted(rows, key=lambda row: (row[0], row[1] != ""))


def line_at(rows: list[Row], offset: int) -> str:
    """`file:line` of an offset; empty when the table does not say."""
    k = bisect_right(rows, offset, key=lambda row: row[0])
    return rows[k - 1][1] if k else ""


def _sections(data: bytes) -> Iterator[tuple[str, bytes]]:
    start, entry, count, names = struct.unpack_from("<Q10xHHH", data, 0x28)
    headers = [struct.unpack_from("<IIQQQQ", data, start + entry * k) for k in range(count)]
    if not headers:
        return
    strings = data[headers[names][4] :]
    for name, kind, _, _, offset, size in headers:
        if kind != 8:  # not SHT_NOBITS
            yield strings[name : strings.index(b"\0", name)].decode(errors="replace"), data[offset : offset + size]


@dataclass
class _Reader:
    data: bytes
    at: int = 0

    def number(self, size: int) -> int:
        self.at += size
        if self.at > len(self.data):
            raise ValueError("a line table ends too early")
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def uleb(self) -> int:
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def sleb(self) -> int:
        start = self.at
        value = self.uleb()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value

    def text(self) -> str:
        end = self.data.index(b"\0", self.at)
        found = self.data[self.at : end].decode(errors="replace")
        self.at = end + 1
        return found


@dataclass
class _State:
    address: int = 0
    file: int = 1
    line: int = 1
    out: list[Row] = field(default_factory=list)


class _Unit:
    """One line program with its header, as section 6.2 of the DWARF standard has them."""

    def __init__(self, data: bytes, sections: dict[str, bytes]) -> None:
        self.sections = sections
        self.reader = reader = _Reader(data, 4)
        self.version = reader.number(2)
        if self.version >= 5:
            reader.at += 2  # sizes of addresses and selectors
        length = reader.number(4)
        self.program = reader.at + length
        self.step = reader.number(1)
        reader.at += 2  # operations of an instruction; whether lines are statements
        self.line_base = int.from_bytes(reader.number(1).to_bytes(1), "little", signed=True)
        self.line_range, self.opcode_base = reader.number(1), reader.number(1)
        self.lengths = [reader.number(1) for _ in range(self.opcode_base - 1)]
        self.files = self._files_5() if self.version >= 5 else self._files_4()

    def _files_5(self) -> list[str]:
        self._entries()
        return [str(entry.get(_PATH, "")) for entry in self._entries()]

    def _entries(self) -> list[dict[int, str | int]]:
        reader = self.reader
        formats = [(reader.uleb(), reader.uleb()) for _ in range(reader.number(1))]
        count = reader.uleb() if formats else 0
        return [{content: self._form(form) for content, form in formats} for _ in range(count)]

    def _form(self, form: int) -> str | int:
        reader = self.reader
        if form == _STRING:
            return reader.text()
        if form in (_LINE_STRING, _STRP):
            section = self.sections[".debug_line_str" if form == _LINE_STRING else ".debug_str"]
            return _Reader(section, reader.number(4)).text()
        return reader.uleb() if form == _UDATA else reader.number(_FORMS[form])

    def _files_4(self) -> list[str]:
        reader, files = self.reader, [""]
        while reader.text():
            pass
        while name := reader.text():
            files.append(name)
            for _ in range(3):
                reader.uleb()
        return files

    def rows(self) -> list[Row]:
        """The matrix, without columns."""
        reader, state = self.reader, _State()
        reader.at = self.program
        out: list[Row] = []
        while reader.at < len(reader.data):
            opcode = reader.number(1)
            if opcode >= self.opcode_base:
                advance = opcode - self.opcode_base
                state.address += advance // self.line_range * self.step
                state.line += self.line_base + advance % self.line_range
                self._add(state, out)
            elif opcode == 0:
                state = self._extended(state, out)
            else:
                self._standard(opcode, state, out)
        return out

    def _add(self, state: _State, out: list[Row]) -> None:
        if state.line and state.file < len(self.files):  # line 0: made by the compiler, goes with the line before
            out.append((state.address, f"{self.files[state.file]}:{state.line}"))

    def _extended(self, state: _State, out: list[Row]) -> _State:
        reader = self.reader
        length = reader.uleb()
        end, code = reader.at + length, reader.number(1)
        if code == 1:  # end of a sequence
            out.append((state.address, ""))
            state = _State()
        elif code == 2:
            state.address = reader.number(length - 1)
        reader.at = end
        return state

    def _standard(self, opcode: int, state: _State, out: list[Row]) -> None:
        reader = self.reader
        if opcode == 1:
            self._add(state, out)
        elif opcode == 2:
            state.address += reader.uleb() * self.step
        elif opcode == 3:
            state.line += reader.sleb()
        elif opcode == 4:
            state.file = reader.uleb()
        elif opcode == 8:
            state.address += (255 - self.opcode_base) // self.line_range * self.step
        elif opcode == 9:
            state.address += reader.number(2)
        else:
            for _ in range(self.lengths[opcode - 1]):
                reader.uleb()
