"""Instructions in, a code object that runs them and stores what each did out."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .instruction import Instruction

__all__ = ["STEP_WORDS", "assemble", "code_object", "kernel", "known_lines"]

STEP_WORDS = 3 * 64
"""After each instruction: two registers of its destination, and a row of scalars."""
_STEP = """
  s_cselect_b32 s41, 1, 0
  s_mov_b64 s[42:43], exec
  v_writelane_b32 v41, vcc_lo, 0
  v_writelane_b32 v41, vcc_hi, 1
  v_writelane_b32 v41, s42, 2
  v_writelane_b32 v41, s43, 3
  v_writelane_b32 v41, s41, 4
  v_writelane_b32 v41, s{scalar}, 5
  v_writelane_b32 v41, s{above}, 6
  s_mov_b64 exec, -1
  global_store_dword v40, v{vector}, s[44:45]
  global_store_dword v40, v{next}, s[44:45] offset:256
  global_store_dword v40, v41, s[44:45] offset:512
  s_add_u32 s44, s44, 768
  s_addc_u32 s45, s45, 0
  s_mov_b64 exec, s[42:43]
  s_cmp_lg_u32 s41, 0
"""
_HEAD = """.amdgcn_target "amdgcn-amd-amdhsa--{chip}"
.text
.globl main
.p2align 8
.type main,@function
main:
  v_and_b32 v40, 0x3ff, v0
  v_lshlrev_b32 v40, 2, v40
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
  .amdhsa_accum_offset {accumulators}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_ieee_mode {ieee}
  .amdhsa_dx10_clamp {clamps_nan}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{chip}
amdhsa.kernels:
  - .name: main
    .symbol: main.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 100
    .vgpr_count: {vgprs}
    .max_flat_workgroup_size: 64
    .args:
      - {{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}}
      - {{.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}}
...
.end_amdgpu_metadata
"""


def kernel(
    body: Iterable[str],
    chip: str,
    ieee: bool = True,
    clamps_nan: bool = True,
    vgprs: int = 128,
    accumulators: int = 128,
) -> str:
    """A kernel `main(out, in)`; s[44:45] is out, s[46:47] in, v40 four times the lane."""
    tail = _TAIL.format(chip=chip, vgprs=vgprs, accumulators=accumulators, ieee=int(ieee), clamps_nan=int(clamps_nan))
    return _HEAD.format(chip=chip) + "\n".join(body) + "\n" + tail


def sequence(made: list[Instruction], registers: int, scalars: int, mode: int) -> list[str]:
    """Registers from `in`, then each instruction and a store of what it did, then all registers."""
    lines = [f"  s_load_dword s{k}, s[46:47], {4 * k}" for k in range(scalars)] + ["  s_waitcnt 0"]
    lines += [f"  s_add_u32 s46, s46, {4 * scalars}", "  s_addc_u32 s47, s47, 0"]
    for k in range(registers):
        lines += [f"  global_load_dword v{k}, v40, s[46:47]", "  s_add_u32 s46, s46, 256", "  s_addc_u32 s47, s47, 0"]
    lines += [
        f"  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), {mode}",
        "  s_mov_b64 vcc, 0",
        "  s_waitcnt 0",
        "  s_cmp_lg_u32 0, 0",
    ]
    for i in made:
        vector = next((o.index for o in i.targets if o.kind == "v"), 0)
        scalar = next((o.index for o in i.targets if o.kind == "s"), 0)
        step = _STEP.format(scalar=scalar, above=scalar + 1, vector=vector, next=vector + 1)
        lines.append(f"  {i}\n  s_waitcnt 0{step}")
    lines.append("  s_mov_b64 exec, -1")
    for k in range(registers):
        lines += [f"  global_store_dword v40, v{k}, s[44:45]", "  s_add_u32 s44, s44, 256", "  s_addc_u32 s45, s45, 0"]
    return lines


def code_object(made: list[Instruction], registers: int, scalars: int, mode: int, chip: str, **options: bool) -> str:
    return kernel(sequence(made, registers, scalars, mode), chip, **options)


def assemble(text: str, chip: str, folder: Path) -> bytes:
    source, made, linked = folder / "main.s", folder / "main.o", folder / "main.hsaco"
    source.write_text(text)
    target = ["-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}"]
    subprocess.run(["llvm-mc-22", *target, "-filetype=obj", str(source), "-o", str(made)], check=True)
    subprocess.run(["ld.lld-22", "-shared", str(made), "-o", str(linked)], check=True)
    return linked.read_bytes()


def known_lines(lines: list[str], chip: str, wave: int = 0) -> list[bool]:
    """Which lines the assembler takes for a chip, in waves of another size than its usual one if `wave` says so."""
    command = ["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-filetype=null"]
    command += [f"-mattr=+wavefrontsize{wave}"] if wave else []
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    wrong = {int(number) for number in re.findall(r"<stdin>:(\d+):\d+: error", done.stderr)}
    return [k not in wrong for k in range(1, len(lines) + 1)]
