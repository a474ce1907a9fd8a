"""A chip in, the names that LLVM's assembler takes for it and an example of each out: what the simulator should know.

Names come from the table in LLVM's library; examples from its disassembler, given each opcode of each encoding.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["accepted_names", "examples", "printed_names"]

_FIRST = b"\x09s_abs_i32"
_NAME = re.compile(rb"[a-z0-9_.]+")


@cache
def _mnemonics() -> list[str]:
    """The assembler's table: names one after the other, each with its length in front."""
    files = subprocess.run(
        ["llvm-config-22", "--link-shared", "--libfiles"], capture_output=True, text=True, check=True
    )
    data = Path(files.stdout.split()[0]).read_bytes()
    at = data.find(_FIRST)
    assert at >= 0
    for start in range(max(0, at - 20000), at):
        names = _names_from(data, start)
        if len(names) > 2000:
            return sorted(set(names))
    raise AssertionError("no table of mnemonics")


def _names_from(data: bytes, at: int) -> list[str]:
    names = []
    while (size := data[at]) and _NAME.fullmatch(data, at + 1, at + 1 + size):
        names.append(data[at + 1 : at + 1 + size].decode())
        at += 1 + size
    return names


@cache
def accepted_names(chip: str) -> frozenset[str]:
    """Without encodings' suffixes."""
    names = _mnemonics()
    command = ["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-filetype=null"]
    done = subprocess.run(command, input="\n".join(names) + "\n", capture_output=True, text=True, check=False)
    unknown = re.findall(r"<stdin>:(\d+):\d+: error: (?:instruction not supported|invalid instruction)", done.stderr)
    wrong = {int(number) for number in unknown}
    return frozenset(_plain(name) for k, name in enumerate(names, 1) if k not in wrong)


def _plain(name: str) -> str:
    return re.sub(r"(_e32|_e64)?(_dpp8|_dpp|_sdwa)?$", "", name)


_LDS_WORDS = [  # address, data, second data, destination: what an instruction does not have is 0
    4 | data << 8 | second << 16 | to << 24 for data in (0, 6) for second in (0, 8) for to in (0, 2)
] + [0x02000000, 6 << 8, 0]
_S, _V = 0x02, 0x02  # registers that make pairs and fours
_GFX11 = [  # the first word without its opcode, the opcode's place and bits, the words that follow
    (0x80000000 | _S << 16 | 4 << 8 | 6, 23, 7, (0x40000000,)),  # SOP2, perhaps with a literal
    *((0xB0000000 | to << 16, 23, 5, (0,)) for to in (_S, 0x7C)),  # SOPK, perhaps with null
    *((0xBE800000 | _S << 16 | source, 8, 8, ()) for source in (4, 0x7D)),  # SOP1, perhaps with m0
    (0xBF000000 | 4 << 8 | 6, 16, 7, ()),  # SOPC
    (0xBF800000, 16, 7, ()),  # SOPP
    (0x7E000000 | _V << 17 | 0x104, 9, 8, ()),  # VOP1
    *(
        (_V << 17 | 6 << 9 | 0x104, 25, 6, (literal,)) for literal in (0x40000000, 0x4000)
    ),  # VOP2, perhaps with a literal
    (0x7C000000 | 6 << 9 | 0x104, 17, 8, ()),  # VOPC
    (0xD4000000 | _V, 16, 10, (0x104 | 0x106 << 9 | 0x108 << 18,)),  # VOP3
    (0xD4000000 | _V, 16, 10, (0x104 | 4 << 9 | 6 << 18,)),  # VOP3 with scalars
    (0xD4000000 | _V, 16, 10, (4 | 6 << 9 | 6 << 18,)),
    (0xCC000000 | _V | 0x40 << 8, 16, 8, (0x110 | 0x120 << 9 | 0x130 << 18 | 3 << 27,)),  # VOP3P
    (0xC8000000 | 0x104, 22, 4, (0x106 | 5 << 9 | 3 << 17 | 6 << 24, 0x40000000)),  # VOPD, perhaps with a literal
    *((0xD8000000, 18, 8, (word,)) for word in _LDS_WORDS),  # DS
]
_BEFORE_12 = [
    (0xF4000000 | 2 | 8 << 6, 18, 8, (0xF8000000,)),  # SMEM
    *((0xDC000000 | segment << 16, 18, 7, (4 | 6 << 8 | 0x7C << 16 | _V << 24,)) for segment in range(3)),  # FLAT
    *((0xDC000000 | segment << 16 | 1 << 14, 18, 7, (4 | 6 << 8 | 0x7C << 16 | _V << 24,)) for segment in range(3)),
    (0xDC020000, 18, 7, (4 | 6 << 8 | 0x04 << 16 | _V << 24,)),  # with a scalar base
    (0xE0000000, 18, 8, (4 | 6 << 8 | 2 << 16 | 0x80 << 24,)),  # MUBUF
]
_FROM_12 = [
    (0xCF000104, 17, 6, (0x04030105, 0x04000602)),  # VOPD3
    (0xCF000104, 17, 6, (0x08060106, 0x06080C02)),  # with pairs
    (0xF4000000 | 2 | 8 << 6, 13, 6, (0xF8000000,)),  # SMEM
    *(
        (word | 0x7C, 14, 8, (scope << 20 | 6 << 23 | _V, 4))
        for word in (0xEC000000, 0xED000000, 0xEE000000)
        for scope in (0, 1)
    ),
    (0xEE000000 | 4, 14, 8, (_V, 4)),  # with a scalar base
    (0xC4000000 | 0x7C, 14, 8, (_V | 4 << 9, 4)),  # VBUFFER
]


