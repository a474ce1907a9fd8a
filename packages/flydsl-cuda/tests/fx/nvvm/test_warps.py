"""Numbers of warps that the compiler knows to be uniform, one thread of a warp, and budgets of registers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError

Ptx = Callable[..., str]


def test_the_number_of_a_warp_is_read_from_its_first_thread(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        x[0] = fx.nvvm.warp_idx()

    text = traced_ptx(body)
    assert re.search(r"shfl\.sync\.idx\.b32\s+\S+, \S+, 0, 31, -1;", text)
    assert "shr.u32" in text
    assert "shr.s32" not in text


def test_a_warp_group_has_four_warps(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        x[0] = fx.nvvm.warpgroup_idx()

    assert re.search(r"shfl\.sync\.idx\.b32\s+(%r\d+),.*?shr\.s32\s+\S+, \1, 2;", traced_ptx(body), re.DOTALL)


def test_a_warp_waits_for_its_threads_between_their_stores_and_what_one_reads(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        shared = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 32]).view(fx.make_layout(32))
        shared[fx.lane_id()] = x[fx.lane_id()]
        fx.nvvm.warp_sync()
        if fx.lane_id() == 0:
            x[0] = shared[31]

    text = traced_ptx(body)
    places = [text.index(word) for word in ("st.shared", "bar.warp.sync 0xffffffff;", "ld.shared")]
    assert places == sorted(places)


def test_one_thread_of_a_warp_is_chosen_by_a_predicate(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        if fx.nvvm.elect_one():
            x[0] = 1

    assert re.search(r"elect\.sync\s+\S+\|%p\d+, -1;", traced_ptx(body))


def test_registers_are_given_and_taken_in_the_branches_that_say_so(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        if fx.nvvm.warpgroup_idx() == 0:
            fx.nvvm.setmaxnreg_decrease(40)
        else:
            fx.nvvm.setmaxnreg_increase(232)

    text = traced_ptx(body, block=256)
    assert sorted(re.findall(r"setmaxnreg\.(\w+)\.sync\.aligned\.u32 (\d+);", text)) == [("dec", "40"), ("inc", "232")]


def test_the_assembler_is_told_that_one_block_is_enough_where_registers_move(traced_ptx: Ptx) -> None:
    assert ".minnctapersm 1" in traced_ptx(lambda x: fx.nvvm.setmaxnreg_decrease(40))
    assert ".minnctapersm" not in traced_ptx(lambda x: fx.nvvm.elect_one())


@pytest.mark.parametrize("registers", [16, 41, 264, 40.0])
def test_a_budget_is_a_multiple_of_eight(traced_ptx: Ptx, registers: float) -> None:
    with pytest.raises(FrontendError, match="from 24 to 256 that is a multiple of 8, known while tracing; found"):
        traced_ptx(lambda x: fx.nvvm.setmaxnreg_increase(registers))


def test_a_budget_is_known_while_tracing(traced_ptx: Ptx) -> None:
    with pytest.raises(FrontendError, match="known while tracing"):
        traced_ptx(lambda x: fx.nvvm.setmaxnreg_increase(x[0]))


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_chips_without_budgets(traced_ptx: Ptx, arch: str) -> None:
    with pytest.raises(UnsupportedTargetError, match=f"{arch} has no fx.nvvm.setmaxnreg_decrease; .*sm_90a"):
        traced_ptx(lambda x: fx.nvvm.setmaxnreg_decrease(40), arch)
