"""Clusters of a launch: which there can be, and the attribute of the kernel."""

from __future__ import annotations

import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError
from flydsl.compiler.call.tensor import TensorSpec
from flydsl.expr.numeric import Int32
from flydsl.expr.values.emitter import TargetInfo
from flydsl.frontend.launch.clusters import cluster_size
from flydsl.frontend.rewriting.rewrite import rewrite
from flydsl.frontend.trace import trace_function
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import verify
from flydsl.layout import parse_layout

TARGET = TargetInfo("none", "none1", 32, max_cluster=8)


def size(cluster, grid=(8, 4, 2), target=TARGET):
    return cluster_size(target, [Int32(extent) for extent in grid], cluster)


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        (None, ()),
        (1, ()),
        ((1, 1, 1), ()),
        (4, (4, 1, 1)),
        ((2, 2), (2, 2, 1)),
        ([1, 4, 2], (1, 4, 2)),
        (Int32(2), (2, 1, 1)),
    ],
)
def test_missing_extents_are_one_and_clusters_of_one_block_are_none(cluster, expected):
    assert size(cluster) == expected


@pytest.mark.parametrize("cluster", [0, -1, True, 1.0, "2", (2, 0), (1, 1, 1, 1), Int32(0)])
def test_extents_are_positive_integers_known_while_tracing(cluster):
    with pytest.raises(FrontendError, match="cluster is 1 to 3 extents of at least 1, known while tracing"):
        size(cluster)


def test_clusters_fit_the_target_and_the_grid():
    with pytest.raises(FrontendError, match=r"clusters of \(8, 2, 1\) have 16 blocks; 'none1' has at most 8"):
        size((8, 2))
    with pytest.raises(FrontendError, match=r"clusters of \(1, 1, 4\) blocks do not divide the grid: 2 along z"):
        size((1, 1, 4))
    with pytest.raises(UnsupportedTargetError, match=r"clusters of \(2, 1, 1\) blocks, and 'none1' of backend 'none'"):
        size(2, target=TargetInfo("none", "none1", 32))


def test_a_kernel_is_traced_for_each_shape_of_clusters():
    @flyc.kernel
    def fill(x: fx.Tensor):
        x[fx.thread_idx.x] = 1

    def host(x: fx.Tensor):
        for cluster in (None, 2, (2, 1), (1, 4)):
            fill(x).launch(grid=(8, 4), block=32, cluster=cluster)

    specs = {"x": TensorSpec("Int32", parse_layout("?:1"), 4)}
    module, kernels = trace_function(rewrite(host), specs, TARGET)
    verify(module)
    assert len(kernels) == 3
    text = emit_generic(module)
    assert "gpu.known_cluster_size = array<i32: 2, 1, 1>" in text
    assert "gpu.known_cluster_size = array<i32: 1, 4, 1>" in text
    assert text.count("operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 1, 1, 1") == 3
