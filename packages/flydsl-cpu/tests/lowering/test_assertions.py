"""Traps become calls of the runtime with the text that was printed before them."""

from __future__ import annotations

from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl_cpu.lowering.cpu_thread_loops import CpuThreadLoops

BODY = """
  %c0 = arith.constant 0 : i32
  %tx = gpu.thread_id x
  %t = arith.index_cast %tx : index to i32
  %bad = arith.cmpi sgt, %t, %c0 : i32
  "scf.if"(%bad) ({
    PRINT
    "llvm.intr.trap"() : () -> ()
    "scf.yield"() : () -> ()
  }, {
  }) : (i1) -> ()
"""


def lowered(kernel_module, print_: str) -> str:
    module = parse_module(kernel_module("", BODY.replace("PRINT", print_)))
    CpuThreadLoops().apply(None, module)
    return emit_generic(module)


def test_the_text_before_a_trap_goes_to_the_runtime_instead_of_stdout(kernel_module):
    text = lowered(kernel_module, '"gpu.printf"() <{format = "a.py:3: 100%% wrong\\0A"}> : () -> ()')
    assert "a.py:3: 100% wrong" in text
    assert "k_assertion_0" in text
    assert "@printf" not in text
    assert "llvm.intr.trap" not in text


def test_a_trap_without_text_says_so(kernel_module):
    assert "the kernel trapped" in lowered(kernel_module, "")


def test_a_print_with_arguments_is_still_printed(kernel_module):
    text = lowered(kernel_module, '"gpu.printf"(%t) <{format = "%d\\0A"}> : (i32) -> ()')
    assert "@printf" in text
    assert "the kernel trapped" in text
