"""Attention backward: products of warp groups whose operands stay in registers, sums by the copy engine, no spills."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.report.sass import disassemble, functions, loops

PRODUCTS = {"m64n64k16.f32.bf16.bf16 ": 4 * 8, "m64n128k16.f32.bf16.bf16 ": 2 * 4}  # S, first S, dP, dQ; dV, dK


@pytest.fixture(scope="module", params=[False, True], ids=["full", "causal"])
def code(request: pytest.FixtureRequest) -> CodeObject:
    example = load_example("cuda_06_attention_backward")
    q, k = (np.zeros((heads, 256, 128), ml_dtypes.bfloat16) for heads in (4, 2))
    scratch = [np.zeros(shape, np.float32) for shape in ((4, 256), *example.scratch_shapes(4, 256))]
    lse, terms, sums = scratch
    arguments = q, k, k, q, q, lse, q, k, k, terms, sums, request.param
    artifact = example.attention_backward.trace(*arguments, backend="cuda", arch="sm_90a").lower().compile()
    return CodeObject.from_bytes(artifact.device)


def test_weights_and_their_gradients_stay_in_registers_and_nothing_is_spilled(code: CodeObject) -> None:
    assert {text: code.ptx.count(text) for text in PRODUCTS} == PRODUCTS
    assert code.ptx.count("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group") == 1
    assert code.ptx.count("cp.async.bulk.shared::cluster.global.mbarrier") == 1
    assert code.ptx.count("griddepcontrol.wait") == 2
    for kernel in code.kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)
    assert max(kernel.registers for kernel in code.kernels.values()) == 168


def test_the_loop_writes_what_both_groups_need_and_nothing_else(code: CodeObject) -> None:
    listing = disassemble(code.cubin)
    assert listing is not None
    body = next(body for name, body in functions(listing).items() if "keys" in name)
    names = Counter(one.name for one in max(loops(body), key=len))
    assert sum(count for name, count in names.items() if name.startswith("HGMMA")) == 32
    stores = {name: count for name, count in names.items() if name.startswith(("STS", "UTMAREDG", "ATOM", "RED"))}
    assert stores == {"STS": 16, "STS.128": 8, "UTMAREDG.2D.ADD": 1}  # dS^T; dQ, which is added
    assert not [name for name in names if name.startswith(("LDG", "STG", "LDL", "STL", "CCTL", "MEMBAR.ALL.GPU"))]


def test_the_assembler_serialises_nothing(code: CodeObject, lost_speed: Callable[[str], list[str]]) -> None:
    assert lost_speed(code.ptx) == []
