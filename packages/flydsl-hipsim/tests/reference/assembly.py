"""Instructions in, a code object that runs them and stores what each did out."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .chips import Chip, chip_named
from .contents import LDS_BYTES, REGISTERS, SCRATCH_BYTES
from .instruction import Instruction

_LANE, _ROW = 40, 41  # VGPRs: four times the lane, and a row of scalars
_HEAD = """.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.text
.globl main
.p2align 8
.type main,@function
main:
  v_and_b32 v{lane}, 0x3ff, v0
  v_lshlrev_b32 v{lane}, 2, v{lane}
  s_load_dwordx4 s[44:47], s[0:1], 0
  s_waitcnt 0
"""
_TAIL = """  s_endpgm
.Lend:
.size main, .Lend-main
.rodata
.p2align 6
.amdhsa_kernel main
  .amdhsa_next_free_vgpr {vgprs}
  .amdhsa_next_free_sgpr 100
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_private_segment_fixed_size {scratch}
{options}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{arch}
amdhsa.kernels:
  - .name: main
    .symbol: main.kd
    .kernarg_segment_size: {bytes}
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: {scratch}
    .kernarg_segment_align: 8
    .wavefront_size: {lanes}
    .sgpr_count: 100
    .vgpr_count: {vgprs}
    .max_flat_workgroup_size: 64
    .args:
{arguments}
...
.end_amdgpu_metadata
"""
_ARGUMENT = "      - {{.size: 8, .offset: {}, .value_kind: global_buffer, .address_space: global}}"


def kernel(
    body: Iterable[str],
    chip: Chip | str,
    ieee: bool = True,
    clamps_nan: bool = True,
    vgprs: int = 128,
    accumulators: int = 128,
    arguments: int = 2,
) -> str:
    """A kernel `main(out, in)`; s[44:45] is out, s[46:47] in, v40 four times the lane; more are not loaded."""
    chip = chip_named(chip) if isinstance(chip, str) else chip
    options = []
    if chip.generation < 12:
        options += [f"  .amdhsa_ieee_mode {int(ieee)}", f"  .amdhsa_dx10_clamp {int(clamps_nan)}"]
    options += [f"  .amdhsa_accum_offset {accumulators}"] * (chip.generation == 9)
    options += [f"  .amdhsa_wavefront_size32 {int(chip.lanes == 32)}"] * (chip.generation > 9)
    tail = _TAIL.format(
        arch=chip.arch, vgprs=vgprs, lanes=chip.lanes, lds=LDS_BYTES, scratch=SCRATCH_BYTES, options="\n".join(options),
        bytes=8 * arguments, arguments="\n".join(_ARGUMENT.format(8 * k) for k in range(arguments)),
    )  # fmt: skip
    text = _HEAD.format(arch=chip.arch, lane=_LANE) + "\n".join(body) + "\n" + tail
    return text.replace("s_waitcnt 0", "s_wait_idle") if chip.generation == 12 else text


def step_rows(i: Instruction) -> int:
    """How many rows of lanes a step stores: its vector destinations and one of scalars."""
    return 1 + sum(o.count for part in (i, i.second) if part for o in part.targets if o.kind == "v")


def _advance(register: str, count: int) -> list[str]:
    number = int(register[1:])
    return [f"  s_add_u32 s{number}, s{number}, {count}", f"  s_addc_u32 s{number + 1}, s{number + 1}, 0"]


def _stores(registers: Iterable[int], chip: Chip) -> list[str]:
    lines = []
    for register in registers:
        lines += [f"  global_store_dword v{_LANE}, v{register}, s[44:45]", *_advance("s44", 4 * chip.lanes)]
    return lines


def _step(i: Instruction, chip: Chip) -> list[str]:
    """The instruction, then what it left in scalars (in lanes of one row) and in its vector destinations."""
    wide = chip.lanes == 64
    scalar = next((o for o in i.targets if o.kind == "s"), None)
    values = ["vcc_lo", "vcc_hi", "s42", "s43" if wide else "s41", "s41"]
    values += [f"s{scalar.index + k}" for k in range(scalar.count)] if scalar else []
    parts = [part for part in (i, i.second) if part]
    vectors = [o.index + k for part in parts for o in part.targets if o.kind == "v" for k in range(o.count)]
    return [
        *([f"  {i.before}"] if i.before else []),
        f"  {i}",
        "  s_waitcnt 0",
        "  s_cselect_b32 s41, 1, 0",
        "  s_mov_b64 s[42:43], exec" if wide else "  s_mov_b32 s42, exec_lo",
        *(f"  v_writelane_b32 v{_ROW}, {value}, {k}" for k, value in enumerate(values)),
        "  s_mov_b64 exec, -1" if wide else "  s_mov_b32 exec_lo, -1",
        *_stores([_ROW, *vectors], chip),
        "  s_mov_b64 exec, s[42:43]" if wide else "  s_mov_b32 exec_lo, s42",
        "  s_cmp_lg_u32 s41, 0",
    ]


def sequence(made: list[Instruction], registers: list[int], scalars: list[int], mode: int, chip: Chip) -> list[str]:
    """Registers from `in`, then each instruction and a store of what it did, then all registers."""
    lines = [f"  s_load_dword s{register}, s[46:47], {4 * k}" for k, register in enumerate(scalars)]
    lines += ["  s_waitcnt 0", *_advance("s46", 4 * len(scalars))]
    for k in registers:
        lines += [f"  global_load_dword v{k}, v{_LANE}, s[46:47]", *_advance("s46", 4 * chip.lanes)]
    lines += ["  s_waitcnt 0", f"  v_mov_b32 v{_ROW}, 0"]
    lines += [f"  scratch_store_dword off, v{_ROW}, off offset:{k}" for k in range(0, SCRATCH_BYTES, 4)]
    lines += [
        f"  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), {mode}",
        "  s_mov_b64 vcc, 0",
        "  s_cmp_lg_u32 0, 0",
    ]
    for i in made:
        lines += _step(i, chip)
    lines.append("  s_mov_b64 exec, -1" if chip.lanes == 64 else "  s_mov_b32 exec_lo, -1")
    return lines + _stores(range(REGISTERS), chip)


def code_object(
    made: list[Instruction], registers: list[int], scalars: list[int], mode: int, chip: Chip, **options: bool
) -> str:
    return kernel(sequence(made, registers, scalars, mode, chip), chip, arguments=3, **options)


def assemble(text: str, chip: Chip | str, folder: Path) -> bytes:
    chip = chip_named(chip) if isinstance(chip, str) else chip
    source, made, linked = folder / "main.s", folder / "main.o", folder / "main.hsaco"
    source.write_text(text)
    subprocess.run(["llvm-mc-22", *chip.target, "-filetype=obj", str(source), "-o", str(made)], check=True)
    subprocess.run(["ld.lld-22", "-shared", str(made), "-o", str(linked)], check=True)
    return linked.read_bytes()


def known_lines(lines: list[str], chip: Chip | str, wave: int = 0) -> list[str]:
    """What the assembler makes of each line: its text, empty where the chip has no such thing.

    In waves of another size than the chip's usual one if `wave` says so.
    """
    chip = chip_named(f"{chip}-wave{wave}" if wave else chip) if isinstance(chip, str) else chip
    command = ["llvm-mc-22", *chip.target]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    wrong = {int(number) for number in re.findall(r"<stdin>:(\d+):\d+: error", done.stderr)}
    texts = iter(line.strip() for line in done.stdout.splitlines() if line.strip() and line.strip()[0] != ".")
    return ["" if k in wrong else next(texts) for k in range(1, len(lines) + 1)]
