"""Launches in clusters of workgroups on a simulated gfx1250."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, RuntimeFailure, UnsupportedTargetError
from flydsl_hipsim.bench import HipsimBench


@pytest.fixture(autouse=True)
def chip(hipsim: HipsimBench) -> HipsimBench:
    hipsim.use("gfx1250")
    return hipsim


@flyc.kernel
def places_kernel(y: fx.Tensor):
    """For each workgroup of the grid: its own index, its cluster's, its place in it, the shape of clusters."""
    if fx.thread_idx.x == 0:
        x, row, plane = (fx.Int32(number) for number in fx.block_idx)
        at = x + fx.Int32(fx.grid_dim.x) * (row + fx.Int32(fx.grid_dim.y) * plane)
        cluster = fx.rocdl.cluster
        numbers = (x, row, plane, *cluster.cluster_id(), *cluster.cluster_workgroup_id(), *cluster.cluster_shape())
        for k, number in enumerate(numbers):
            y[at, k] = number
        here = cluster.compute_cluster_position()
        y[at, 12] = here[0] + 100 * here[1]


@pytest.mark.parametrize(
    ("grid", "size"),
    [((6, 4, 2), (2, 2, 1)), ((4, 1, 1), 4), ((3, 2, 2), None), ((16, 2, 1), (8, 2)), ((2, 3, 4), (1, 3, 4))],
)
@pytest.mark.parametrize("order", ["forward", "backward", "random:7"])
def test_workgroups_know_their_place(chip: HipsimBench, grid: tuple[int, ...], size: Any, order: str):
    chip.set_order(order)

    @flyc.jit
    def host(y: fx.Tensor):
        places_kernel(y).launch(grid=grid, block=32, cluster=size)

    y = np.zeros((int(np.prod(grid)), 13), np.int32)
    host(y)
    shape = np.ones(3, int)
    given = np.atleast_1d(1 if size is None else size)
    shape[: len(given)] = given
    index = np.stack(np.unravel_index(np.arange(len(y)), grid[::-1]), axis=1)[:, ::-1]
    place = index % shape
    expected = np.concatenate(
        [index, index // shape, place, np.broadcast_to(shape, index.shape), place[:, :1] + 100 * place[:, 1:2]], axis=1
    )
    np.testing.assert_array_equal(y, expected)


def exchanging(split: bool, rounds: int) -> Any:
    """Each workgroup writes, and reads what the others of its cluster wrote, several times."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i, group = fx.thread_idx.x, fx.block_idx.x
        for k in fx.range_constexpr(rounds):
            x[k, group, i] = fx.Int32(1000 * k) + 10 * fx.Int32(group) + fx.Int32(i % 10)
            if fx.const_expr(split):
                fx.rocdl.cluster.cluster_signal_once_per_wg()
                fx.rocdl.cluster.cluster_wait()
            else:
                fx.rocdl.cluster.cluster_barrier()
            first = fx.Int32(group) // 4 * 4
            total = fx.Int32(0)
            for other in fx.range_constexpr(4):
                total = total + x[k, first + other, i]
            y[k, group, i] = total

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=8, block=64, cluster=4)

    return host


@pytest.mark.parametrize("order", ["forward", "backward", "random:1", "random:2"])
@pytest.mark.parametrize("check", ["", "races"])
@pytest.mark.parametrize("split", [False, True])
def test_workgroups_of_a_cluster_meet(chip: HipsimBench, split: bool, check: str, order: str):
    chip.set_order(order)
    chip.set_check(check)
    x, y = np.zeros((3, 8, 64), np.int32), np.zeros((3, 8, 64), np.int32)
    exchanging(split, 3)(x, y)
    k, group, i = np.indices(x.shape)
    written = 1000 * k + 10 * group + i % 10
    np.testing.assert_array_equal(y, written.reshape(3, 2, 4, 64).sum(axis=2).repeat(4, axis=1))


def test_without_the_barrier_there_is_a_race(chip: HipsimBench):
    chip.set_check("races")

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        x[fx.block_idx.x] = fx.Int32(1)
        y[fx.block_idx.x] = x[(fx.Int32(fx.block_idx.x) + 1) % 4]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=4, block=1, cluster=4)

    with pytest.raises(RuntimeFailure, match="a data race in global memory"):
        host(np.zeros(4, np.int32), np.zeros(4, np.int32))


def test_one_workgroup_that_does_not_come_is_a_fault():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if fx.block_idx.x != 1:
            fx.rocdl.cluster.cluster_barrier()
        x[fx.block_idx.x] = fx.Int32(1)

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=4, block=32, cluster=2)

    with pytest.raises(RuntimeFailure, match="all workgroups of a cluster wait, and its barrier is not complete"):
        host(np.zeros(4, np.int32))


@pytest.mark.parametrize("by", ["tensor move", "copies"])
def test_a_load_for_all_workgroups_of_a_cluster(by: str, rng):
    """Each one of the mask asks for the same; then all have it."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        place = fx.SharedAllocator().allocate(4 * 128, 128)
        lds = fx.make_view(fx.recast_iter(fx.Float32, place), fx.make_layout(128, 1))
        first = fx.Int32(fx.block_idx.x) // 4 * 128
        tile = fx.make_view(fx.get_iter(x) + first, fx.make_layout(128, 1))
        if fx.const_expr(by == "copies"):
            atom = fx.make_copy_atom(fx.rocdl.cdna5.ClusterLoadAsyncLDS(128), fx.Float32)
            per = fx.make_layout(4, 1)
            fx.copy(
                atom, fx.logical_divide(tile, per)[None, i], fx.logical_divide(lds, per)[None, i], workgroup_mask=15
            )
            fx.rocdl.s_wait_asynccnt(0)
        else:
            fx.copy(fx.rocdl.make_tdm_atom(1), tile, lds, workgroup_mask=15)
            fx.rocdl.tdm_ops.tensor_wait()
        fx.barrier()
        for k in fx.range_constexpr(4):
            y[fx.block_idx.x, i + 32 * k] = lds[i + 32 * k]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=8, block=32, cluster=4)

    x, y = rng.standard_normal((2, 128)).astype(np.float32), np.zeros((8, 128), np.float32)
    host(x.ravel(), y)
    np.testing.assert_array_equal(y, x.repeat(4, axis=0))


