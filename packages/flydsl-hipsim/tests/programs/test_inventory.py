"""Every instruction that LLVM's assembler takes for a chip is executed, or is in a list that says why not.

`inventory/CHIP.s` has one instruction for each name that LLVM's disassembler prints for the chip; a chip with such a
file is tested. `inventory/refused.txt` has reasons, each with the names it is for. `inventory/collect.py` makes CHIP.s.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from flydsl_hipsim.native import load_library
from flydsl_hipsim.program import Program

FOLDER = Path(__file__).parent / "inventory"
CHIPS = sorted(path.stem for path in FOLDER.glob("*.s"))
SUFFIX = re.compile(r"(_e32|_e64)?(_sdwa|_dpp8|_dpp)?$")
GROUP = 150
"""Instructions of one program; a fault names one of them."""
LEAVES = re.compile(r"s_(endpgm|setpc|swappc|set_pc|swap_pc|sendmsghalt|code_end|trap|call_|add_pc)|s_endpgm")
"""They end a wave or go elsewhere: calls and returns are tested where kernels are."""
WITHOUT_RESULTS = {"s_sendmsg", "s_code_end", "s_nop", "s_clause", "s_endpgm", "s_icache_inv", "s_dcache_inv"}
"""Nothing that could be compared."""

HEAD = """.amdgcn_target "amdgcn-amd-amdhsa--{chip}"
.text
.globl main
.p2align 8
.type main,@function
main:
  {load} s[60:61], s[0:1], 0
  {wait}
"""
BEFORE = """
  s_mov_b64 exec, -1
  s_mov_b64 s[4:5], s[60:61]
  s_mov_b64 s[8:9], s[60:61]
  s_movk_i32 s10, 0x4000
  s_mov_b32 s11, 0
  s_mov_b32 m0, 0
  s_mov_b32 s7, 0
  s_movk_i32 s20, 0xf0
  s_mov_b64 s[22:23], s[60:61]
  s_mov_b32 s24, 0
  v_mbcnt_lo_u32_b32 v1, -1, 0
  v_mbcnt_hi_u32_b32 v1, -1, v1
  v_lshlrev_b32 v1, 4, v1
  v_mov_b32 v2, s60
  v_add_u32 v2, v2, v1
  v_mov_b32 v3, s61
"""
TAIL = """
  s_endpgm
.Lend:
.size main, .Lend-main
.rodata
.p2align 6
.amdhsa_kernel main
  .amdhsa_next_free_vgpr {registers}
  .amdhsa_next_free_sgpr 96
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 32768
  .amdhsa_private_segment_fixed_size 4096
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{chip}
amdhsa.kernels:
  - .name: main
    .symbol: main.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 32768
    .private_segment_fixed_size: 4096
    .kernarg_segment_align: 8
    .wavefront_size: {wave}
    .sgpr_count: 96
    .vgpr_count: 256
    .max_flat_workgroup_size: 64
    .args:
      - {{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}}
...
.end_amdgpu_metadata
"""


def name_of(line: str) -> str:
    return SUFFIX.sub("", line.split()[0])


def instructions(chip: str) -> dict[str, str]:
    """Names, each with an instruction of the name."""
    return {name_of(line): line for line in (FOLDER / f"{chip}.s").read_text().splitlines()}


def refused() -> dict[str, str]:
    """Names with their reasons, which are the lines that end in a colon."""
    reasons, reason = {}, ""
    for line in (FOLDER / "refused.txt").read_text().splitlines():
        if line.endswith(":"):
            reason = line[:-1]
        reasons.update(dict.fromkeys(line.split() if not line.endswith(":") else (), reason))
    return reasons


def engine() -> set[str]:
    lines = load_library().flysim_opcodes().decode().splitlines()
    names = {line.split()[0] for line in lines}
    return names | {"v_dual_" + name[2:] for name in names if name.startswith("v_")}


def body(lines: list[str]) -> Iterator[str]:
    for k, line in enumerate(lines):
        yield BEFORE
        local = line.startswith(("ds_", "scratch_"))
        yield "\n".join(f"  v_mov_b32 v{at}, v{1 if local else 2}\n  v_mov_b32 v{at + 1}, v3" for at in (10, 20))
        yield f"  {line.removesuffix(' L')} L{k}\nL{k}:" if line.endswith(" L") else f"  {line}"
        if line.startswith(("s_set_gpr_idx_on", "s_set_gpr_idx_mode")):
            yield "  s_set_gpr_idx_off"


def assembled(lines: list[str], chip: str, folder: Path) -> bytes:
    nine, twelve = chip.startswith("gfx9"), chip.startswith("gfx12")
    load, wait = "s_load_dwordx2" if nine else "s_load_b64", "s_wait_kmcnt 0" if twelve else "s_waitcnt 0"
    before = "\n".join(body(lines))
    if not nine:
        before = before.replace("s_mov_b64 exec, -1", "s_mov_b32 exec_lo, -1").replace(
            "v_add_u32 v2,", "v_add_nc_u32 v2,"
        )
        before = before.replace("  v_mbcnt_hi_u32_b32 v1, -1, v1\n", "")
    registers = "512\n  .amdhsa_accum_offset 256" if nine else "256"
    tail = TAIL.format(chip=chip, wave=64 if nine else 32, registers=registers)
    source, made, linked = folder / "main.s", folder / "main.o", folder / "main.hsaco"
    source.write_text(HEAD.format(chip=chip, load=load, wait=wait) + before + tail)
    target = ["-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}", *(() if nine else ("-mattr=+real-true16",))]
    subprocess.run(["llvm-mc-22", *target, "-filetype=obj", str(source), "-o", str(made)], check=True)
    subprocess.run(["ld.lld-22", "-shared", str(made), "-o", str(linked)], check=True)
    return linked.read_bytes()


@pytest.mark.parametrize("chip", CHIPS)
def test_each_instruction_of_a_chip_is_there_or_refused_for_a_reason(chip: str) -> None:
    names, reasons = set(instructions(chip)), refused()
    assert sorted(names - engine()) == sorted(names & set(reasons))


@pytest.mark.parametrize("chip", CHIPS)
def test_each_instruction_of_a_chip_runs(chip: str, tmp_path: Path) -> None:
    lines = [line for name, line in instructions(chip).items() if name not in refused() and not LEAVES.match(name)]
    for first in range(0, len(lines), GROUP):
        with Program(assembled(lines[first : first + GROUP], chip, tmp_path)) as program:
            program.run("main", 1, 64 if chip.startswith("gfx9") else 32, [np.zeros(1 << 14, np.uint32)])


def recorded(file: str) -> dict[str, set[str]]:
    """Names of a file by chip: lines `chip: name name ...`."""
    lines = (FOLDER / file).read_text().splitlines()
    return {chip: set(names.split()) for chip, _, names in (line.partition(":") for line in lines)}


@pytest.mark.parametrize("chip", recorded("emitted.txt"))
def test_what_our_compiler_and_clang_emit_is_in_kernels_whose_numbers_are_compared(chip: str) -> None:
    """`recorder` made both files: of the integration tests and examples, and of this folder's tests against NumPy."""
    emitted, compared = recorded("emitted.txt")[chip], recorded("compared.txt")[chip]
    assert len(emitted) > 100
    assert sorted(emitted - compared - WITHOUT_RESULTS) == []


@pytest.mark.parametrize("chip", recorded("emitted.txt"))
def test_the_engine_has_what_is_emitted(chip: str) -> None:
    assert sorted(recorded("emitted.txt")[chip] - engine()) == []
