"""Kernels with raw operations of AMD GPUs: the numbers of NumPy on simulated chips."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import ml_dtypes
import numpy as np
import pytest
from support.targets import Target

import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTargetError


@pytest.fixture
def amd(corpus: Callable[[str], ModuleType]) -> ModuleType:
    return corpus("amd")


def test_buffers_are_bounded_by_their_resource(amd: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(192).astype(np.float32)
    y = np.full(256, 7, np.float32)
    amd.bounded(x, y, 101)
    expected = np.concatenate([2 * x[:101], np.zeros(91), np.full(64, 7)])
    np.testing.assert_array_equal(y, expected.astype(np.float32))


def test_scalar_loads_through_a_resource(amd: ModuleType, rng: np.random.Generator) -> None:
    x = rng.integers(-(2**31), 2**31, 28).astype(np.int32)
    y = np.zeros((7, 7), np.int32)
    amd.scalar_loads(x, y)
    np.testing.assert_array_equal(y[:, :4], x.reshape(7, 4))
    np.testing.assert_array_equal(y[:, 4], x[::4])
    np.testing.assert_array_equal(y[:, 5], x[7])
    np.testing.assert_array_equal(y[:, 6], x[::4])


def test_running_sums_of_rows_of_lanes(amd: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(192).astype(np.float32)
    y = np.zeros_like(x)
    amd.running_sums(x, y)
    exact = x.astype(np.float64).reshape(-1, 16).cumsum(1).reshape(-1)
    np.testing.assert_allclose(y, exact, rtol=1e-5, atol=1e-5)


def test_instructions_as_text(amd: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(128).astype(np.float32)
    y = np.zeros((128, 2), np.float32)
    amd.assembly(x, y)
    more = x + np.float32(1.5)
    np.testing.assert_array_equal(y, np.stack([2 * more, more + np.float32(1)], 1))


def test_approximate_functions(amd: ModuleType, rng: np.random.Generator) -> None:
    x = (4 * rng.standard_normal(128)).astype(np.float32)
    y = np.zeros_like(x)
    amd.sigmoid(x, y)
    np.testing.assert_allclose(y, 1 / (1 + np.exp(-x.astype(np.float64))), rtol=1e-5)


def test_bytes_of_fp8(amd: ModuleType, rng: np.random.Generator, target: Target) -> None:
    x = (20 * rng.standard_normal(512)).astype(np.float32)
    y = np.zeros(128, np.int32)
    if target.name == "gfx1100":
        with pytest.raises(Exception, match="gfx1100 has no fx.rocdl.cvt_pk_fp8_f32"):
            amd.fp8(x, y)
        return
    amd.fp8(x, y)
    dtype = ml_dtypes.float8_e4m3fnuz if target.name == "gfx942" else ml_dtypes.float8_e4m3fn
    np.testing.assert_array_equal(y.view(dtype), x.astype(dtype))


def test_lanes_permuted_through_shared_memory(amd: ModuleType, rng: np.random.Generator, target: Target) -> None:
    x = rng.integers(-(2**31), 2**31, 128).astype(np.int32)
    y = np.zeros_like(x)
    amd.permuted(x, y)
    np.testing.assert_array_equal(y, np.roll(x.reshape(-1, target.wave), -2, axis=1).reshape(-1))


def test_single_matrix_instructions(amd: ModuleType, rng: np.random.Generator, target: Target) -> None:
    a, b = (rng.standard_normal((16, 16)).astype(np.float16) for _ in range(2))
    c = np.zeros((16, 16), np.float32)
    if target.wave == 32:
        with pytest.raises(Exception, match="has no .*mfma"):
            amd.matrix(a, b, c)
        return
    amd.matrix(a, b, c)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.T.astype(np.float64), rtol=1e-5, atol=1e-5)


def test_atoms_that_the_chip_lacks_fail_where_they_are_used(amd: ModuleType, target: Target) -> None:
    a, c = np.ones((16, 16), np.float16), np.zeros((16, 16), np.float32)
    if target.name == "gfx950":
        amd.wide_matrix(a, c)
        np.testing.assert_array_equal(c[0], 32)
    elif target.name == "gfx942":
        with pytest.raises(
            UnsupportedTargetError, match=r"gfx942 has no .*mfma<16x16x32, .* chips that have it: gfx950"
        ) as e:
            amd.wide_matrix(a, c)
        assert "amd.py" in str(e.value)


@pytest.mark.parametrize("kind", ["narrow", "wide"])
def test_products_of_bytes_packed_in_words(
    corpus: Callable[[str], ModuleType], rng: np.random.Generator, target: Target, kind: str
) -> None:
    if target.wave == 32 or (kind == "wide" and target.name == "gfx942"):
        return  # chips without the instruction
    name = "Float8E4M3FNUZ" if target.name == "gfx942" else "Float8E4M3FN"
    dtype = ml_dtypes.float8_e4m3fnuz if target.name == "gfx942" else ml_dtypes.float8_e4m3fn
    a, b = (rng.standard_normal((16, 512)).astype(dtype) for _ in range(2))
    c = np.zeros((16, 16), np.float32)
    getattr(corpus("packed"), kind)(getattr(fx, name))(a.view(np.int32), b.view(np.int32), c)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.T.astype(np.float64), rtol=1e-5, atol=1e-5)


def test_address_spaces_of_the_target(amd: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(64).astype(np.float32)
    y = np.zeros_like(x)
    amd.spaces(x, y)
    np.testing.assert_array_equal(y, x + np.float32(1))


def test_every_operation_of_the_dialect_has_its_class_and_its_function() -> None:
    from flydsl._mlir.dialects import rocdl

    names = dir(rocdl)
    assert {"MakeBufferRsrcOp", "BarrierSignalOp", "mfma_f32_16x16x16f16", "ds_bpermute"} <= set(names)
    assert len(names) > 500
    assert all(callable(getattr(rocdl, name)) for name in names)
    with pytest.raises(AttributeError, match="has no 'MakeBufferRscOp': did you mean MakeBufferRsrcOp"):
        rocdl.MakeBufferRscOp
