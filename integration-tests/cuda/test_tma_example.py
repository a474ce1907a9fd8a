"""The example of the copy engine: its instructions, registers, shared memory, and the launches that it asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.examples import load_example

from flydsl_cuda.code_object import CodeObject

ARCHS = ("sm_90a", "sm_100a")
LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
FUNCTIONS: dict[str, tuple[Callable[[np.ndarray], tuple[np.ndarray, ...]], tuple[tuple[str, int], ...], int]] = {
    "transpose": (
        lambda x: (x, np.zeros((64, 40), np.float32)),
        ((LOAD, 1), ("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group", 1), ("griddepcontrol.wait", 1)),
        0,
    ),
    "add_to": (
        lambda x: (x, x.copy()),
        ((LOAD, 6), ("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group", 6)),
        96 << 10,
    ),
    "spread": (
        lambda x: (x, np.zeros((2, 40, 64), np.float32)),
        ((f"{LOAD}.multicast::cluster", 1), ("cp.async.bulk.tensor.3d.global", 1), (".reqnctapercluster 2, 1, 1", 1)),
        0,
    ),
}
"""Arguments of a function, instructions and how many of each, and the shared memory beyond what is static."""


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_compiles_without_spills(name: str, arch: str) -> None:
    arguments, instructions, shared = FUNCTIONS[name]
    function: Any = getattr(load_example("cuda_01_tma"), name)
    x = np.zeros((40, 64), np.float32)
    artifact = function.trace(*arguments(x), backend="cuda", arch=arch).lower().compile()
    code = CodeObject.from_bytes(artifact.device)
    for instruction, count in instructions:
        assert code.ptx.count(instruction) == count, instruction
    assert sum(code.shared_blocks.values()) // 1024 == shared // 1024
    for found in code.kernels.values():
        assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)
        assert found.registers <= 32
