"""The product of matrices by warp groups: its instructions, registers and shared memory, and no word of the assembler
that it had to wait where the program does not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.ptxas import find_ptxas

INSTRUCTIONS = {
    "wgmma.mma_async.sync.aligned.m64n256k16.f32.{}.{} ": 4,
    "wgmma.fence": 1,
    "wgmma.commit_group": 1,
    "wgmma.wait_group": 2,
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier": 2,
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group": 4,
    "mbarrier.try_wait.parity": 2,
    "setmaxnreg.dec.sync.aligned.u32 40": 1,
    "setmaxnreg.inc.sync.aligned.u32 232": 1,
    "elect.sync": 1,
}
"""What the PTX holds, and how many of each."""
WARNINGS = re.compile(r"\(C75\d\d\)")


@pytest.fixture(scope="module", params=["float16", "bfloat16"])
def code(request: pytest.FixtureRequest) -> tuple[str, CodeObject]:
    dtype = request.param
    a = np.zeros((256, 264), np.float16 if dtype == "float16" else ml_dtypes.bfloat16)
    artifact = load_example("cuda_02_gemm").gemm.trace(a, a, a, 132, backend="cuda", arch="sm_90a").lower().compile()
    return {"float16": "f16", "bfloat16": "bf16"}[dtype], CodeObject.from_bytes(artifact.device)


def test_the_loop_is_four_products_and_tiles_come_and_go_by_the_copy_engine(code: tuple[str, CodeObject]) -> None:
    kind, found = code
    counts = {text: found.ptx.count(text.format(kind, kind)) for text in INSTRUCTIONS}
    assert counts == INSTRUCTIONS
    assert sum(found.shared_blocks.values()) == 4 * (128 + 256) * 64 * 2 + 4 * 64 * 64 * 2 + 8 * 8


def test_nothing_is_spilled_and_three_groups_fit(code: tuple[str, CodeObject]) -> None:
    for kernel in code[1].kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)
        assert kernel.registers == 168


@pytest.mark.parametrize("ptxas", [str(found) for found in [find_ptxas()] if found])
def test_the_assembler_neither_serialises_products_nor_ignores_budgets(
    code: tuple[str, CodeObject], ptxas: str, tmp_path: Path
) -> None:
    source = tmp_path / "gemm.ptx"
    source.write_text(code[1].ptx)
    command = [ptxas, "-arch=sm_90a", "-v", str(source), "-o", str(tmp_path / "gemm.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "0 bytes spill stores" in done.stderr
    assert WARNINGS.findall(done.stderr) == []
