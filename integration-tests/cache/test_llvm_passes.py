"""Code with custom LLVM passes is made again when a plugin's content changes, and for no other reason."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.llvm_plugins import passes as build_passes
from support.llvm_plugins import passes_with_sled

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench

SLED = "s_nop 5"


@pytest.fixture(autouse=True)
def simulated(hipsim: HipsimBench) -> None:
    hipsim.use("gfx942")


def fill(**passes: Any) -> Any:
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[fx.thread_idx.x] = fx.Int32(-7)

    @flyc.jit(**passes)
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=16)

    return host


def sled_of(host: Any) -> int:
    """How long the sled is in the code of a call."""
    x = np.zeros(16, np.int32)
    host(x)
    assert x.any()
    return int(host.get_last_artifact().disassemble().count(SLED))


def replace(plugin: Path, length: int) -> None:
    content = passes_with_sled(length, plugin.parent).read_bytes()
    temporary = plugin.with_suffix(".new")
    temporary.write_bytes(content)
    temporary.rename(plugin)


def test_a_changed_plugin_is_new_code_at_the_next_call_of_the_same_function(
    tmp_path: Path, compilations: list[str]
) -> None:
    plugin = tmp_path / "plugin.so"
    replace(plugin, 2)
    host = fill(llvm_codegen_passes="nop-sled@pre-emit", llvm_codegen_plugins=plugin)
    assert [sled_of(host), sled_of(host)] == [2, 2]
    assert len(compilations) == 1
    replace(plugin, 6)
    assert [sled_of(host), sled_of(host)] == [6, 6]
    assert len(compilations) == 2
    replace(plugin, 2)
    assert sled_of(host) == 2
    assert len(compilations) == 2


def test_a_touched_or_moved_plugin_is_not(tmp_path: Path, compilations: list[str]) -> None:
    plugin, there = tmp_path / "plugin.so", tmp_path / "there/plugin.so"
    replace(plugin, 2)
    host = fill(llvm_codegen_passes="nop-sled@pre-emit", llvm_codegen_plugins=plugin)
    assert sled_of(host) == 2
    os.utime(plugin, (1, 1))
    assert sled_of(host) == 2
    there.parent.mkdir()
    shutil.move(plugin, there)
    assert sled_of(fill(llvm_codegen_passes="nop-sled@pre-emit", llvm_codegen_plugins=there)) == 2
    assert len(compilations) == 1


def test_the_cache_on_disk_tells_pipelines_points_and_plugins_apart(tmp_path: Path, compilations: list[str]) -> None:
    plugin = build_passes()
    asked: list[dict[str, Any]] = [
        {},
        {"llvm_pass_pipeline": "default<O2>"},
        {"llvm_pass_pipeline": "trace-threads", "llvm_pass_plugins": plugin},
        {"llvm_codegen_passes": "nop-sled@pre-emit", "llvm_codegen_plugins": plugin},
        {"llvm_codegen_passes": "nop-sled@pre-ra", "llvm_codegen_plugins": plugin},
        {"llvm_codegen_passes": "nop-sled@pre-ra", "llvm_codegen_plugins": passes_with_sled(9, tmp_path)},
    ]
    expected = [0, 0, 0, 3, 3, 9]
    assert [sled_of(fill(**passes)) for passes in asked] == expected
    assert len(compilations) == len(asked)
    assert [sled_of(fill(**passes)) for passes in asked] == expected
    assert len(compilations) == len(asked)


def test_the_environment_and_the_decorator_make_one_key(
    monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> None:
    plugin = build_passes()
    assert sled_of(fill(llvm_codegen_passes="nop-sled@pre-emit", llvm_codegen_plugins=plugin)) == 3
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_CODEGEN_PASSES", "nop-sled@pre-emit")
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_CODEGEN_PLUGINS", str(plugin))
    assert sled_of(fill()) == 3
    assert len(compilations) == 1
    assert sled_of(fill(llvm_codegen_passes="")) == 0
    assert len(compilations) == 2
