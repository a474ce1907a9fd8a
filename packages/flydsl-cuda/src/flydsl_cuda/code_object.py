"""The code object of this backend: machine code with its PTX behind it, or PTX alone, and what launches need to know.

The driver takes either as it is: behind the end of an ELF image, or of a text, it does not look. The PTX is for devices
and drivers that the machine code is not for, and to be read. Of kernels whose shared memory is a part of the dynamic
block (`nvvm-shared-arena`), the runtime reads how much a launch has to have beside what it asks for.

    cubin, PTX, a zero byte, needs, JSON, u64 bytes of PTX with the zero, u64 of needs, u64 of JSON, "FLYPTX\\0\\2"
    needs: for each such kernel u64 bytes, its name, a zero byte
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from flydsl.base.errors import CompileError
from flydsl_cuda.ptxas import Resources

MAGIC = b"FLYPTX\0\2"
SHARED_BLOCKS = "fly_nvvm.shared_blocks"
"""The attribute of a gpu.module that lists `kernel=bytes`."""
_FOOTER = struct.Struct("<QQQ8s")
_NEED = struct.Struct("<Q")
_ENTRY = re.compile(r'"([\w$.]+)=(\d+)"')
_LIST = re.compile(re.escape(SHARED_BLOCKS) + r' = \[((?:"[\w$.]+=\d+"(?:, )?)*)\]')
_ELF = b"\x7fELF"


def shared_blocks(module_text: str) -> dict[str, int]:
    """Bytes of dynamic shared memory that each kernel needs for its own allocations, from the text of a module."""
    return {name: int(size) for found in _LIST.finditer(module_text) for name, size in _ENTRY.findall(found[1])}


@dataclass(frozen=True, slots=True)
class CodeObject:
    """Kernels as PTX, and as machine code (empty: the driver assembles), with what each needs."""

    ptx: str
    cubin: bytes = b""
    kernels: Mapping[str, Resources] = field(default_factory=dict)
    shared_blocks: Mapping[str, int] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """What is loaded."""
        text = self.ptx.encode() + b"\0"
        needs = b"".join(_NEED.pack(size) + name.encode() + b"\0" for name, size in self.shared_blocks.items())
        facts = json.dumps({name: found._asdict() for name, found in self.kernels.items()}).encode()
        footer = _FOOTER.pack(len(text), len(needs), len(facts), MAGIC)
        return b"".join((self.cubin, text, needs, facts, footer))

    @classmethod
    def from_bytes(cls, code: bytes) -> CodeObject:
        """What `to_bytes` gave; CompileError for anything else."""
        end = len(code) - _FOOTER.size
        text, needs, facts, magic = _FOOTER.unpack(code[end:]) if end >= 0 else (0, 0, 0, b"")
        start = end - facts - needs - text
        if magic != MAGIC or start < 0 or not text or (start and not code.startswith(_ELF)):
            raise CompileError(f"{len(code)} bytes are no code object of backend 'cuda'")
        kernels = json.loads(code[end - facts : end])
        return cls(
            code[start : start + text - 1].decode(),
            code[:start],
            {name: Resources(**found) for name, found in kernels.items()},
            dict(_needs(code[end - facts - needs : end - facts])),
        )


def _needs(section: bytes) -> list[tuple[str, int]]:
    found = []
    while section:
        (size,) = _NEED.unpack_from(section)
        name, _, section = section[_NEED.size :].partition(b"\0")
        found.append((name.decode(), size))
    return found
