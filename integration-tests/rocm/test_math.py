"""Math functions, fast-math flags and atomic copies compiled for AMD GPUs, without any device library."""

from __future__ import annotations

import re

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError

BLOCK = 64
INTEGERS = ("absi", "ctlz", "ctpop", "cttz")
TWO = ("atan2", "copysign", "powf")
THREE = ("clampf", "fma")


@pytest.fixture(autouse=True)
def no_device_library(monkeypatch, tmp_path):
    monkeypatch.setattr("flydsl_rocm.device_libraries._FOLDERS", ())
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))


def compiled(kernel, arch, dtype="float32"):
    @flyc.jit
    def host(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        kernel(x, n, y).launch(grid=1, block=BLOCK)

    x, n, y = np.zeros(BLOCK, dtype), np.zeros(BLOCK, np.int32), np.zeros((64, BLOCK), dtype)
    return host.trace(x, n, y, arch=arch).lower().compile()


def applied(name, a, k):
    function = getattr(fx.math, name)
    if name in INTEGERS:
        return function(k)
    if name in ("fpowi", "ipowi"):
        return function(a if name == "fpowi" else k, k)
    return function(*[a] * (2 if name in TWO else 3 if name in THREE else 1))


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("dtype", [fx.Float32, fx.Float16, fx.BFloat16])
@pytest.mark.parametrize("is_vector", [False, True])
def test_every_function_is_instructions_only(arch, dtype, is_vector):
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        a, k = x[i].to(dtype), n[i]
        if fx.const_expr(is_vector):
            a = fx.Vector.from_elements([a, a * 2], dtype)
            k = fx.Vector.from_elements([k, k + 1], fx.Int32)
        for row in fx.range_constexpr(len(fx.math.__all__)):
            result = applied(fx.math.__all__[row], a, k)
            result = result[0] + result[1] if isinstance(result, tuple) else result
            y[row, i] = (result[0].to(fx.Float32) + result[1].to(fx.Float32)) if is_vector else result.to(fx.Float32)

    text = compiled(kernel, arch).disassemble()
    assert "s_endpgm" in text
    assert not re.search(r"s_(swap|set)pc", text)  # nothing is called


def test_contract_makes_a_fused_multiply_add():
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[0, i] = x[i] * x[i] + 1.5
        with fx.fastmath(fx.FastMathFlags.contract):
            y[1, i] = x[i] * x[i] + 2.5

    text = compiled(kernel, "gfx942").disassemble()
    assert len(re.findall(r"v_(?:pk_)?fma\w*_f32|v_mac_f32", text)) == 1
    assert len(re.findall(r"v_(?:pk_)?mul_f32", text)) == 1


ONE = {"exp2": "v_exp_f32", "log2": "v_log_f32", "rsqrt": "v_rsq_f32", "sqrt": "v_sqrt_f32"}
SCALED = {"exp": "v_exp_f32", "log": "v_log_f32", "log10": "v_log_f32"}


@pytest.mark.parametrize("flag", ["afn", "fast"])
@pytest.mark.parametrize("arch", ["gfx942", "gfx950", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("name", [*ONE, *SCALED, "reciprocal"])
def test_an_approximate_function_is_one_instruction_and_its_factor(name, arch, flag):
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        with fx.fastmath(flag):
            y[0, i] = 1 / x[i] if fx.const_expr(name == "reciprocal") else getattr(fx, name)(x[i])

    text = compiled(kernel, arch).disassemble()
    behind = re.findall(r"^  (v_\w+)", text[text.index("global_load") :], re.MULTILINE)
    instruction = {**ONE, **SCALED}.get(name, "v_rcp_f32")
    assert [one.startswith(instruction) for one in behind].count(True) == 1
    assert len(behind) == (2 if name in SCALED else 1)


@pytest.mark.parametrize("name", [*ONE, *SCALED])
def test_other_flags_leave_functions_as_they_are(name):
    def count(flags: str) -> int:
        @flyc.kernel
        def kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
            i = fx.thread_idx.x
            y[0, i] = getattr(fx, name)(x[i], fastmath=flags)

        return len(re.findall(r"\bv_\w+", compiled(kernel, "gfx942").disassemble()))

    assert count("") >= count("nnan,ninf,nsz,arcp,contract") > 6


@pytest.mark.parametrize(("arch", "name", "flags", "count"), [
    ("gfx942", "maximumf", "", 3),
    ("gfx942", "maximumf", "nnan", 1),
    ("gfx1100", "minimumf", "nnan", 1),
    ("gfx1201", "maximumf", "", 1),
    ("gfx942", "reduce", "nnan", 2),
])  # fmt: skip
def test_maxima_of_numbers_are_one_instruction(arch, name, flags, count):
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        if fx.const_expr(name == "reduce"):
            values = fx.Vector.from_elements([x[i], x[i + 64], x[i + 128], x[i + 192]], fx.Float32)
            y[0, i] = values.reduce(fx.ReductionOp.MAX, fastmath=flags)
        else:
            y[0, i] = getattr(fx, name)(x[i], x[i + 64], fastmath=flags)

    text = compiled(kernel, arch).disassemble()
    assert len(re.findall(r"^  v_(?:max|min|cmp|cndmask)", text, re.MULTILINE)) == count


@pytest.mark.parametrize(("word", "dtype", "instruction"), [
    ("Add", fx.Int32, "global_atomic_add"),
    ("Add", fx.Float32, "global_atomic_add_f32"),
    ("Add", fx.Float64, "global_atomic_add_f64"),
    ("Max", fx.Int32, "global_atomic_smax"),
    ("Max", fx.Uint32, "global_atomic_umax"),
    ("Min", fx.Int64, "global_atomic_smin_x2"),
    ("Max", fx.Float64, "global_atomic_max_f64"),
    ("And", fx.Int32, "global_atomic_and"),
    ("Or", fx.Uint64, "global_atomic_or_x2"),
    ("Inc", fx.Uint32, "global_atomic_inc"),
    ("Dec", fx.Uint32, "global_atomic_dec"),
])  # fmt: skip
def test_atomic_copies_are_one_instruction(word, dtype, instruction):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        register = fx.make_rmem_tensor(1, dtype)
        register[0] = x[fx.thread_idx.x]
        atom = fx.make_copy_atom(getattr(fx, f"UniversalAtomic{word}")(dtype, "agent"), dtype)
        fx.copy(atom, register, fx.make_view(fx.get_iter(y), fx.make_layout(1, 1)))

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=BLOCK)

    x = np.zeros(BLOCK, dtype.__name__.lower())
    text = host.trace(x, x, arch="gfx942").lower().compile().disassemble()
    assert re.search(rf"\b{instruction}\b", text)


def test_printing_without_the_device_library_says_what_is_missing():
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
        fx.printf("thread {} has {}", fx.thread_idx.x, x[fx.thread_idx.x])

    with pytest.raises(FlyDSLError, match=r"ockl.*rocm-device-libs"):
        compiled(kernel, "gfx942")
