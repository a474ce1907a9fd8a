"""Vectors of bf16 become f32 by a shift and a mask for each pair."""

from __future__ import annotations

from collections.abc import Callable

POINTERS = "%p: !fly.ptr<bf16, global, align<16>>, %q: !fly.ptr<f32, global, align<16>>"


def widened(count: int) -> str:
    return f"""
      %x = fly.ptr.load(%p) : (!fly.ptr<bf16, global, align<16>>) -> vector<{count}xbf16>
      %v = arith.extf %x : vector<{count}xbf16> to vector<{count}xf32>
      fly.ptr.store(%v, %q) : (vector<{count}xf32>, !fly.ptr<f32, global, align<16>>) -> ()
    """


def test_pairs_are_shifted_and_masked(kernel: Callable[..., str], ptx: Callable[..., str]) -> None:
    text = ptx(kernel(POINTERS, widened(4)))
    assert "cvt.f32.bf16" not in text
    assert (text.count("shl.b32"), text.count("and.b32")) == (2, 2)


def test_an_odd_number_is_converted_one_by_one(kernel: Callable[..., str], ptx: Callable[..., str]) -> None:
    assert "and.b32" not in ptx(kernel(POINTERS, widened(3)))
