"""Every operation of MLIR's `rocdl` dialect, called by its name, becomes code for a chip that has it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError
from flydsl_rocm.rocdl import Argument, Signature, python_name, signatures

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
# Types that a definition leaves open, by operation: of A and B, and of C, for each chip where it matters.
WMMA = {
    r"gfx1100 wmma\.f32\..*\.f16": ("v16f16", "v8f32"), r"gfx1100 wmma\.f32\..*\.bf16": ("v16i16", "v8f32"),
    r"gfx1100 wmma\.f16.*": ("v16f16", "v16f16"), r"gfx1100 wmma\.bf16.*": ("v16i16", "v16i16"),
    r"gfx1100 .*iu8": ("v4i32", "v8i32"), r"gfx1100 .*iu4": ("v2i32", "v8i32"),
    r"gfx1201 wmma\.f32\..*\.f16": ("v8f16", "v8f32"), r"gfx1201 wmma\.f32\..*\.bf16": ("v8i16", "v8f32"),
    r"gfx1201 wmma\.f16.*": ("v8f16", "v8f16"), r"gfx1201 wmma\.bf16.*": ("v8i16", "v8i16"),
    r"gfx1201 .*x16\.iu4": ("i32", "v8i32"), r"gfx1201 .*iu.": ("v2i32", "v8i32"),
    r"gfx1201 .*": ("v2i32", "v8f32"),
    r"gfx1250 wmma\.scale.*32x16x128.*": ("v16i32", "v16f32"), r"gfx1250 wmma\.scale.*": ("v16i32", "v8f32"),
    r"gfx1250 .*16x16x4\.f32": ("v2f32", "v8f32"), r"gfx1250 wmma\.f32.*x32\.(b?f16)": (r"v16\1", "v8f32"),
    r"gfx1250 wmma\.bf16f32.*": ("v16bf16", "v8f32"), r"gfx1250 wmma\.(b?f16).*x32\..*": (r"v16\1", r"v8\1"),
    r"gfx1250 .*iu8": ("v8i32", "v8i32"), r"gfx1250 wmma\.(f..)\.16x16x64.*": ("v8i32", r"v8\1"),
    r"gfx1250 wmma\.(f..)\.16x16x128.*": ("v16i32", r"v8\1"),
}  # fmt: skip
RESULTS = {
    r".*tr16\.b64": "v4i16", r".*b64": "v2i32", r".*b96": "v3i32", r".*b128": "v8i16", r"wmma\.bf16f32.*": "v8bf16",
    "ballot": "i64", r"raw\..*": "f32",
}  # fmt: skip
IMMEDIATES = {"size": 4, "dppCtrl": 0x111, "rowMask": 15, "bankMask": 15, "id": -1}
NUMBERS = {
    "i1": fx.Boolean, "i16": fx.Int16, "i32": fx.Int32, "i64": fx.Int64, "f16": fx.Float16, "bf16": fx.BFloat16,
    "f32": fx.Float32, "f64": fx.Float64,
}  # fmt: skip


def chip_of(signature: Signature) -> str:
    return next(chip for chip in CHIPS if chip in signature.chips)


OPERATIONS = [signature for signature in signatures().values() if signature.chips]


def open_type(name: str, chip: str, argument: str) -> str:
    """The type of an operand whose definition leaves it open."""
    if name.startswith("wmma."):
        key = f"{chip} {name}"
        pattern, types = next(item for item in WMMA.items() if re.fullmatch(item[0], key))
        chosen = re.sub(f"^{pattern}$", types[argument == "c"], key)
        return "v8i32" if "32x16x128" in name and argument == "b" else chosen
    if name.startswith("mfma.scale"):
        return "v8i32"
    if argument == "rsrc":
        return "v4i32"
    is_integer = argument in ("offset", "soffset", "aux", "src1", "src2") or "cmpswap" in name
    return "i32" if is_integer or name.endswith(("smax", "umin")) else "f32"


def value(kind: str, i: Any, pointers: dict[str, Any]) -> Any:
    """A value that is known at run time only."""
    if kind in pointers:
        return pointers[kind]
    vector = re.fullmatch(r"v(\d+)(\w+)", kind)
    element = NUMBERS[vector[2] if vector else kind]
    scalar = (i > 3) if element is fx.Boolean else element(i)
    return fx.Vector.filled(int(vector[1]), scalar, element) if vector else scalar


def result_type(signature: Signature) -> list[Any]:
    if not signature.result.endswith("*"):
        return []
    kind = next(kind for pattern, kind in RESULTS.items() if re.fullmatch(pattern, signature.name))
    vector = re.fullmatch(r"v(\d+)(\w+)", kind)
    return [fx.Vector.make_type(int(vector[1]), NUMBERS[vector[2]]) if vector else NUMBERS[kind]]


def call(signature: Signature, chip: str, i: Any, pointers: dict[str, Any]) -> Any:
    """The operation with an operand of each of its types, and the constants that it needs."""

    def given(argument: Argument) -> Any:
        if argument.kind in "=!#":
            return IMMEDIATES.get(argument.name, 0)
        kind = "p1" if argument.type == "p*" else argument.type
        if kind == "f" or kind.endswith("*"):
            kind = open_type(signature.name, chip, argument.name)
        return value(kind, i, pointers)

    operands = [given(argument) for argument in signature.arguments if argument.kind != "?"]
    return getattr(fx.rocdl, python_name(signature.name))(*result_type(signature), *operands)


def keep(result: Any) -> None:
    """Use a result, so that its operation stays."""
    if isinstance(result, fx.Vector | tuple):
        result = result[0]
    if isinstance(result, fx.Numeric) and result.width > 1:
        fx.rocdl.readfirstlane(result)
    elif str(getattr(result, "type", "")) == "!llvm.ptr<8>":
        fx.rocdl.raw_ptr_buffer_load(fx.Int32, result, 0, 0)


@pytest.mark.parametrize("signature", OPERATIONS, ids=[signature.name for signature in OPERATIONS])
def test_an_operation_becomes_code(signature: Signature) -> None:
    chip = chip_of(signature)

    @flyc.kernel
    def kernel(x: fx.Tensor):
        i = fx.thread_idx.x
        lds = fx.recast_iter(fx.Int32, fx.SharedAllocator().allocate(1024, 16))
        memory = fx.get_iter(x)
        buffer = fx.rocdl.make_buffer_ptr(memory)
        pointers = {"p0": fx.to_llvm_ptr(memory), "p1": memory, "p3": lds, "p8": buffer}
        keep(call(signature, chip, i, pointers))

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=64)

    text = host.trace(np.zeros(64, np.int32), arch=chip, backend="rocm").lower()
    assert f'"rocdl.{signature.name}"' in text.device_text
    assert "define amdgpu_kernel" in text.llvm_ir()


def traced(body: Any, chip: str = "gfx942") -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor):
        body(fx.thread_idx.x, x)

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=64)

    host.trace(np.zeros(64, np.float32), arch=chip, backend="rocm")


def buffer(x: Any) -> Any:
    return fx.rocdl.make_buffer_ptr(fx.get_iter(x))


def filled(count: int, dtype: Any) -> Any:
    return fx.Vector.filled(count, 0, dtype)


MFMA = fx.rocdl.mfma_f32_16x16x16f16
WRONG = {
    "too few values": (lambda i, x: MFMA(i), "called with 1 values; it is mfma_f32_16x16x16f16"),
    "too many": (lambda i, x: fx.rocdl.mbcnt_lo(i, i, i), r"with 3 values; it is mbcnt_lo\(in0: i32, in1: i32\)"),
    "an unknown name": (lambda i, x: fx.rocdl.mbcnt_lo(i, in2=i), "called with 1 values and in2"),
    "one value twice": (lambda i, x: fx.rocdl.mbcnt_lo(i, i, in0=i), "called with 2 values and in0"),
    "a float for an integer": (lambda i, x: fx.rocdl.mbcnt_lo(fx.Float64(i), i), "in0 is i32, found"),
    "other lanes": (
        lambda i, x: MFMA(filled(8, fx.Float16), filled(4, fx.Float16), filled(4, fx.Float32)),
        "a is a vector of 4 f16, found",
    ),
    "another memory": (
        lambda i, x: fx.rocdl.global_load_lds(fx.get_iter(x), fx.get_iter(x), 4, 0, 0),
        "ldsPtr is a pointer to shared memory, found",
    ),
    "no result type": (
        lambda i, x: fx.rocdl.raw_ptr_buffer_load(buffer(x), 0, 0),
        "needs the type of its result first",
    ),
    "another result": (lambda i, x: fx.rocdl.mbcnt_lo(fx.Int64, i, i), "gives i32, and i64 is asked for"),
    "a constant of run time": (
        lambda i, x: fx.rocdl.raw_ptr_buffer_load(fx.Int32, buffer(x), 0, 0, i),
        "aux is known while tracing",
    ),
    "an attribute of run time": (lambda i, x: fx.rocdl.s_barrier_wait(i), "id is an integer of 16 bits known while"),
}


@pytest.mark.parametrize("case", WRONG)
def test_calls_that_do_not_fit_are_refused(case: str) -> None:
    body, words = WRONG[case]
    with pytest.raises(FrontendError, match=words) as caught:
        traced(body, "gfx1201" if "attribute" in case else "gfx942")
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


def test_an_operation_without_an_instruction_says_so() -> None:
    with pytest.raises(UnsupportedTargetError, match=r"gfx942 has no fx\.rocdl\.exp"):
        traced(lambda i, x: fx.rocdl.exp(x[0]))
