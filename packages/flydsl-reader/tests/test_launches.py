"""Kernels on the CPU, launched by stub and by reader: results, errors, guards and threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.toy_exchange import ToyAdaptor, ToyTensor, registered

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, RuntimeFailure, UnsupportedTensorError
from flydsl.testing.sandbox import PluginSandbox

FACTOR = 2.0


@flyc.kernel
def combine_kernel(x: fx.Tensor, y: fx.Tensor, out: fx.Tensor, n: fx.Int32, f: fx.Float32, d: fx.Float64, u: fx.Uint8):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    if i < n:
        out[i] = x[i] * f + y[i] * fx.Float32(d) + fx.Float32(u)


@flyc.jit
def combine(
    x: fx.Tensor, y: fx.Tensor, out: fx.Tensor, n: fx.Int32, f: fx.Float32, d: fx.Float64, u: fx.Uint8 = 3,
    stream: fx.Stream = fx.Stream(None),
):  # fmt: skip
    combine_kernel(x, y, out, n, f, d, u).launch(grid=(n + 63) // 64, block=64, stream=stream)


@flyc.kernel
def scale_kernel(x: fx.Tensor, factor: fx.Constexpr[float], n: fx.Int32):
    i = fx.thread_idx.x
    assert n >= 0, "a negative length"
    if i < n:
        x[i] = x[i] * factor


@flyc.jit
def scale(x: fx.Tensor, n: fx.Int32):
    scale_kernel(x, FACTOR, n).launch(grid=1, block=64)


@flyc.jit
def scale_pair(pair, n: fx.Int32):
    scale_kernel(pair[0], 3.0, n).launch(grid=1, block=64)
    scale_kernel(pair[1], 5.0, n).launch(grid=1, block=64)


@pytest.fixture(autouse=True, params=["stub", "reader"])
def served_by(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    monkeypatch.setenv("FLYDSL_RUNTIME_NATIVE_READER", str(int(request.param == "reader")))
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(cache_of(tmp_path_factory)))
    with PluginSandbox(installed=True):
        flyc.use_pair("cpu")
        for function in (combine, scale, scale_pair):
            function._sites.clear()
        yield request.param
        sites = [site for function in (combine, scale, scale_pair) for site in function._sites]
        assert {site.native is not None for site in sites} <= {request.param == "reader"}


def cache_of(factory: pytest.TempPathFactory) -> Path:
    """One for all tests of the file."""
    folder = factory.getbasetemp() / "launches"
    folder.mkdir(exist_ok=True)
    return folder


def expected(x: Any, y: Any, f: float, d: float, u: int) -> Any:
    return x.astype(np.float64) * np.float32(f) + y.astype(np.float64) * np.float32(d) + u


def test_results_are_those_of_numpy(rng: np.random.Generator) -> None:
    for length in (1, 63, 257, 63, 257):
        x, y = rng.standard_normal(2 * length)[::2].astype(np.float32), rng.standard_normal(length).astype(np.float32)
        wide, out = rng.standard_normal((length, 3)).astype(np.float32), np.zeros(length, np.float32)
        for values in ((x, y), (wide[:, 1], x), (y[::-1], wide[:, 2])):
            combine(*values, out, length, 1.5, -2.25)
            np.testing.assert_allclose(out, expected(*values, 1.5, -2.25, 3), rtol=1e-5, atol=1e-5)
            combine(*values, out, length, 0.5, 4, u=255)
            np.testing.assert_allclose(out, expected(*values, 0.5, 4.0, 255), rtol=1e-5, atol=1e-5)


def test_torch_numpy_and_a_toy_are_one_to_a_kernel(rng: np.random.Generator) -> None:
    toy, adaptor = ToyTensor((70,)), ToyAdaptor()
    x = rng.standard_normal(70).astype(np.float32)
    y, out = torch.randn(70), torch.zeros(70)
    np.frombuffer(toy.memory, np.float32)[:70] = x
    with registered(adaptor):
        for turn in range(1, 4):
            combine(toy, y, out, 70, 1.0, 1.0)
            np.testing.assert_allclose(out.numpy(), expected(x, y.numpy(), 1, 1, 3), rtol=1e-5, atol=1e-5)
            combine(x, y, toy, 70, 0.0, 1.0, 0)
            np.testing.assert_array_equal(np.frombuffer(toy.memory, np.float32)[:70], y.numpy())
            np.frombuffer(toy.memory, np.float32)[:70] = x
            assert (out._version, toy.writes) == (turn, turn)
        combine._sites.clear()


def test_a_compiled_function_serves_calls_of_other_shapes_too(rng: np.random.Generator) -> None:
    x, out = rng.standard_normal(64).astype(np.float32), np.zeros(64, np.float32)
    prepared = flyc.compile(combine, x, x, out, 64, 1.0, 1.0, 0, None)
    for array in (x, x[::2], x[:7], x[::-1], x):
        result = np.zeros(len(array), np.float32)
        for _ in range(3):
            prepared(array, array, result, len(array), 1.0, 1.0, 0, None)
            np.testing.assert_array_equal(result, array + array)
    with pytest.raises(ArgumentError, match="compiled for 8 arguments"):
        prepared(x)
    with pytest.raises(ArgumentError, match="argument 'n'"):
        prepared(x, x, out, 2**40, 1.0, 1.0, 0, None)


def test_a_global_that_changes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(8, np.float32)
    scale(x, 8)
    scale(x, 8)
    prepared = flyc.compile(scale, x, 8, launch=False)
    monkeypatch.setitem(globals(), "FACTOR", 10.0)
    scale(x, 8)
    assert x.tolist() == [40.0] * 8
    prepared(x, 8)
    assert x.tolist() == [80.0] * 8


def test_a_kernel_that_fails_says_the_same(served_by: str) -> None:
    x, y = np.ones(8, np.float32), torch.ones(8)
    for array in (x, y):
        scale(array, 8)
        for _ in range(2):
            with pytest.raises(RuntimeFailure, match="a negative length") as caught:
                scale(array, -1)
            assert caught.value.kernel
    assert y._version == 1


def test_what_cannot_be_written_is_refused_after_many_calls() -> None:
    x = np.ones(8, np.float32)
    frozen, leaf = x.copy(), torch.ones(8, requires_grad=True)
    frozen.flags.writeable = False
    for _ in range(3):
        scale(x, 8)
        scale(torch.ones(8), 8)
        with pytest.raises(UnsupportedTensorError, match="argument 'x': the tensor is read-only"):
            scale(frozen, 8)
        with pytest.raises(UnsupportedTensorError, match=r"argument 'x': .* call under torch.no_grad"):
            scale(leaf, 8)
        with torch.no_grad():
            scale(leaf, 8)
    assert (frozen.tolist(), x[0], leaf.detach()[0].item()) == ([1.0] * 8, 8.0, 8.0)


def test_leaves_of_containers_are_read(rng: np.random.Generator) -> None:
    one, two = rng.standard_normal(9).astype(np.float32), torch.randn(9)
    before = one.copy(), two.clone()
    for _ in range(2):
        scale_pair((one, two), 9)
        scale_pair([two, two], 0)
    np.testing.assert_allclose(one, before[0] * 9, rtol=1e-6)
    torch.testing.assert_close(two, before[1] * 25)


def test_threads_share_a_function(rng: np.random.Generator) -> None:
    inputs = [rng.standard_normal(100 + index % 3).astype(np.float32) for index in range(16)]
    outputs = [np.zeros_like(x) for x in inputs]
    barrier = threading.Barrier(16)

    def work(index: int) -> None:
        barrier.wait()
        for turn in range(200):
            combine(inputs[index], inputs[index], outputs[index], len(inputs[index]), 1.0, float(turn), 0)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x, found in zip(inputs, outputs, strict=True):
        np.testing.assert_allclose(found, x * 200, rtol=1e-5)


def test_calls_of_several_types_are_served_side_by_side(served_by: str, rng: np.random.Generator) -> None:
    x, y = np.ones(8, np.float32), torch.ones(8)
    for _ in range(3):
        scale(x, 8)
        scale(y, 8)
    assert (x.tolist(), y.tolist()) == ([8.0] * 8, [8.0] * 8)
    launch = scale._sites.launch
    assert (launch is None) == (served_by == "stub")
    if launch is not None:
        assert launch(x, 8.0) is NotImplemented
        assert launch(y, 8) is None
    scale._sites.clear()
    assert scale._sites.launch is None
    scale(x, 8)
    assert x.tolist() == [16.0] * 8
