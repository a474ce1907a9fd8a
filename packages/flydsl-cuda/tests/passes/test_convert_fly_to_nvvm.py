"""Memory spaces, prints and narrow floats."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Ptx = Callable[..., str]
Lower = Callable[..., str]
Stored = Callable[..., tuple[str, str]]
OUT = "!fly.ptr<i32, global>"


def test_shared_memory_is_defined_and_dynamic_memory_is_not(kernel: Kernel, ptx: Ptx, stored: Stored) -> None:
    body = """
      %s = fly.make_ptr() {dictAttrs = {allocBytes = 256 : i64, allocAlign = 16 : i64}} : () -> !fly.ptr<i32, shared>
      %d = fly.get_dyn_shared() : () -> !fly.ptr<i32, shared, align<16>>
      %x = fly.ptr.load(%d) : (!fly.ptr<i32, shared, align<16>>) -> i32
      fly.ptr.store(%x, %s) : (i32, !fly.ptr<i32, shared>) -> ()
      %v = fly.ptr.load(%s) : (!fly.ptr<i32, shared>) -> i32
    """
    text = ptx(kernel(*stored(body)))
    assert ".shared .align 16 .b8 __shared_alloc_0[256];" in text, text
    assert ".extern .shared .align 16 .b8 __shared_alloc_0" not in text
    assert re.search(r"^\.extern \.shared \.align 16 \.b8 __dynamic_shared_0\[\];", text, re.MULTILINE)


def test_prints_are_calls_of_the_drivers_function(kernel: Kernel, ptx: Ptx, stored: Stored) -> None:
    body = f"%v = fly.ptr.load(%p) : ({OUT}) -> i32\n" + '"gpu.printf"(%v) <{format = "%d\\0A"}> : (i32) -> ()'
    assert "vprintf" in ptx(kernel(*stored(body)))


@pytest.mark.parametrize(("type_", "width"), [("f16", 16), ("bf16", 16), ("f64", 64)])
def test_a_nan_that_is_narrowed_has_the_sign_that_was_given(
    kernel: Kernel, lower: Lower, type_: str, width: int
) -> None:
    """The chip's own conversions to f32 lose it."""
    pointer = "!fly.ptr<f8E5M2, global>"
    body = f"""
      %x = fly.ptr.load(%q) : (!fly.ptr<{type_}, global>) -> {type_}
      %v = arith.truncf %x : {type_} to f8E5M2
      fly.ptr.store(%v, %p) : (f8E5M2, {pointer}) -> ()
    """
    text = lower(kernel(f"%p: {pointer}, %q: !fly.ptr<{type_}, global>", body))
    assert re.search(rf'"llvm\.bitcast"\(%\w+\) : \({type_}\) -> i{width}', text)
