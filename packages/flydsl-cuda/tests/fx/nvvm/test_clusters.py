"""Words of clusters and of grids that follow one another, in PTX."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedTargetError

Ptx = Callable[..., str]


@pytest.mark.parametrize(
    ("body", "instructions"),
    [
        (fx.nvvm.cluster_sync, ["barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;"]),
        (lambda: fx.nvvm.cluster_arrive(relaxed=True), ["barrier.cluster.arrive.relaxed.aligned;"]),
        (fx.nvvm.griddep_wait, ["griddepcontrol.wait;"]),
        (fx.nvvm.griddep_launch, ["griddepcontrol.launch_dependents;"]),
    ],
)
def test_a_word_is_its_instruction(traced_ptx: Ptx, body: Callable[[], None], instructions: list[str]) -> None:
    text = traced_ptx(lambda x: body())
    assert [text.count(instruction) for instruction in instructions] == [1] * len(instructions)
    assert [text.index(i) for i in instructions] == sorted(text.index(i) for i in instructions)


def test_what_is_written_before_an_arrival_is_written_before(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        x[0] = 1
        fx.nvvm.cluster_arrive()
        x[0] = 2
        fx.nvvm.cluster_wait()

    text = traced_ptx(body)
    assert (
        text.index("st.global") < text.index("cluster.arrive") < text.rindex("st.global") < text.index("cluster.wait")
    )


def test_places_in_a_cluster(traced_ptx: Ptx) -> None:
    def body(x: fx.Tensor) -> None:
        memory = fx.SharedAllocator().allocate(fx.Array[fx.Int32, 4]).ptr
        x[0] = fx.nvvm.cluster_rank() + fx.nvvm.cluster_size()
        x[1] = fx.nvvm.mapa(memory, x[2])

    text = traced_ptx(body)
    assert "%cluster_ctarank" in text
    assert "%cluster_nctarank" in text
    assert "mapa.shared::cluster.u32" in text


def test_ampere_has_no_clusters(traced_ptx: Ptx) -> None:
    with pytest.raises(UnsupportedTargetError, match=r"sm_80 has no fx\.nvvm\.cluster_sync"):
        traced_ptx(lambda x: fx.nvvm.cluster_sync(), "sm_80")


def test_words_are_for_kernels_and_for_nvidia() -> None:
    @flyc.jit
    def host(x: fx.Tensor) -> None:
        fx.nvvm.cluster_sync()

    x = np.zeros(4, np.int32)
    with pytest.raises(FrontendError, match=r"fx\.nvvm\.cluster_sync exists only inside a kernel"):
        host.trace(x, backend="cuda", arch="sm_90a")
    with pytest.raises(UnsupportedTargetError, match=r"needs an NVIDIA GPU, and this is compiled by backend 'cpu'"):
        host.trace(x, backend="cpu")
