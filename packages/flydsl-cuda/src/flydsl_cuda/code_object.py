"""The code object of this backend: machine code with its PTX behind it, or PTX alone.

The driver takes either as it is: behind the end of an ELF image it does not look. The PTX is for devices and drivers
that the machine code is not for, and to be read.

    cubin, PTX, a zero byte, JSON, u64 bytes of PTX with the zero, u64 bytes of JSON, "FLYPTX\\0\\1"
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from flydsl.base.errors import CompileError
from flydsl_cuda.ptxas import Resources

MAGIC = b"FLYPTX\0\1"
_FOOTER = struct.Struct("<QQ8s")
_ELF = b"\x7fELF"


@dataclass(frozen=True, slots=True)
class CodeObject:
    """Kernels as PTX, and as machine code (empty: the driver assembles), with what each needs."""

    ptx: str
    cubin: bytes = b""
    kernels: Mapping[str, Resources] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """What is loaded."""
        text = self.ptx.encode() + b"\0"
        if not self.cubin:
            return text
        facts = json.dumps({name: found._asdict() for name, found in self.kernels.items()}).encode()
        return b"".join((self.cubin, text, facts, _FOOTER.pack(len(text), len(facts), MAGIC)))

    @classmethod
    def from_bytes(cls, code: bytes) -> CodeObject:
        """What `to_bytes` gave; CompileError for anything else."""
        if not code.startswith(_ELF):
            if b".version" not in code or not code.endswith(b"\0"):
                raise CompileError(f"{len(code)} bytes are no code object of backend 'cuda'")
            return cls(code[:-1].decode())
        text, facts, magic = _FOOTER.unpack(code[-_FOOTER.size :]) if len(code) > _FOOTER.size else (0, 0, b"")
        end = len(code) - _FOOTER.size
        if magic != MAGIC or text + facts > end:
            raise CompileError(f"{len(code)} bytes of machine code have no PTX behind them: made by another program")
        kernels = json.loads(code[end - facts : end])
        return cls(
            code[end - facts - text : end - facts - 1].decode(),
            code[: end - facts - text],
            {name: Resources(**found) for name, found in kernels.items()},
        )
