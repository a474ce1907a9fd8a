"""Instruction operands as twelve bytes of a record: registers, constants and their modifiers."""

from __future__ import annotations

import re
import struct

OPERAND_BYTES = 12
_PACK = struct.Struct("<BBBxHxxI").pack
_PACK_64 = struct.Struct("<BBBxHHI").pack

NONE, SGPR, VGPR, INT, FLOAT, LITERAL, LABEL, OFF, LITERAL_64 = range(9)
NEG, ABS, SEXT, HIGH_HALF, LOW_HALF = 1, 2, 4, 8, 16

_REGISTER = re.compile(r"([vsa]|ttmp|acc)(?:(\d+)|\[(\d+):(\d+)\]|\[(\d+)\])(\.[lh])?")
_INTEGER = re.compile(r"-?\d+")
_HEX = re.compile(r"(?:lit\()?(-?0x[0-9a-f]+)\)?")  # lit: an inline constant would do as well
_HEX_64 = re.compile(r"lit64\((0x[0-9a-f]+)\)|(0x[0-9a-f]{9,16})")
_DECIMAL = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")
_INDEXED = re.compile(r"gpr_idx\(([\w,]*)\)")
_HWREG = re.compile(r"hwreg\((\w+)(?:, *(\d+), *(\d+))?\)")

_BASES = {"s": (SGPR, 0), "ttmp": (SGPR, 108), "v": (VGPR, 0), "a": (VGPR, 256), "acc": (VGPR, 256)}
_NAMED: dict[str, tuple[int, int, int]] = {  # kind, index, registers
    "vcc": (SGPR, 106, 2),
    "vcc_lo": (SGPR, 106, 1),
    "vcc_hi": (SGPR, 107, 1),
    "exec": (SGPR, 126, 2),
    "exec_lo": (SGPR, 126, 1),
    "exec_hi": (SGPR, 127, 1),
    "m0": (SGPR, 124, 1),
    "flat_scratch": (SGPR, 102, 2),
    "flat_scratch_lo": (SGPR, 102, 1),
    "flat_scratch_hi": (SGPR, 103, 1),
    "xnack_mask": (SGPR, 104, 2),
    "xnack_mask_lo": (SGPR, 104, 1),
    "xnack_mask_hi": (SGPR, 105, 1),
    "src_flat_scratch_base_lo": (SGPR, 132, 2),
    "src_flat_scratch_base_hi": (SGPR, 133, 1),
    "src_shared_base": (SGPR, 128, 2),
    "src_shared_limit": (SGPR, 130, 2),
    "src_private_base": (SGPR, 132, 2),
    "src_private_limit": (SGPR, 134, 2),
    "src_vccz": (SGPR, 136, 1),
    "src_execz": (SGPR, 137, 1),
    "src_scc": (SGPR, 138, 1),
    "src_lds_direct": (SGPR, 139, 1),
    "null": (OFF, 0, 1),
    "off": (OFF, 0, 1),
}
_WRAPPERS = {"sext(": SEXT, "neg(": NEG, "abs(": ABS, "lit(": 0}
_MESSAGE = re.compile(r"sendmsg\((\w+).*\)")
_MESSAGES = {"MSG_RTN_GET_DOORBELL": 128, "MSG_RTN_GET_DDID": 129, "MSG_RTN_GET_TMA": 130, "MSG_RTN_GET_REALTIME": 131}
_INDEXED_OPERANDS = {"SRC0": 1, "SRC1": 2, "SRC2": 4, "DST": 8}
_HARDWARE_REGISTERS = {
    "HW_REG_MODE": 1,
    "HW_REG_WAVE_MODE": 1,
    "HW_REG_STATUS": 2,
    "HW_REG_TRAPSTS": 3,
    "HW_REG_HW_ID": 4,
    "HW_REG_XCC_ID": 20,
    "HW_REG_IB_STS2": 28,
    "HW_REG_SHADER_CYCLES": 29,
    "HW_REG_SHADER_CYCLES_LO": 29,
    "HW_REG_SHADER_CYCLES_HI": 30,
}


def parse_operand(token: str) -> bytes | None:
    """The operand's bytes; None when the token is not an operand."""
    mods, body = _modifiers(token)
    if body in _NAMED:
        kind, index, count = _NAMED[body]
        return _PACK(kind, mods, count, index, 0)
    if match := _REGISTER.fullmatch(body):
        return _register(match, mods)
    if _INTEGER.fullmatch(body):
        return _PACK(INT, mods, 1, 0, int(body) & 0xFFFFFFFF)
    if match := _HEX_64.fullmatch(body):
        value = int(match[1] or match[2], 16)
        return _PACK_64(LITERAL_64, mods, 1, value >> 32 & 0xFFFF, value >> 48, value & 0xFFFFFFFF)
    if match := _HEX.fullmatch(body):
        return _PACK(LITERAL, mods, 1, 0, int(match[1], 16) & 0xFFFFFFFF)
    if _DECIMAL.fullmatch(body):
        return _PACK(FLOAT, mods, 1, 0, struct.unpack("<I", struct.pack("<f", float(body)))[0])
    if match := _INDEXED.fullmatch(body):
        return _PACK(LITERAL, 0, 1, 0, sum(_INDEXED_OPERANDS[word] for word in match[1].split(",") if word))
    if match := _HWREG.fullmatch(body):
        return _PACK(LITERAL, 0, 1, 0, _hardware_register(match))
    if match := _MESSAGE.fullmatch(body):
        return _PACK(LITERAL, 0, 1, 0, _MESSAGES.get(match[1], 0))
    return None


def label_operand(offset: int) -> bytes:
    """The target of a branch, as an offset from the image's base."""
    return _PACK(LABEL, 0, 1, 0, offset & 0xFFFFFFFF)


def _modifiers(token: str) -> tuple[int, str]:
    """`-|v1|`, `sext(v1)`, `neg(1)`, `abs(1)`: the bits and what is inside."""
    mods = 0
    while True:
        if token[:1] == "-" and token[1:2] in ("v", "s", "|", "a", "e", "m", "t"):
            mods, token = mods | NEG, token[1:]
        elif token[:1] == "|" and token[-1:] == "|":
            mods, token = mods | ABS, token[1:-1]
        elif token.endswith(")") and token.startswith(tuple(_WRAPPERS)):
            word, token = token[:-1].split("(", 1)
            mods |= _WRAPPERS[word + "("]
        else:
            return mods, token


def _register(match: re.Match[str], mods: int) -> bytes:
    bank, single, first, last, alone, half = match.groups()
    kind, base = _BASES[bank]
    if half:
        mods |= HIGH_HALF if half == ".h" else LOW_HALF
    start = int(single or first or alone)
    count = int(last) - start + 1 if last else 1
    if bank == "v" and start >= 256:
        base = 256  # v256 and more come after a0..a255
    return _PACK(kind, mods, count, base + start, 0)


def _hardware_register(match: re.Match[str]) -> int:
    name, offset, size = match.groups()
    return _HARDWARE_REGISTERS.get(name, 63) | int(offset or 0) << 6 | (int(size or 32) - 1) << 11
