"""Waves and workgroups that wait for each other in loops: they make progress; what never comes is an error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from flydsl_hipsim.errors import KernelFault
from flydsl_hipsim.native import load_library
from flydsl_hipsim.program import Program
from flydsl_hipsim.settings import hipsim

from ..reference.assembly import assemble, kernel

FLAG = ["  v_mov_b32 v1, 0", "  v_mov_b32 v2, 1"]
GROUPS = 5


def turns(pause: str) -> list[str]:
    """Group g waits until `out[0]` is g, the last one first, then makes it g + 1."""
    return [
        *FLAG,
        "  s_sub_u32 s3, 4, s2",
        "wait:",
        pause,
        "  global_load_dword v3, v1, s[44:45] sc1",
        "  s_waitcnt 0",
        "  v_readfirstlane_b32 s4, v3",
        "  s_cmp_lg_u32 s4, s3",
        "  s_cbranch_scc1 wait",
        "  s_mov_b64 exec, 1",
        "  global_atomic_add v1, v2, s[44:45]",
    ]


def with_group_id(text: str) -> str:
    return text.replace(".amdhsa_ieee_mode", ".amdhsa_system_sgpr_workgroup_id_x 1\n  .amdhsa_ieee_mode")


@pytest.fixture
def small_limit() -> Iterator[None]:
    load_library().flysim_set_instruction_limit(1_000_000)
    yield
    load_library().flysim_set_instruction_limit(hipsim.instructions)


@pytest.mark.parametrize("pause", ["  s_nop 0", "  s_sleep 1"])
@pytest.mark.parametrize("order", ["forward", "backward", "random"])
def test_workgroups_that_wait_for_later_ones_come_to_an_end(pause: str, order: str, tmp_path: Path) -> None:
    out = np.zeros(4, np.uint32)
    with Program(assemble(with_group_id(kernel(turns(pause), "gfx942")), "gfx942", tmp_path)) as program:
        program.run("main", GROUPS, 64, [out, out], order=order, threads=1)
    assert out[0] == GROUPS


@pytest.mark.usefixtures("small_limit")
def test_a_wave_that_waits_for_what_never_comes_is_an_error(tmp_path: Path) -> None:
    out = np.zeros(4, np.uint32)
    body = ["forever:", "  s_nop 0", "  s_branch forever"]
    with (
        Program(assemble(kernel(body, "gfx942"), "gfx942", tmp_path)) as program,
        pytest.raises(
            KernelFault, match="waits for what does not come, or FLYDSL_HIPSIM_INSTRUCTIONS is too low in kernel 'main'"
        ),
    ):
        program.run("main", 1, 64, [out, out])
