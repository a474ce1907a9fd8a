"""Copies that say what the caches do: their PTX, in its place among other accesses, and errors."""

from __future__ import annotations

import re
from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def moved(
    bits: int, loads: str, stores: str, dtype: Any, pred: bool = False, second: tuple[str, str] = ("", "")
) -> Any:
    def body(x: fx.Tensor) -> None:
        count = bits // dtype.width
        start = fx.recast_iter(dtype, fx.get_iter(x))
        every = fx.make_view(start, fx.make_layout((count, 32, 2), (1, count, 32 * count)))
        held = fx.make_rmem_tensor(count, dtype)
        held.fill(0)
        flag = fx.make_rmem_tensor(1, fx.Boolean)
        flag.fill(fx.thread_idx.x < 7)
        there = flag if pred else None
        fx.copy(
            fx.make_copy_atom(fx.nvvm.GlobalCopy(bits, loads, second[0]), dtype),
            every[None, fx.thread_idx.x, 0],
            held,
            pred=there,
        )
        fx.barrier()
        fx.copy(
            fx.make_copy_atom(fx.nvvm.GlobalCopy(bits, stores, second[1]), dtype),
            held,
            every[None, fx.thread_idx.x, 1],
            pred=there,
        )

    return body


@pytest.mark.parametrize("dtype", [fx.Float32, fx.BFloat16, fx.Int8])
@pytest.mark.parametrize("bits, width", [(32, ""), (64, ".v2"), (128, ".v4")])
@pytest.mark.parametrize("pred", [False, True])
def test_a_copy_is_one_instruction(traced_ptx: Any, bits: int, width: str, dtype: Any, pred: bool) -> None:
    ptx = traced_ptx(moved(bits, "no_allocate", "evict_first", dtype, pred))
    assert len(re.findall(re.escape(f"ld.global.L1::no_allocate{width}.b32 "), ptx)) == 1
    assert len(re.findall(re.escape(f"st.global.L1::evict_first{width}.b32 "), ptx)) == 1
    order = [ptx.index(text) for text in ("ld.global.L1", "bar", "st.global.L1")]
    assert order == sorted(order)


def test_without_a_cache_it_is_as_usual(traced_ptx: Any) -> None:
    ptx = traced_ptx(moved(128, "", "evict_last", fx.Float32))
    assert "ld.global.v4.b32" in ptx
    assert "st.global.L1::evict_last.v4.b32" in ptx


@pytest.mark.parametrize("cache, word", [("", ""), ("no_allocate", ".L1::no_allocate")])
@pytest.mark.parametrize("bits, width", [(32, ""), (128, ".v4")])
def test_the_second_cache_is_told_by_a_policy(traced_ptx: Any, bits: int, width: str, cache: str, word: str) -> None:
    ptx = traced_ptx(moved(bits, cache, "", fx.Float32, second=("evict_last", "evict_first")))
    for policy, access in (("evict_last", f"ld.global{word}"), ("evict_first", "st.global")):
        start = rf"createpolicy\.fractional\.L2::{policy}\.b64 policy, 1\.0; "
        assert len(re.findall(rf"{start}{access}\.L2::cache_hint{width}\.b32 .*, policy;", ptx)) == 1


@pytest.mark.parametrize(
    "bits, cache, message", [(8, "", "found 8"), (128, "cs", "no_allocate, evict_first, evict_last")]
)
def test_what_there_is_not_is_an_error(traced_ptx: Any, bits: int, cache: str, message: str) -> None:
    with pytest.raises(FrontendError, match=message):
        traced_ptx(moved(128, cache, "", fx.Float32) if cache else moved(bits, "", "", fx.Int8))


def test_other_spaces_are_an_error(traced_ptx: Any) -> None:
    def body(x: fx.Tensor) -> None:
        tile = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 4, 16]).view(fx.make_layout(4, 1))
        held = fx.make_rmem_tensor(4, fx.Float32)
        fx.copy(fx.make_copy_atom(fx.nvvm.GlobalCopy(128), fx.Float32), tile, held)

    with pytest.raises(Exception, match="copies between global memory and registers"):
        traced_ptx(body)
