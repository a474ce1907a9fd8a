"""Random kernels of typed arithmetic, conversions, shuffles and shared memory, as machine code for NVIDIA GPUs."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.random_arithmetic import prepared

from flydsl_cuda.code_object import CodeObject


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.parametrize("seed", range(4))
def test_random_arithmetic_is_assembled(seed: int, arch: str, tmp_path: Path) -> None:
    host, arguments = prepared(seed, tmp_path)
    code = CodeObject.from_bytes(host.trace(*arguments, backend="cuda", arch=arch).lower().compile().device)
    assert code.cubin
    assert [(kernel.stack, kernel.spill_stores) for kernel in code.kernels.values()] == [(0, 0)]
