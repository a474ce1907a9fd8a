"""Epilogues of products: what they read comes by the copy engine to the ring, and nothing is spilled or waits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError
from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.report.sass import disassemble, functions, loops

TYPE = ml_dtypes.bfloat16
M, N, K = 256, 512, 272


def compiled(epilogue: Any, *extras: Any, columns: int = 256) -> CodeObject:
    """The code of a product whose epilogue reads `extras`."""
    a, b, c = np.zeros((M, K), TYPE), np.zeros((N, K), TYPE), np.zeros((M, N), TYPE)
    gemm = load_example("cuda_02_gemm").gemm
    traced = gemm.trace(a, b, c, 132, columns, epilogue, extras, backend="cuda", arch="sm_90a")
    return CodeObject.from_bytes(traced.lower().compile().device)


def extras_of(names: tuple[str, ...], vector: Any = np.float32) -> tuple[Any, ...]:
    return tuple({"bias": np.zeros(N, vector), "residual": np.zeros((M, N), TYPE)}[name] for name in names)


@pytest.mark.parametrize("columns", [256, 128, 64])
@pytest.mark.parametrize("name", load_example("cuda_epilogues").EPILOGUES)
def test_an_epilogue_costs_no_spills_and_no_waits(
    name: str, columns: int, lost_speed: Callable[[str], list[str]]
) -> None:
    epilogue, _, names = load_example("cuda_epilogues").EPILOGUES[name]
    code = compiled(epilogue, *extras_of(names), columns=columns)
    pieces, products = columns // 64, code.ptx.count("wgmma.mma_async")
    loads = {rank: code.ptx.count(f"cp.async.bulk.tensor.{rank}d.shared::cluster.global") for rank in (1, 2)}
    assert products == 4
    stages = (2 if columns == 256 else pieces) if "residual" in names else 1
    assert loads == {1: stages * ("bias" in names), 2: 2 + pieces * ("residual" in names)}
    waits = 2 + 2 * stages * bool(names)  # of the loops over K, and for what is read
    assert code.ptx.count("mbarrier.try_wait.parity") == waits
    assert code.ptx.count("tanh.approx.f32") == columns // 2 * ("gelu" in name or "silu" in name)
    assert code.ptx.count("fma.rn.f32") == columns // 2 * (2 * ("gelu" in name) + ("silu" in name))
    assert lost_speed(code.ptx) == []
    for kernel in code.kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack, kernel.registers) == (0, 0, 0, 168)


def test_the_loop_over_k_is_as_without_an_epilogue() -> None:
    found = []
    epilogue, _, names = load_example("cuda_epilogues").EPILOGUES["bias_gelu_residual"]
    for code in (compiled(load_example("cuda_epilogues").plain), compiled(epilogue, *extras_of(names))):
        listing = disassemble(code.cubin)
        assert listing is not None
        (body,) = functions(listing).values()
        loop = min(
            (
                names
                for names in ([one.name for one in loop] for loop in loops(body))
                if any(name.startswith("HGMMA") for name in names)
            ),
            key=len,
        )
        found.append(sum(name.startswith("HGMMA") for name in loop))
        assert not [name for name in loop if name.startswith(("LDG", "LDS", "LDL", "ST", "MUFU", "MEMBAR", "CCTL"))]
    assert found == [4, 4]


def test_what_is_brought_is_read_and_results_are_written_two_at_a_time() -> None:
    epilogue, _, names = load_example("cuda_epilogues").EPILOGUES["bias_gelu_residual"]
    counts = {}
    for dtype in (np.float32, TYPE):
        words = re.findall(r"(?:ld|st)\.shared[.\w]*", compiled(epilogue, *extras_of(names, dtype)).ptx)
        counts[dtype] = {word: words.count(word) for word in words}
    assert counts[np.float32] == {"ld.shared.v2.b32": 32, "ld.shared.b32": 64, "st.shared.b32": 64}
    assert counts[TYPE] == {"ld.shared.b32": 96, "st.shared.b32": 64}


def test_an_epilogue_is_a_function_that_users_write() -> None:
    def scaled(sums: fx.Vector, places: Any) -> fx.Vector:
        values = [sums.reshape(sums.numel)[i] * fx.Float32(row) for i, (row, _) in places.numbered(sums.numel)]
        return fx.Vector.from_elements(values)

    assert compiled(scaled).ptx.count("wgmma.mma_async") == 4


def test_an_epilogue_that_is_given_too_much_is_an_error() -> None:
    with pytest.raises((FlyDSLError, TypeError), match="positional argument"):
        compiled(load_example("cuda_epilogues").plain, np.zeros(N, np.float32))


def test_what_an_epilogue_reads_has_room_in_a_stage_and_the_type_of_the_results() -> None:
    gemm, epilogues = load_example("cuda_02_gemm").gemm, load_example("cuda_epilogues")
    a, b, bias = np.zeros((M, K), TYPE), np.zeros((N, K), TYPE), np.zeros(N, np.float32)
    for result, other in ((np.float32, np.float32), (TYPE, np.float16)):
        extras = bias, np.zeros((M, N), other)
        c = np.zeros((M, N), result)
        with pytest.raises(ValueError, match=r"matrices of C's if that has 16 bits; found .* beside C of"):
            gemm.trace(a, b, c, 132, 64, epilogues.bias_gelu_residual, extras, backend="cuda", arch="sm_90a")
