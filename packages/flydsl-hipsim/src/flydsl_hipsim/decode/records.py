"""Instruction records (`FlySimRecord`) and the opcodes that they name.

Every word of an instruction is parsed once in a process: kernels repeat themselves.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from flydsl_hipsim.decode.modifiers import Modifier, parse_modifier
from flydsl_hipsim.decode.operands import OPERAND_BYTES, label_operand, parse_operand

MAX_OPERANDS = 8
UNKNOWN = "<unknown>"
_HEADER = struct.Struct("<II4B4BIiiI4B4BB3B")
RECORD_BYTES = _HEADER.size + MAX_OPERANDS * OPERAND_BYTES
_TOKEN = re.compile(r"(?:[^,\s\[(|]|\[[^\]]*\]|\([^)]*\)|\|[^|]*\|)+")
_SUFFIX = re.compile(r"(_e32|_e64)?(_sdwa|_dpp8|_dpp)?$")
_FORMS = {None: 0, "_sdwa": 1, "_dpp": 2, "_dpp8": 3}
_BRANCH = re.compile(r"s_(?:branch|cbranch_\w+|call_b64|call_i64|subvector_loop_\w+)\b")
_DUAL = 16384
_HINTS = frozenset({"s_delay_alu", "s_waitcnt_depctr", "s_wait_alu", "s_sendmsg", "s_sendmsghalt", "s_version"})
"""Their operands have a syntax of their own and change nothing that is computed."""

_WITHOUT_MASK = 3  # operands of a dual selection by vcc, which only gfx1250's text has
_VCC = parse_operand("vcc_lo") or b""

Instruction = tuple[str, int, bytes, str, str]
"""As `flydsl_mlir.disassemble` gives it: section, address, bytes, label, text."""


@dataclass(slots=True)
class Decoded:
    """Records of all instructions, one after the other, and the names that their opcodes are indices of."""

    records: bytearray = field(default_factory=bytearray)
    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    count: int = 0


def decode(instructions: Iterable[Instruction]) -> Decoded:
    """Bytes and words that are not understood become opcodes that no engine has: loading names those of functions."""
    out, numbers = Decoded(), dict[str, int]()
    for _, address, code, _, text in instructions:
        body = text.split(" <", 1)[0] if text.endswith(">") and text[0] != "<" else text
        halves = body.split(" :: ")
        for k, half in enumerate(halves):
            name, record = _branch(half, address, code) if _BRANCH.match(half) else _record(half)
            number = numbers.setdefault(name, len(numbers))
            start = len(out.records)
            out.records += record
            struct.pack_into("<IIB", out.records, start, number, address, len(code))
            if name == "ds_swizzle_b32":  # the text leaves out masks of rotations
                struct.pack_into("<i", out.records, start + 20, code[0] | code[1] << 8)
            if k + 1 < len(halves):
                _set_flag(out.records, start, _DUAL)
            out.texts.append(text)
    out.names = list(numbers)
    out.count = len(out.texts)
    return out


def _set_flag(records: bytearray, start: int, flag: int) -> None:
    (flags,) = struct.unpack_from("<I", records, start + 16)
    struct.pack_into("<I", records, start + 16, flags | flag)


def _branch(text: str, address: int, code: bytes) -> tuple[str, bytes]:
    """The target from the encoding: the text has only a number of words."""
    (words,) = struct.unpack_from("<h", code)
    name, *rest = text.split(None, 1)
    operands = [parsed for token in _TOKEN.findall(rest[0])[:-1] if (parsed := parse_operand(token))] if rest else []
    operands.append(label_operand(address + 4 + 4 * words))
    return name, _pack(name, 0, {}, operands)


@cache
def _record(text: str) -> tuple[str, bytes]:
    """The opcode without its encoding's suffix, and the record with opcode and address still to be filled in.

    A word that is not understood becomes part of the opcode's name.
    """
    mnemonic, *rest = text.split(None, 1) or [UNKNOWN]
    suffix = _SUFFIX.search(mnemonic)
    assert suffix is not None
    name = mnemonic[: suffix.start()]
    fields: dict[str, int] = {}
    operands: list[bytes] = []
    for token in _TOKEN.findall(rest[0]) if rest and name not in _HINTS else ():
        parsed = _word(token)
        if parsed is None:
            return f"{name} {token}", _pack(name, 0, {}, [])
        if isinstance(parsed, bytes):
            operands.append(parsed)
        elif parsed[0] in ("flags", "scales"):
            fields[parsed[0]] = fields.get(parsed[0], 0) | parsed[1]
        else:
            fields[parsed[0]] = parsed[1]
    if name == "v_dual_cndmask_b32" and len(operands) == _WITHOUT_MASK:
        operands.append(_VCC)
    if byte := fields.get("byte_sel"):  # as op_sel has it, of the destination of random rounding, else of a source
        chosen = byte << 2 if name.startswith("v_cvt_sr_") else byte >> 1 | (byte & 1) << 1
        fields["op_sel"] = fields.get("op_sel", 0) | chosen
    if "scale_offset" in fields:
        fields["abid"] = _element_size(name).bit_length() - 1
    form = _FORMS[suffix[2]]
    if "dpp8:" in text:
        form = 3
    elif not form and "row_mask" in fields:  # RDNA's comparisons are printed without _dpp
        form = 2
    return name, _pack(name, form, fields, operands)


def _element_size(name: str) -> int:
    """Bytes that a lane of a load, store or atomic moves, by the number at the end of its name."""
    match = re.search(r"(pk_\w+_)?[a-z]+(\d+)$", name)
    assert match is not None, name
    return 4 if match[1] else int(match[2]) // 8


@cache
def _word(token: str) -> bytes | Modifier | None:
    return parse_operand(token) or parse_modifier(token)


def _pack(name: str, form: int, fields: dict[str, int], operands: list[bytes]) -> bytes:
    assert len(operands) <= MAX_OPERANDS, name
    get = fields.get
    mixed = "mix" in name
    waits = -1 if name.startswith("s_waitcnt") else 0
    header = _HEADER.pack(
        0, 0, 0, len(operands), form, get("omod", 0),
        get("op_sel", 0), get("op_sel_hi", 0 if mixed else 0xFF), get("neg_lo", 0), get("neg_hi", 0),
        get("flags", 0), get("offset", waits), get("offset1", waits), get("dpp_control", get("scales", 0)),
        get("row_mask", 15), get("bank_mask", 15), get("dst_sel", 6), get("dst_unused", 0),
        get("src0_sel", 6), get("src1_sel", 6), get("cbsz", 0), get("abid", 0),
        get("blgp", 0), mixed and "bf16" in name, 0, 0,
    )  # fmt: skip
    return header + b"".join(operands).ljust(MAX_OPERANDS * OPERAND_BYTES, b"\0")
