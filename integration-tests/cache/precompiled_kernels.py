"""Kernels to fill a cache with, and executors that are given by name."""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def scale_kernel(x: fx.Tensor, factor: fx.Constexpr[int]):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(x)):
        x[i] = x[i] * factor


@flyc.jit
def scale(x: fx.Tensor, factor: fx.Constexpr[int]):
    scale_kernel(x, factor).launch(grid=fx.ceil_div(x.shape[0], 64), block=64)


def threads(workers: int) -> Executor:
    """Threads of this process."""
    return ThreadPoolExecutor(workers)


def dask(workers: int) -> Any:
    """A cluster of Dask on this machine."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    return Client(cluster).get_executor()


class Losing(ThreadPoolExecutor):
    """An executor that loses the worker of its first job, once a folder."""

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        marker = Path(os.environ["LOST_WORKER"])
        if marker.exists():
            return super().submit(function, *arguments, **named)
        marker.touch()
        lost: Future[Any] = Future()
        lost.set_exception(BrokenProcessPool("a process ended while the future was pending"))
        return lost


def losing(workers: int) -> Executor:
    """An executor that loses a worker."""
    return Losing(workers)


def run_all(count: int) -> None:
    """Run what was precompiled for the first `count` factors."""
    for factor in range(count):
        x = np.ones(100, np.float32)
        scale(x, factor)
        np.testing.assert_array_equal(x, factor)
    print("all right")


if __name__ == "__main__":
    run_all(4)