def _words(chip: str) -> Iterator[tuple[int, ...]]:
    for first, shift, bits, rest in [*_GFX11, *(_BEFORE_12 if chip.startswith("gfx11") else _FROM_12)]:
        for opcode in range(1 << bits):
            yield (first | opcode << shift, *rest)


_OTHERS = (  # what the words above do not give
    "v_nop",
    "v_fmaak_f64 v[2:3], v[4:5], v[6:7], 0x1234567812345678",
    "v_fmamk_f64 v[2:3], v[4:5], 0x1234567812345678, v[6:7]",
    "v_dual_lshlrev_b32 v1, v2, v3 :: v_dual_add_nc_u32 v4, v5, v6",
    "v_dual_lshrrev_b32 v1, v2, v3 :: v_dual_sub_nc_u32 v4, v5, v6",
    "v_dual_mov_b32 v1, v2 :: v_dual_ashrrev_i32 v4, v5, v6",
    "v_dual_ashrrev_i32 v1, v2, v3 :: v_dual_mov_b32 v4, v5",
    "v_dual_fma_f64 v[2:3], v[4:5], v[6:7], v[8:9] :: v_dual_fma_f32 v1, v10, v12, v11",
    *(
        f"v_dual_{name}_f64 v[2:3], v[4:5], v[6:7] :: v_dual_mov_b32 v9, v10"
        for name in ("add", "mul", "max_num", "min_num")
    ),
    "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47]",
    "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47], v48, v49",
    "v_wmma_scale16_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47], v[48:49], v[50:51]",
    "v_wmma_scale_f32_32x16x128_f4 v[0:15], v[16:31], v[32:39], v[40:55], v56, v57",
    "v_wmma_scale16_f32_32x16x128_f4 v[0:15], v[16:31], v[32:39], v[40:55], v[56:57], v[58:59]",
)


def _is_whole(line: str) -> bool:
    return bool(line.strip()) and not line.strip().startswith(".") and "/*Invalid" not in line


def _taken(lines: list[str], chip: str) -> list[tuple[str, str]]:
    """Lines that the assembler takes, and each as it is printed."""
    command = ["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}"]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    wrong = {int(number) for number in re.findall(r"<stdin>:(\d+):\d+: error", done.stderr)}
    given = [line for k, line in enumerate(lines, 1) if k not in wrong]
    printed = [line.strip() for line in done.stdout.splitlines() if line.strip() and not line.strip().startswith(".")]
    return list(zip(given, printed, strict=True))


@cache
def printed_names(chip: str) -> dict[str, str]:
    """Each accepted name to the one that the disassembler has for it: its own, or that of which it is another name.

    Names that are not in the result are accepted with no operands that instructions of their kind have.
    """
    known = examples(chip)
    operands: dict[str, set[str]] = {}
    for line in known.values():
        name, _, rest = line.partition(" :: ")[0].partition(" ")
        operands.setdefault(name.split("_")[0], set()).add(rest)
    others = sorted(accepted_names(chip) - set(known))
    lines = [f"{name} {rest}" for name in others for rest in sorted(operands.get(name.split("_")[0], ()))]
    taken = {line.split()[0]: _plain(printed.split()[0]) for line, printed in reversed(_taken(lines, chip))}
    return taken | {name: name for name in known}


@cache
def examples(chip: str) -> dict[str, str]:
    """A name without its encoding's suffix to a line that the assembler takes."""
    lines = (
        "[" + " ".join(f"0x{byte:02x}" for word in words for byte in word.to_bytes(4, "little")) + "]"
        for words in _words(chip)
    )
    command = ["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "--disassemble"]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    lines = sorted(
        {line.strip() for line in done.stdout.splitlines() if line.strip() and not line.strip().startswith(".")}
    )
    found: dict[str, str] = {}
    for _, line in _taken([*lines, *_OTHERS], chip):
        for half in line.split(" :: "):
            found.setdefault(_plain(half.split(None, 1)[0]), line)
    return found