@pytest.mark.parametrize("mask", [0b0001, 0b10011])
def test_masks_name_workgroups_of_the_cluster(mask: int):
    @flyc.kernel
    def kernel(x: fx.Tensor, mask: fx.Int32):
        place = fx.SharedAllocator().allocate(256, 128)
        lds = fx.make_view(fx.recast_iter(fx.Float32, place), fx.make_layout(32, 1))
        fx.copy(
            fx.rocdl.make_tdm_atom(1), fx.make_view(fx.get_iter(x), fx.make_layout(32, 1)), lds, workgroup_mask=mask
        )
        fx.rocdl.tdm_ops.tensor_wait()

    @flyc.jit
    def host(x: fx.Tensor, mask: fx.Int32):
        kernel(x, mask).launch(grid=(2, 2), block=32, cluster=(2, 2))

    message = "not for the workgroup that asks" if mask == 1 else "a cluster of 4 workgroups"
    with pytest.raises(RuntimeFailure, match=message):
        host(np.zeros(32, np.float32), mask)


def launched(grid: Any, cluster: Any) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0] = fx.Int32(1)

    @flyc.jit
    def host(x: fx.Tensor, n: fx.Int32):
        kernel(x).launch(grid=(n, 1, 1) if grid is None else grid, block=32, cluster=cluster)

    host(np.zeros(4, np.int32), 3)


@pytest.mark.parametrize(
    ("grid", "cluster", "message"),
    [
        (4, 0, "cluster is 1 to 3 extents of at least 1, known while tracing, found 0"),
        (4, (1, 1, 1, 2), "cluster is 1 to 3 extents"),
        (4, 2.0, "cluster is 1 to 3 extents of at least 1, known while tracing, found 2.0"),
        (32, 32, r"clusters of \(32, 1, 1\) have 32 blocks; 'gfx1250' has at most 16"),
        ((4, 3), (2, 2), r"clusters of \(2, 2, 1\) blocks do not divide the grid: 3 along y"),
    ],
)
def test_clusters_that_cannot_be_are_errors_at_the_launch(grid: Any, cluster: Any, message: str):
    with pytest.raises(FrontendError, match=message) as caught:
        launched(grid, cluster)
    assert ".launch(grid=" in str(caught.value)


def test_a_grid_of_run_time_that_clusters_do_not_divide_is_refused_by_the_device():
    with pytest.raises(RuntimeFailure, match=r"a grid of \(3, 1, 1\) blocks is no multiple of clusters of \(2, 1, 1\)"):
        launched(None, 2)


@pytest.mark.parametrize("arch", ["gfx942", "gfx1201"])
def test_other_chips_have_no_clusters(chip: HipsimBench, arch: str):
    chip.use(arch)
    with pytest.raises(UnsupportedTargetError, match=rf"clusters of \(2, 1, 1\) blocks, and '{arch}' .* has none"):
        launched(4, 2)
