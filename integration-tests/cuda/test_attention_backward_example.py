"""Attention backward: products of warp groups whose operands stay in registers, sums by the copy engine, no spills."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.report.sass import disassemble, functions, loops

PRODUCTS = {
    64: {"m64n64k16": 3 * 4 + 2 * 4, "m64n32k16": 8},  # S, first S, dP, and dV, dK; dQ
    128: {"m64n64k16": 3 * 8 + 8, "m64n128k16": 2 * 4},  # S, first S, dP, dQ; dV, dK
}
CASES = [(depth, causal, in_order) for depth in PRODUCTS for causal in (False, True) for in_order in (False, True)]


def compiled(depth: int, causal: bool, in_order: bool) -> CodeObject:
    example = load_example("cuda_06_attention_backward")
    q, k = (np.zeros((heads, 256, depth), ml_dtypes.bfloat16) for heads in (4, 2))
    *shapes, of_turns = example.scratch_shapes(4, 256, depth)
    lse, *scratch = (np.zeros(shape, np.float32) for shape in ((4, 256), *shapes))
    turns = np.zeros(of_turns, np.int32) if in_order else None
    arguments = q, k, k, q, q, lse, q, k, k, *scratch, turns, causal, depth
    artifact = example.attention_backward.trace(*arguments, backend="cuda", arch="sm_90a").lower().compile()
    return CodeObject.from_bytes(artifact.device)


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> tuple[int, bool, CodeObject]:
    depth, causal, in_order = request.param
    return depth, in_order, compiled(depth, causal, in_order)


def test_weights_and_their_gradients_stay_in_registers_and_nothing_is_spilled(
    case: tuple[int, bool, CodeObject],
) -> None:
    depth, in_order, code = case
    assert dict(Counter(re.findall(r"(m64n\d+k16)\.f32\.bf16\.bf16 ", code.ptx))) == PRODUCTS[depth]
    assert code.ptx.count("ld.acquire.gpu.global") == 2 * in_order  # of the blocks that have added
    assert code.ptx.count("fence.release.gpu") + code.ptx.count("fence.acq_rel.gpu") == in_order
    assert code.ptx.count("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group") == 1
    assert code.ptx.count("cp.async.bulk.shared::cluster.global.mbarrier") == 1
    assert code.ptx.count("griddepcontrol.wait") == 2
    for kernel in code.kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)
    assert max(kernel.registers for kernel in code.kernels.values()) == 168


def test_the_loop_writes_what_both_groups_need_and_nothing_else(case: tuple[int, bool, CodeObject]) -> None:
    depth, _, code = case
    listing = disassemble(code.cubin)
    assert listing is not None
    body = next(body for name, body in functions(listing).items() if "keys" in name)
    names = Counter(one.name for one in max(loops(body), key=len))
    assert sum(count for name, count in names.items() if name.startswith("HGMMA")) == {64: 24, 128: 32}[depth]
    stores = {name: count for name, count in names.items() if name.startswith(("STS", "UTMAREDG", "ATOM", "RED"))}
    assert stores == {"STS": 16, "STS.128": depth // 16}  # dS^T; dQ, which other warps have added
    assert not [name for name in names if name.startswith(("LDG", "STG", "LDL", "STL", "CCTL", "MEMBAR.ALL.GPU"))]


def test_the_assembler_serialises_nothing(
    case: tuple[int, bool, CodeObject], lost_speed: Callable[[str], list[str]]
) -> None:
    assert lost_speed(case[2].ptx) == []


def test_heads_of_other_sizes_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="heads of 64 or 128 channels, found 96"):
        compiled(96, causal=False, in_order=False)
