"""The pass `fly-rocdl-expand-ops`, on text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flydsl.tools.fly_opt import main

OPTIONS = "rank = 2, warps = 1, pad = 0, 0, cache = 0, barrier = false, timeout = false"
TDM = f"!fly.copy_atom<!fly_rocdl.gfx1250.tdm<{OPTIONS}>, 0>"
FIRST = "!fly.int_tuple<(?,?)>"


def written(tensor: str, check: str, first: str = FIRST, atom: str = TDM, operation: str = "load") -> str:
    types = f"({tensor}, {first}) -> {atom}"
    return f"""func.func @f(%t: {tensor}, %first: {first}) -> {atom} {{
  %a = fly_rocdl.make_tiled_tdm_{operation}_atom(%t, %first) {{boundary_check = array<i32{check}>}} : {types}
  return %a : {atom}
}}
"""


def fly_opt(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, *passes: str) -> str:
    file = tmp_path / "input.mlir"
    file.write_text(text)
    code = main([str(file), *passes])
    shown = capsys.readouterr()
    return shown.out if code == 0 else shown.err


def fields(text: str) -> list[str]:
    """The state that is set, in order."""
    return re.findall(r'fly.atom.set_value\(.*"(\w+)"', text)


@pytest.mark.parametrize("operation", ["load", "store"])
@pytest.mark.parametrize(
    ("layout", "check", "expected"),
    [
        ("(?,?):(?{i64},1)", ": 0, 1", ["extent_0", "stride_0", "extent_1"]),
        ("(?,?):(?{i64},1)", ": 1", ["stride_0", "extent_1"]),
        ("(?,?):(1,?)", ": 0", ["stride_0", "extent_1"]),
        ("(9,13):(13,1)", "", []),
        ("(9,13):(13,1)", ": 0", ["extent_0"]),
    ],
)
def test_bounds_in_modes_become_state_in_axes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], operation: str, layout: str, check: str, expected: list[str]
) -> None:
    text = written(f"!fly.memref<f16, global, {layout}>", check, operation=operation)
    assert "make_tiled_tdm" in fly_opt(tmp_path, capsys, text)
    expanded = fly_opt(tmp_path, capsys, text, "--fly-rocdl-expand-ops")
    assert "make_tiled_tdm" not in expanded
    assert expanded.count("fly.make_copy_atom") == 1
    assert fields(expanded) == expected


def test_an_extent_is_what_is_left_behind_the_first_element(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = written("!fly.memref<f16, global, (9,?{i64}):(?,1)>", ": 0, 1")
    lowered = fly_opt(
        tmp_path,
        capsys,
        text,
        "--fly-rocdl-expand-ops",
        "--fly-rewrite-func-signature",
        "--fly-canonicalize",
        "--fly-layout-lowering",
    )
    assert len(re.findall(r"arith.subi .* : i32", lowered)) == 1
    assert len(re.findall(r"arith.subi .* : i64", lowered)) == 1
    assert re.search(r"arith.constant 2147483647 : i64", lowered)
    assert len(re.findall(r"arith.minsi .* : i64", lowered)) == 1
    assert len(re.findall(r"arith.trunci .* : i64 to i32", lowered)) == 1


@pytest.mark.parametrize(
    ("tensor", "check", "first", "message"),
    [
        ("!fly.memref<f16, shared, (8,8):(8,1)>", ": 0", FIRST, "needs a tensor in global memory with a plain layout"),
        ("!fly.memref<f16, global, (8,8,8):(64,8,1)>", ": 0", FIRST, "an atom of rank 2 for a tensor of"),
        ("!fly.memref<f16, global, (8,8):(8,1)>", ": 0", "!fly.int_tuple<?>", "needs a coordinate of 2 integers"),
        ("!fly.memref<f16, global, (8,8):(8,1)>", ": 2", FIRST, "lists modes from 0 to 1, found 2"),
        ("!fly.memref<f16, global, (8,8):(16,2)>", ": 0", FIRST, "needs a first or last mode that is contiguous"),
    ],
)
def test_bad_text_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tensor: str, check: str, first: str, message: str
) -> None:
    assert message in fly_opt(tmp_path, capsys, written(tensor, check, first))


def test_the_result_is_an_atom_of_tensor_moves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = written("!fly.memref<f16, global, (8,8):(8,1)>", ": 0", atom="!fly.copy_atom<!fly.universal_copy<128>, 16>")
    assert "makes an atom of gfx1250.tdm" in fly_opt(tmp_path, capsys, text)
