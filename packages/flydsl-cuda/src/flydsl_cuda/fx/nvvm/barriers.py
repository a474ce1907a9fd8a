"""Barriers in shared memory that count arrivals and bytes (mbarrier), and named barriers of some threads of a block.

An mbarrier is 64 bits of shared memory, an `fx.Int64`, and has phases: one ends when `count` threads have arrived and
all bytes that were announced have come, and the next begins. A wait names the parity of the phase to wait for: 0 of
the first one, then 1, then 0 again; a wait for the phase before the first one (parity 1) ends at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.errors import FrontendError
from flydsl.expr import Boolean, as_numeric

from .chips import SM80, SM90, require
from .emit import SharedMemory, barrier_address, instruction, int32, number

if TYPE_CHECKING:
    from flydsl.backend.language import IntLike

__all__ = [
    "fence_mbarrier_init",
    "fence_proxy_async",
    "mbarrier_arrive",
    "mbarrier_arrive_expect_tx",
    "mbarrier_expect_tx",
    "mbarrier_init",
    "mbarrier_inval",
    "mbarrier_try_wait",
    "mbarrier_wait",
    "named_barrier_arrive",
    "named_barrier_sync",
]

_MOST_ARRIVALS = (1 << 20) - 1
_WARP = 32
_REMOTE = "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, $0, $1; "
"""The address `$0` as the block number `$1` of the cluster has it."""
_WAIT = (
    "{ .reg .pred done; WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @done bra DONE; bra WAIT; "
    "DONE: }"
)
_PROXY_FENCES = {"": "", "shared": ".shared::cta", "global": ".global"}


def mbarrier_init(barrier: SharedMemory, count: IntLike) -> None:
    """Make an mbarrier whose phases end after `count` arrivals; one thread does this.

    Threads of the block see it after `fx.barrier()`; the asynchronous copies and the other blocks of a cluster after
    `fence_mbarrier_init()` by the same thread and a barrier of the cluster or block.
    """
    require("mbarrier_init")
    known = as_numeric(count)
    if known.is_static and not 1 <= int(known.value) <= _MOST_ARRIVALS:
        raise FrontendError(f"fx.nvvm.mbarrier_init takes a count from 1 to {_MOST_ARRIVALS}, found {count!r}")
    address = barrier_address("mbarrier_init", barrier)
    instruction("mbarrier.init.shared.b64 [$0], $1;", address, int32("mbarrier_init", "count", count))


def mbarrier_inval(barrier: SharedMemory) -> None:
    """End an mbarrier, so that its memory may hold something else."""
    require("mbarrier_inval")
    instruction("mbarrier.inval.shared.b64 [$0];", barrier_address("mbarrier_inval", barrier))


def mbarrier_arrive(barrier: SharedMemory, *, rank: IntLike | None = None) -> None:
    """Arrive, after what this thread did before; `rank`: at the barrier of that block of the cluster.

    At other blocks it orders no accesses of memory but the arrivals: enough where the copy engine and matrix
    instructions move the data.
    """
    require("mbarrier_arrive", SM80 if rank is None else SM90)
    address = barrier_address("mbarrier_arrive", barrier)
    if rank is None:
        instruction("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [$0]; }", address)
        return
    text = _REMOTE + "mbarrier.arrive.shared::cluster.b64 _, [remote]; }"
    instruction(text, address, int32("mbarrier_arrive", "rank", rank))


def mbarrier_arrive_expect_tx(barrier: SharedMemory, tx_bytes: IntLike, *, rank: IntLike | None = None) -> None:
    """Announce that asynchronous copies will bring `tx_bytes` bytes in this phase, and arrive."""
    require("mbarrier_arrive_expect_tx", SM90)
    address = barrier_address("mbarrier_arrive_expect_tx", barrier)
    size = int32("mbarrier_arrive_expect_tx", "tx_bytes", tx_bytes)
    if rank is None:
        instruction("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", address, size)
        return
    text = _REMOTE + "mbarrier.arrive.expect_tx.shared::cluster.b64 _, [remote], $2; }"
    instruction(text, address, int32("mbarrier_arrive_expect_tx", "rank", rank), size)


def mbarrier_expect_tx(barrier: SharedMemory, tx_bytes: IntLike) -> None:
    """Announce that asynchronous copies will bring `tx_bytes` more bytes in this phase."""
    require("mbarrier_expect_tx", SM90)
    address = barrier_address("mbarrier_expect_tx", barrier)
    size = int32("mbarrier_expect_tx", "tx_bytes", tx_bytes)
    instruction("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [$0], $1;", address, size)


def mbarrier_try_wait(barrier: SharedMemory, parity: IntLike) -> Boolean:
    """Whether the phase of this parity has ended; may wait for a while before it says no."""
    require("mbarrier_try_wait", SM90)
    address = barrier_address("mbarrier_try_wait", barrier)
    text = "{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [$1], $2; selp.b32 $0, 1, 0, done; }"
    return number(text, address, int32("mbarrier_try_wait", "parity", parity)) != 0


def mbarrier_wait(barrier: SharedMemory, parity: IntLike) -> None:
    """Wait until the phase of this parity has ended; what others did before they arrived is seen from then on."""
    require("mbarrier_wait", SM90)
    address = barrier_address("mbarrier_wait", barrier)
    instruction(_WAIT, address, int32("mbarrier_wait", "parity", parity))


def fence_mbarrier_init() -> None:
    """Let the copy engine and the other blocks of the cluster see the mbarriers that this thread has made."""
    require("fence_mbarrier_init", SM90)
    instruction("fence.mbarrier_init.release.cluster;")


def fence_proxy_async(space: str = "shared") -> None:
    """Let the copy engine and matrix instructions see what this thread has written with ordinary stores.

    `space`: "shared", "global", or "" for both. Threads that tell another one to start a copy fence before they do.
    """
    require("fence_proxy_async", SM90)
    if space not in _PROXY_FENCES:
        raise FrontendError(f"fx.nvvm.fence_proxy_async is for {sorted(_PROXY_FENCES)}, found {space!r}")
    instruction(f"fence.proxy.async{_PROXY_FENCES[space]};")


def named_barrier_sync(barrier_id: IntLike, threads: IntLike) -> None:
    """Wait at barrier `barrier_id` until `threads` threads have come, here or by `named_barrier_arrive`.

    `barrier_id` is 1 to 15 (0 is `fx.barrier()`'s), `threads` a multiple of 32; whole warps come.
    """
    require("named_barrier_sync")
    instruction("bar.sync $0, $1;", *_named("named_barrier_sync", barrier_id, threads))


def named_barrier_arrive(barrier_id: IntLike, threads: IntLike) -> None:
    """Count as one that has come to `named_barrier_sync` with these numbers, without waiting."""
    require("named_barrier_arrive")
    instruction("bar.arrive $0, $1;", *_named("named_barrier_arrive", barrier_id, threads))


def _named(name: str, barrier_id: IntLike, threads: IntLike) -> tuple[object, object]:
    which, count = as_numeric(barrier_id), as_numeric(threads)
    if which.is_static and not 0 <= int(which.value) < 16:
        raise FrontendError(f"fx.nvvm.{name}: a block has barriers 0 to 15, found {barrier_id!r}")
    if count.is_static and (int(count.value) % _WARP or int(count.value) < _WARP):
        raise FrontendError(f"fx.nvvm.{name}: whole warps come to a barrier, {threads!r} is no multiple of {_WARP}")
    return int32(name, "barrier_id", barrier_id), int32(name, "threads", threads)
