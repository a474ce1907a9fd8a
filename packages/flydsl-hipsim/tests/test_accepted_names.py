"""Every instruction that LLVM's assembler takes for a chip is executed, or refused for a reason that stands here."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from flydsl_hipsim.errors import CodeObjectError
from flydsl_hipsim.program import Program

from .reference.inventory import accepted_names, examples, printed_names

CHIPS = ("gfx1100", "gfx1201", "gfx1250")
REFUSED = {
    r"image_\w+|exp|export": "textures, and what graphics hands on",
    r"t?buffer_(load|store)_(d16_)?(hi_)?format_\w+": "formats of textures",
    r"ds_bvh_stack_\w+": "ray tracing",
    r"v_interp_\w+|(lds|ds)_(param|direct)_load": "attributes of pixels",
    r"ds_gws_\w+|ds_ordered_count|ds_(add|sub)_gs_reg_rtn": "global wave sync",
    r"global_atomic_ordered_add_b64|s_endpgm_ordered_ps_done": "the order of workgroups",
    r"s_rfe_[bi]64|s_cbranch_cdbg\w+|s_setkill|s_atc_probe(_buffer)?|v_illegal": "trap handlers and debuggers",
    r"s_subvector_loop_(begin|end)": "halves of waves of 64, one after the other",
    r"tensor_\w+": "tensor moves",
    r"v_wmma_ld_scale(16)?_paired_b(32|64)": "the first half of a block-scaled matrix instruction",
    r"v_cube\w+_f32|v_mqsad_u32_u8": "cube maps, sums for video",
}  # fmt: skip


def is_refused(name: str) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in REFUSED)


def code_object(lines: list[str], chip: str, folder: Path) -> bytes:
    """A kernel with these instructions; branches among them go nowhere."""
    source, target = folder / "kernel.s", folder / "kernel.o"
    head = '.amdgcn_target "amdgcn-amd-amdhsa--{}"\n.text\n.globl main\n.p2align 8\n.type main,@function\nmain:\n'
    tail = """\n  s_endpgm\n.Lend:\n.size main, .Lend-main\n.rodata\n.p2align 6\n.amdhsa_kernel main
  .amdhsa_next_free_vgpr 256\n  .amdhsa_next_free_sgpr 100\n.end_amdhsa_kernel\n.amdgpu_metadata\n---
amdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--{}\namdhsa.kernels:\n  - {{.name: main, .symbol: main.kd,
    .kernarg_segment_size: 0, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .kernarg_segment_align: 8,
    .wavefront_size: 32, .sgpr_count: 100, .vgpr_count: 256, .max_flat_workgroup_size: 32}}
...\n.end_amdgpu_metadata\n"""
    source.write_text(head.format(chip) + "\n".join(lines) + tail.format(chip))
    subprocess.run(
        ["clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", "-nogpulib", str(source), "-o", str(target)],
        check=True,
    )
    return target.read_bytes()


def test_the_inventory_has_as_many_names_as_llvm_22() -> None:
    assert len(accepted_names("gfx1100")) >= 1400
    assert len(accepted_names("gfx1250")) >= 1600


@pytest.mark.parametrize("chip", CHIPS)
def test_every_accepted_name_is_one_of_an_example_or_refused(chip: str) -> None:
    printed = printed_names(chip)
    assert sorted(name for name in accepted_names(chip) if name not in printed and not is_refused(name)) == []


@pytest.mark.parametrize("chip", CHIPS)
def test_every_instruction_is_executed_unless_it_is_refused(chip: str, tmp_path: Path) -> None:
    lines = sorted({line for name, line in examples(chip).items() if not is_refused(name)})
    Program(code_object(lines, chip, tmp_path)).close()


@pytest.mark.parametrize("chip", CHIPS)
def test_a_refused_instruction_is_named_when_code_is_loaded(chip: str, tmp_path: Path) -> None:
    names = [name for name in examples(chip) if is_refused(name)]
    assert names
    for name in names[:3]:
        with pytest.raises(CodeObjectError, match=rf"cannot execute '{name}.*it has no such instruction"):
            Program(code_object([examples(chip)[name]], chip, tmp_path))
