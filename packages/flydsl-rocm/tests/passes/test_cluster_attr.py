"""Cluster sizes of kernels as the attribute that LLVM reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.base.errors import IRError
from flydsl.tools.fly_opt import main

Kernel = Callable[..., str]
ENTRY = 'passthrough = [["amdgpu-cluster-dims", "2,1,4"]]'


@pytest.mark.parametrize(
    "attribute",
    [
        'rocdl.cluster_dims = "2,1,4"',
        "rocdl.cluster_dims = array<i32: 2, 1, 4>",
        "gpu.known_cluster_size = array<i32: 2, 1, 4>",
    ],
)
def test_the_size_of_clusters_becomes_an_attribute(kernel: Kernel, lower: Callable[[str], str], attribute: str) -> None:
    text = lower(kernel("%n: i32", "", attributes=f", {attribute}"))
    assert ENTRY in text
    assert attribute not in text


def test_the_compiler_knows_the_place_in_a_cluster(kernel: Kernel, assemble: Callable[..., str]) -> None:
    body = """
      %x = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
      %i = arith.index_cast %x : index to i32
      fly.ptr.store(%i, %p) : (i32, !fly.ptr<i32, global>) -> ()
    """
    pointer = "%p: !fly.ptr<i32, global>"
    known = assemble(kernel(pointer, body, attributes=", gpu.known_cluster_size = array<i32: 2, 1, 1>"), "gfx1250")
    assert "HW_REG_IB_STS2" in assemble(kernel(pointer, body), "gfx1250")  # asks whether there are clusters
    assert "HW_REG_IB_STS2" not in known
    assert "ttmp6" in known


def test_something_else_is_refused(kernel: Kernel, lower: Callable[[str], str]) -> None:
    with pytest.raises(IRError, match=r'rocdl.cluster_dims is a text such as "2,1,1" or an array .*, found 2 : i32'):
        lower(kernel("%n: i32", "", attributes=", rocdl.cluster_dims = 2 : i32"))


def test_the_pass_by_its_name(kernel: Kernel, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "input.mlir"
    path.write_text(kernel("%n: i32", "", attributes=', rocdl.cluster_dims = "2,1,4"'))
    assert main([str(path), "--fly-rocdl-cluster-attr"]) == 0
    assert ENTRY in capsys.readouterr().out
