"""Traps become calls of the runtime with the text that was printed before them."""

from __future__ import annotations

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


def lowered(kernel_module, after, print_: str, *passes: str) -> str:
    return after(kernel_module("", BODY.replace("PRINT", print_)), "cpu-lower-assertions", *passes)


def test_the_text_before_a_trap_goes_to_the_runtime_instead_of_stdout(kernel_module, after):
    text = lowered(kernel_module, after, '"gpu.printf"() <{format = "a.py:3: 100%% wrong\\0A"}> : () -> ()')
    assert "a.py:3: 100% wrong" in text
    assert "k_assertion_0" in text
    assert "@printf" not in text
    assert "llvm.intr.trap" not in text


def test_a_trap_without_text_says_so(kernel_module, after):
    assert "the kernel trapped" in lowered(kernel_module, after, "")


def test_a_print_with_arguments_is_still_printed(kernel_module, after):
    text = lowered(kernel_module, after, '"gpu.printf"(%t) <{format = "%d\\0A"}> : (i32) -> ()', "cpu-lower-prints")
    assert "@printf" in text
    assert "the kernel trapped" in text


def test_the_launch_tells_what_to_call(kernel_module, after):
    text = lowered(kernel_module, after, "")
    assert text.count('"cpu.stop_function"') == text.count('"cpu.block"') == 1
    native = after(text, "cpu-expand-index-operations", "cpu-thread-loops")
    assert "cpu." not in native


def test_a_kernel_without_traps_stays(kernel_module, after):
    text = kernel_module("", "%tx = gpu.thread_id x")
    assert after(text, "cpu-lower-assertions") == after(text)
