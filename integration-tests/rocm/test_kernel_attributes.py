"""Attributes of kernels at their calls, compile hints and options of LLVM, in LLVM IR and instructions."""

from __future__ import annotations

import re
import threading
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, FrontendError, LlvmPassError
from flydsl_hipsim.bench import HipsimBench

X = np.arange(64, dtype=np.float32)


def host_of(**given: Any) -> Any:
    """A function that squares and adds 1, whose kernel is called with `given`."""

    @flyc.kernel
    def square(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = x[i] * x[i] + 1.0

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        square(x, y, **given).launch(grid=1, block=64, value_attrs={"acme.note": "launched"})

    return host


def attributes(host: Any) -> str:
    """Those of the kernel in LLVM IR."""
    text = host.trace(X, X, arch="gfx942").lower().llvm_ir()
    return next(line for line in text.splitlines() if line.startswith("attributes #0"))


def test_attributes_of_a_call_are_those_of_the_kernel_s_function(hipsim: HipsimBench) -> None:
    hipsim.use("gfx942")
    passthrough = ["noinline", ["acme-attribute", "7"]]
    host = host_of(value_attrs={"rocdl.waves_per_eu": 3, "passthrough": passthrough}, unit_attrs=["acme.marked"])
    found = attributes(host)
    assert '"amdgpu-waves-per-eu"="3"' in found
    assert "noinline" in found
    assert '"acme-attribute"="7"' in found
    text = host.trace(X, X, arch="gfx942").text
    assert "acme.marked" in text
    assert 'acme.note = "launched"' in text
    y = np.zeros_like(X)
    host(X, y)
    np.testing.assert_array_equal(y, X * X + 1)


def test_a_block_size_of_run_time_may_be_bounded() -> None:
    @flyc.kernel
    def fill(x: fx.Tensor):
        x[fx.thread_idx.x] = 1.0

    @flyc.jit
    def host(x: fx.Tensor, n: fx.Int32):
        fill(x, value_attrs={"rocdl.flat_work_group_size": "64,256"}).launch(grid=1, block=n)

    text = host.trace(X, 64, arch="gfx942").lower().llvm_ir()
    assert '"amdgpu-flat-work-group-size"="64,256"' in text


def test_calls_with_other_attributes_are_other_kernels() -> None:
    @flyc.kernel
    def fill(x: fx.Tensor):
        x[fx.thread_idx.x] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        for waves in fx.range_constexpr(1, 3):
            fill(x, value_attrs={"rocdl.waves_per_eu": waves}).launch(grid=1, block=64)
            fill(x, value_attrs={"rocdl.waves_per_eu": waves}).launch(grid=1, block=64)

    assert host.trace(X, arch="gfx942").kernels == ("fill_0", "fill_1")


def test_bad_attributes_are_refused_at_the_call() -> None:
    with pytest.raises(FrontendError, match="value_attrs is a dictionary") as caught:
        host_of(value_attrs=[1]).trace(X, X, arch="gfx942")
    assert "square(x, y, **given)" in str(caught.value)


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ({"waves_per_eu": 2}, '"amdgpu-waves-per-eu"="2"'),
        ({"waves_per_eu": (2, 4)}, '"amdgpu-waves-per-eu"="2,4"'),
        ({"maxnreg": 32}, '"amdgpu-num-vgpr"="32"'),
    ],
)
def test_occupancy_hints_win_over_what_a_call_says(hints: dict[str, Any], expected: str) -> None:
    host = host_of(value_attrs={"rocdl.waves_per_eu": 1})
    host.compile_hints.update(hints)
    found = attributes(host)
    assert expected in found
    assert found.count("amdgpu-waves-per-eu") == 1


@pytest.mark.parametrize(
    ("hints", "flags"),
    [
        ({}, ""), ({"fast_fp_math": True}, "fast "), ({"fast_fp_math": False}, ""),
        ({"fastmath": "contract"}, "contract "),
        ({"unsafe_fp_math": True}, "reassoc nsz arcp contract afn "),
        ({"fastmath": fx.FastMathFlags.nnan | fx.FastMathFlags.nsz, "fast_fp_math": True}, "nnan nsz "),
    ],
)  # fmt: skip
def test_hints_of_float_arithmetic_reach_its_operations(hints: dict[str, Any], flags: str) -> None:
    host = host_of()
    host.compile_hints.update(hints)
    text = host.trace(X, X, arch="gfx942").lower().llvm_ir()
    assert re.findall("f(?:mul|add) (.*)float", text) == [flags, flags]


@pytest.mark.parametrize(
    ("hints", "words"),
    [
        ({"fast_fp_math": 1}, "'fast_fp_math' is True or False"),
        ({"llvm_options": ["a"]}, "'llvm_options' is a dictionary such as"),
        ({"llvm_options": {"a": 1.5}}, "Unsupported type of LLVM option 'a'"),
        ({"llvm_options": {1: True}}, "named by a string"),
        ({"waves_per_eux": 1}, "no compile hint 'waves_per_eux'; known: .*waves_per_eu"),
    ],
)
def test_bad_hints_are_refused(hints: dict[str, Any], words: str) -> None:
    host = host_of()
    host.compile_hints.update(hints)
    with pytest.raises(ArgumentError, match=words):
        host(X, X)


def isa(options: dict[str, Any] | None) -> str:
    host = host_of()
    host.compile_hints.update({} if options is None else {"llvm_options": options})
    return host.trace(X, X, arch="gfx942").lower().compile().disassemble()


def test_options_of_llvm_change_this_compilation_and_no_other() -> None:
    plain, forced = isa(None), {"amdgpu-waitcnt-forcezero": True}
    assert isa(forced) != plain
    assert isa(None) == plain
    assert isa({}) == plain
    found: dict[int, str] = {}
    threads = [threading.Thread(target=lambda k=k: found.update({k: isa(forced if k % 2 else None)})) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: plain, 1: isa(forced), 2: plain, 3: isa(forced)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"amdgpu-waitcnt-forcezer": True}, "'amdgpu-waitcnt-forcezer=true': there is none; did you mean 'amdgpu-wait"),
        ({"amdgpu-waitcnt-forcezero": "often"}, "'often' is invalid value for boolean argument"),
        ({"help": True}, "it prints a text and ends the process"),
    ],
)  # fmt: skip
def test_options_that_llvm_does_not_take_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(LlvmPassError, match=words):
        isa(options)


def test_the_target_of_a_trace_is_told_while_tracing() -> None:
    from flydsl.runtime.device import get_rocm_arch, get_warp_size, is_rdna_arch

    told: list[Any] = []

    @flyc.kernel
    def ask(x: fx.Tensor):
        told.append((get_rocm_arch(), is_rdna_arch(), get_warp_size(), flyc.compile_backend_name()))
        x[0] = 1.0

    @flyc.jit
    def host(x: fx.Tensor):
        ask(x).launch(grid=1, block=64)

    for arch in ("gfx950", "gfx1201", "gfx1100:wavefrontsize64+", "gfx1250"):
        host.trace(X, arch=arch, backend="rocm")
    assert told == [
        ("gfx950", False, 64, "rocm"), ("gfx1201", True, 32, "rocm"), ("gfx1100", True, 64, "rocm"),
        ("gfx1250", False, 32, "rocm"),
    ]  # fmt: skip
    assert [get_warp_size(arch) for arch in ("gfx90a", "gfx1030", "gfx1201", "gfx9999")] == [64, 32, 32, 64]
