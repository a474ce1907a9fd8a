"""Barriers in shared memory and named ones: what they are in PTX, in the order of the program, and what they refuse."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError

Ptx = Callable[..., str]
INSTRUCTION = re.compile(r"\b((?:mbarrier|fence|mapa|bar|setmaxnreg|griddepcontrol|barrier)\.[\w.:]+)")


def barriers(count: int = 2) -> fx.Pointer:
    return fx.SharedAllocator().allocate(fx.Array[fx.Int64, count]).ptr


def instructions(text: str) -> list[str]:
    return INSTRUCTION.findall(text)


def test_a_barrier_is_made_arrived_at_and_waited_for_in_order(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        full = barriers()
        fx.nvvm.mbarrier_init(full, 1)
        fx.nvvm.fence_mbarrier_init()
        fx.nvvm.mbarrier_arrive_expect_tx(full, 4096)
        fx.nvvm.mbarrier_expect_tx(full, 16)
        fx.nvvm.mbarrier_arrive(full + 1)
        fx.nvvm.mbarrier_wait(full, x[0])
        fx.nvvm.mbarrier_inval(full)

    assert instructions(traced_ptx(body)) == [
        "mbarrier.init.shared.b64",
        "fence.mbarrier_init.release.cluster",
        "mbarrier.arrive.expect_tx.shared::cta.b64",
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64",
        "mbarrier.arrive.shared.b64",
        "mbarrier.try_wait.parity.shared::cta.b64",
        "mbarrier.inval.shared.b64",
    ]


def test_a_wait_is_a_loop_and_a_load_of_shared_memory_stays_behind_it(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        memory = fx.SharedAllocator()
        full, tile = memory.allocate(fx.Array[fx.Int64, 1]).ptr, memory.allocate(fx.Array[fx.Int32, 4]).ptr
        before = tile.load()
        fx.nvvm.mbarrier_wait(full, 0)
        x[0] = tile.load() - before

    text = traced_ptx(body)
    first, wait, second = (text.index("ld.shared"), text.index("try_wait"), text.rindex("ld.shared"))
    assert first < wait < second
    assert re.search(r"WAIT: mbarrier\.try_wait\S+ done, .*@done bra DONE; bra WAIT; DONE:", text)


def test_barriers_of_other_blocks_of_the_cluster_have_mapped_addresses(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        fx.nvvm.mbarrier_arrive(barriers(), rank=x[0])
        fx.nvvm.mbarrier_arrive_expect_tx(barriers(), 64, rank=1)

    assert instructions(traced_ptx(body)) == [
        "mapa.shared::cluster.u32",
        "mbarrier.arrive.shared::cluster.b64",
        "mapa.shared::cluster.u32",
        "mbarrier.arrive.expect_tx.shared::cluster.b64",
    ]


def test_a_try_says_whether_the_phase_has_ended(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        x[0] = fx.Int32(fx.nvvm.mbarrier_try_wait(barriers(), 1))

    text = traced_ptx(body)
    assert "selp.b32" in text
    assert "bra" not in text


@pytest.mark.parametrize(
    ("space", "fence"),
    [("shared", "fence.proxy.async.shared::cta;"), ("global", "fence.proxy.async.global;"), ("", "fence.proxy.async;")],
)
def test_fences_of_the_asynchronous_proxy(traced_ptx: Ptx, space: str, fence: str) -> None:
    assert fence in traced_ptx(lambda x: fx.nvvm.fence_proxy_async(space))


def test_named_barriers_take_numbers_of_run_time(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        fx.nvvm.named_barrier_arrive(x[0], 64)
        fx.nvvm.named_barrier_sync(3, 128)

    assert re.findall(r"bar\.(\w+) %r\d+, %r\d+;", traced_ptx(body)) == ["arrive", "sync"]


def test_memory_may_be_a_tensor_or_storage(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        storage = fx.SharedAllocator().allocate(fx.Array[fx.Int64, 4])
        fx.nvvm.mbarrier_init(storage, 1)
        fx.nvvm.mbarrier_init(storage.view(fx.make_layout(4, 1)), 1)

    assert traced_ptx(body).count("mbarrier.init") == 2


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda x: fx.nvvm.mbarrier_init(x, 1), "pointer to shared memory.*found"),
        (lambda x: fx.nvvm.mbarrier_init(fx.SharedAllocator().allocate(64), 1), "barrier, 64 bits of shared memory"),
        (lambda x: fx.nvvm.mbarrier_init(barriers(), 0), "a count from 1 to 1048575, found 0"),
        (lambda x: fx.nvvm.mbarrier_wait(barriers(), 0.5), "parity of fx.nvvm.mbarrier_wait is an integer, found 0.5"),
        (lambda x: fx.nvvm.fence_proxy_async("smem"), r"found 'smem'"),
        (lambda x: fx.nvvm.named_barrier_sync(16, 128), "barriers 0 to 15, found 16"),
        (lambda x: fx.nvvm.named_barrier_arrive(1, 100), "100 is no multiple of 32"),
    ],
)
def test_what_a_barrier_refuses(traced_ptx: Ptx, body: Callable[..., None], message: str) -> None:
    with pytest.raises(FrontendError, match=message):
        traced_ptx(body)


@pytest.mark.parametrize(
    "body",
    [
        lambda x: fx.nvvm.mbarrier_wait(barriers(), 0),
        lambda x: fx.nvvm.mbarrier_arrive(barriers(), rank=0),
        lambda x: fx.nvvm.fence_proxy_async(),
    ],
)
def test_what_ampere_lacks(traced_ptx: Ptx, body: Callable[..., None]) -> None:
    with pytest.raises(UnsupportedTargetError, match=r"sm_80 has no fx\.nvvm\.\w+; chips that have it: sm_90, sm_90a"):
        traced_ptx(body, "sm_80")


def test_ampere_has_barriers(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        fx.nvvm.mbarrier_init(barriers(), 4)
        fx.nvvm.mbarrier_arrive(barriers())

    assert instructions(traced_ptx(body, "sm_80")) == ["mbarrier.init.shared.b64", "mbarrier.arrive.shared.b64"]
