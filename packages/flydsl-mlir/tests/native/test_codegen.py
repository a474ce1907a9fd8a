"""Machine code from LLVM IR and from LLVM-dialect modules."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

import flydsl_mlir
from flydsl_mlir import MlirError

AMDGPU = {"triple": "amdgcn-amd-amdhsa", "chip": "gfx942"}
X86 = {"triple": "x86_64-pc-linux-gnu"}
TEXT = b"define i32 @f(i32 %a) {\n  %b = add i32 %a, 0\n  %c = mul i32 %b, 3\n  ret i32 %c\n}\n"


def test_bitcode_becomes_an_object(bitcode: bytes) -> None:
    assert flydsl_mlir.codegen(bitcode, **AMDGPU)[:5] == b"\x7fELF\x02"


def test_text_becomes_assembly() -> None:
    assert b"f:" in flydsl_mlir.codegen(TEXT, **X86, assembly=True)


def test_optimize_runs_the_middle_end() -> None:
    loop = b"""
    define void @scale(ptr noalias %x, i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %j, %loop ]
      %p = getelementptr float, ptr %x, i64 %i
      %v = load float, ptr %p
      %w = fmul float %v, 2.0
      store float %w, ptr %p
      %j = add i64 %i, 1
      %more = icmp ult i64 %j, %n
      br i1 %more, label %loop, label %end
    end:
      ret void
    }"""
    plain, vectorized = (
        flydsl_mlir.codegen(loop, **X86, chip="haswell", opt_level=3, assembly=True, optimize=optimize)
        for optimize in (False, True)
    )
    assert b"ymm" not in plain
    assert b"ymm" in vectorized


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"triple": "pdp11-dec-unix"}, "unknown triple 'pdp11-dec-unix'"),
        ({"triple": "amdgcn-amd-amdhsa", "chip": "gfx1"}, "unknown chip 'gfx1'"),
        ({"triple": "x86_64-pc-linux-gnu", "chip": "gfx942"}, "unknown chip 'gfx942'"),
        ({"triple": "x86_64-pc-linux-gnu", "features": "+warp-drive"}, r"unknown feature '\+warp-drive'"),
        ({"triple": "x86_64-pc-linux-gnu", "features": "avx2"}, "unknown feature 'avx2'"),
        ({"triple": "x86_64-pc-linux-gnu", "opt_level": 4}, "level 4 is not one of 0, 1, 2, 3"),
    ],
)
def test_unknown_target_is_an_error(options: dict[str, object], message: str) -> None:
    with pytest.raises(MlirError, match=message):
        flydsl_mlir.codegen(TEXT, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("garbage", [b"", b"\0", b"BC\xc0\xde", b"BC\xc0\xde" + bytes(64), b"define", b"\xff" * 100])
def test_garbage_is_an_error(garbage: bytes) -> None:
    with pytest.raises(MlirError):
        flydsl_mlir.codegen(garbage + b"x", **X86)


def test_ir_that_does_not_verify_is_an_error() -> None:
    with pytest.raises(MlirError, match=r"does not verify|not LLVM IR"):
        flydsl_mlir.codegen(b"define i32 @f() {\n  %a = add i32 %b, 1\n  %b = add i32 %a, 1\n  ret i32 %b\n}", **X86)


def test_parse_error_points_at_the_line() -> None:
    with pytest.raises(MlirError) as caught:
        flydsl_mlir.codegen(b"define i32 @f() {\n  nonsense\n}", **X86)
    assert [(d.file, d.line) for d in caught.value.diagnostics] == [("module.ll", 2)]


def test_backend_error_is_an_exception() -> None:
    with pytest.raises(MlirError, match="invalid instruction mnemonic"):
        flydsl_mlir.codegen(b'define void @f() {\n call void asm sideeffect "frobnicate", ""()\n ret void\n}', **X86)


def test_unselectable_intrinsic_is_an_exception() -> None:
    ir = b"declare i32 @llvm.x86.rdpid()\ndefine i32 @f() {\n %a = call i32 @llvm.x86.rdpid()\n ret i32 %a\n}"
    with pytest.raises(MlirError, match=r"(?i)cannot select"):
        flydsl_mlir.codegen(ir, **AMDGPU)


def test_llvm_ir_of_a_module_compiles(saxpy: str) -> None:
    text = flydsl_mlir.emit_llvm_ir(saxpy)
    assert "define void @saxpy" in text
    assert flydsl_mlir.emit_llvm_ir(saxpy, bitcode=True)[:4] == b"BC\xc0\xde"
    assert flydsl_mlir.codegen(text.encode(), **X86)[:4] == b"\x7fELF"


def test_module_outside_the_llvm_dialect_does_not_translate() -> None:
    with pytest.raises(MlirError, match="cannot be translated") as caught:
        flydsl_mlir.emit_llvm_ir("func.func @f() { return }")
    assert caught.value.diagnostics


@pytest.mark.parametrize("opt_level", [0, 1, 2, 3])
def test_host_object_computes(saxpy: str, tmp_path: Path, opt_level: int) -> None:
    _, chip, features = flydsl_mlir.host_cpu()
    code = flydsl_mlir.emit_host_object(saxpy, chip=chip, features=features, opt_level=opt_level)
    library = tmp_path / "saxpy.so"
    library.write_bytes(flydsl_mlir.link([code]))
    x, y = np.random.default_rng(0).normal(size=(2, 1003)).astype(np.float32)
    expected = 1.5 * x.astype(np.float64) + y
    call = ctypes.CDLL(str(library))["_mlir_ciface_saxpy"]
    call(ctypes.c_size_t(x.size), ctypes.c_float(1.5), _memref(x), _memref(y))
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


def test_host_object_uses_vectors_of_the_chip(saxpy: str) -> None:
    assembly = flydsl_mlir.emit_host_object(saxpy, triple=X86["triple"], chip="haswell", opt_level=3, assembly=True)
    assert b"ymm" in assembly


def _memref(array: np.ndarray) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * 5)(array.ctypes.data, array.ctypes.data, 0, array.size, 1)


def test_functions_with_features_of_their_own_are_made_for_the_target_too() -> None:
    library = """
    define i1 @is_less(float %a, float %b) #0 {
      %c = fcmp olt float %a, %b
      ret i1 %c
    }
    attributes #0 = { "target-features"="+16-bit-insts" }
    """
    options = {"triple": "amdgcn-amd-amdhsa", "chip": "gfx1100", "assembly": True}
    assert "vcc_lo" in flydsl_mlir.codegen(library.encode(), **options).decode()
    assert "vcc_lo" not in flydsl_mlir.codegen(library.encode(), features="+wavefrontsize64", **options).decode()


ASSEMBLY = """
module {
  llvm.func @other(i32)
  llvm.func KERNEL {
    %0 = llvm.inline_asm "some text $0, $1", "=v,v" %a : (i32) -> i32
    %1 = llvm.inline_asm "", "=v,0" %0 : (i32) -> i32
    llvm.call @other(%1) : (i32) -> ()
    llvm.return
  }
}
"""


@pytest.mark.parametrize("kernel", ["amdgpu_kernelcc @k(%a: i32)", "ptx_kernelcc @k(%a: i32)"])
def test_what_threads_run_together_is_marked_in_kernels_of_gpus(kernel: str) -> None:
    """Assembly and calls, but not text without instructions, which threads need not meet for."""
    text = flydsl_mlir.emit_llvm_ir(ASSEMBLY.replace("KERNEL", kernel))
    (number,) = re.findall(r"attributes (#\d) = { convergent }", text)
    marked = {line.strip() for line in text.splitlines() if line.endswith(number)}
    assert len(marked) == 3, text  # the line of the kernel ends with {
    assert not any('asm ""' in line for line in marked)


def test_code_of_processors_is_not_marked() -> None:
    assert "convergent" not in flydsl_mlir.emit_llvm_ir(ASSEMBLY.replace("KERNEL", "@k(%a: i32)"))
