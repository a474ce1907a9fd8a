"""Attention over pages: products of warps, loads by the copy engine, registers, and two blocks for a multiprocessor."""

from __future__ import annotations

from collections import Counter

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.report.sass import disassemble, functions, loops

CASES = {"long pages": (128, 256), "short pages": (128, 16), "narrow heads": (64, 64)}
"""Channels of a head, and tokens of a page."""
THREADS, REGISTERS, SHARED = 160, 65536, 227 << 10
"""Of a block; of a multiprocessor."""


@pytest.fixture(scope="module", params=CASES)
def code(request: pytest.FixtureRequest) -> tuple[int, int, CodeObject]:
    """Channels, tokens of a page, and what they become."""
    depth, page = CASES[request.param]
    q, out = (np.zeros((2, 1, 8, depth), ml_dtypes.bfloat16) for _ in range(2))
    keys, values = (np.zeros((9, page, 2, depth), ml_dtypes.bfloat16) for _ in range(2))
    table, lengths = np.zeros((2, 4), np.int32), np.zeros(2, np.int32)
    parts, states = np.zeros((2, 1, 8, 3, depth), np.float32), np.zeros((2, 1, 8, 3), np.float32)
    arguments = q, keys, values, table, lengths, parts, states, out, 256, depth, page
    function = load_example("cuda_05_decode").paged_decode
    artifact = function.trace(*arguments, backend="cuda", arch="sm_90a").lower().compile()
    return depth, page, CodeObject.from_bytes(artifact.device)


def test_pages_come_by_the_copy_engine_and_warps_multiply_them(code: tuple[int, int, CodeObject]) -> None:
    depth, page, found = code
    boxes = 2 * (depth // 64) * (64 // min(page, 64))
    assert found.ptx.count("cp.async.bulk.tensor.4d.shared::cluster.global") == boxes
    assert found.ptx.count("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32") == 2 * depth // 8
    assert found.ptx.count("ldmatrix.sync.aligned.m8n8.x4.shared.b16") == depth // 16
    assert found.ptx.count("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16") == depth // 16
    assert found.ptx.count("griddepcontrol.wait") == 1


def test_a_multiprocessor_holds_two_blocks_without_spills(code: tuple[int, int, CodeObject]) -> None:
    *_, found = code
    for kernel in found.kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)
    assert 2 * THREADS * max(kernel.registers for kernel in found.kernels.values()) <= REGISTERS
    assert 2 * sum(found.shared_blocks.values()) <= SHARED


def test_the_loop_reads_keys_and_values_once(code: tuple[int, int, CodeObject]) -> None:
    depth, _, found = code
    listing = disassemble(found.cubin)
    assert listing is not None
    body = next(body for name, body in functions(listing).items() if "parts" in name)
    names = Counter(one.name.split(".")[0] for one in max(loops(body), key=len))
    assert (names["HMMA"], names["LDSM"]) == (depth // 4, depth // 8)
    assert not {"LDG", "LDS", "STS", "STG", "LDL", "STL", "ATOM", "RED", "MEMBAR", "CCTL"} & set(names)


def test_parts_are_a_few_for_each_multiprocessor_and_whole_stages() -> None:
    part_tokens_for = load_example("cuda_05_decode").part_tokens_for
    found = {given: part_tokens_for(*given) for given in ((64, 8, 4001), (64, 8, 8192), (1, 8, 32768), (1, 1, 9))}
    assert found == {(64, 8, 4001): 4032, (64, 8, 8192): 1024, (1, 8, 32768): 256, (1, 1, 9): 256}
