"""The disk cache through the public API: warm processes, changed sources, damaged and forbidden folders."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PROGRAM = """
import json, logging, sys
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx

FACTOR = {factor}

def helper(value):
    return value * {helper}

@flyc.kernel
def scale_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(x)):
        y[i] = helper(x[i]) * FACTOR

@flyc.jit
def scale(x: fx.Tensor, y: fx.Tensor):
    scale_kernel(x, y).launch(grid=fx.ceil_div(x.shape[0], 32), block=32)

x = np.arange(100, dtype=np.float32)
y = np.zeros_like(x)
scale(x, y)
heavy = [name for name in ("xdsl", "torch", "jax", "flydsl.expr.values.emitter") if name in sys.modules]
heavy += [name for name in ("libMLIR", "libLLVM") if name in open("/proc/self/maps").read()]
print(json.dumps({{"sum": float(y.sum()), "heavy": heavy}}))
"""
SUM = sum(range(100))
COMPILER = ["xdsl", "flydsl.expr.values.emitter", "libMLIR", "libLLVM"]


def run(folder: Path, cache: Path, *, factor: float = 2.0, helper: float = 1.0, **env: str) -> dict[str, object]:
    """Run the program in a process of its own; what it printed."""
    folder.mkdir(exist_ok=True, parents=True)
    program = folder / "program.py"
    program.write_text(textwrap.dedent(PROGRAM.format(factor=factor, helper=helper)))
    environment = {**os.environ, "FLYDSL_RUNTIME_CACHE_DIR": str(cache), "FLYDSL_COMPILE_BACKEND": "cpu", **env}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


def entries(cache: Path) -> list[Path]:
    return sorted(cache.rglob("*.entry"))


def test_a_second_process_loads_no_compiler(tmp_path):
    cache = tmp_path / "cache"
    cold, warm = run(tmp_path, cache), run(tmp_path, cache)
    assert cold == {"sum": 2.0 * SUM, "heavy": COMPILER}
    assert warm == {"sum": 2.0 * SUM, "heavy": []}
    assert len(entries(cache)) == 1


def test_the_same_program_elsewhere_finds_the_entry(tmp_path):
    cache = tmp_path / "cache"
    run(tmp_path / "here", cache)
    assert run(tmp_path / "there" / "deeper", cache) == {"sum": 2.0 * SUM, "heavy": []}


def test_a_copied_folder_is_a_warm_cache(tmp_path):
    run(tmp_path, tmp_path / "cache")
    (tmp_path / "cache").rename(tmp_path / "moved")
    assert run(tmp_path, tmp_path / "moved")["heavy"] == []


@pytest.mark.parametrize("change", [{"factor": 3.0}, {"helper": 5.0}])
def test_a_changed_global_or_helper_recompiles(tmp_path, change):
    cache = tmp_path / "cache"
    run(tmp_path, cache)
    changed = run(tmp_path, cache, **change)
    assert changed["sum"] == change.get("factor", 2.0) * change.get("helper", 1.0) * SUM
    assert changed["heavy"]
    assert run(tmp_path, cache)["heavy"] == []


@pytest.mark.parametrize("option", [{"FLYDSL_COMPILE_OPT_LEVEL": "0"}, {"FLYDSL_COMPILE_ARCH": "x86-64-v2"}])
def test_a_changed_option_or_target_has_an_entry_of_its_own(tmp_path, option):
    cache = tmp_path / "cache"
    run(tmp_path, cache)
    assert run(tmp_path, cache, **option) == {"sum": 2.0 * SUM, "heavy": COMPILER}
    assert len(entries(cache)) == 2


def test_an_entry_cut_short_is_compiled_again(tmp_path):
    cache = tmp_path / "cache"
    run(tmp_path, cache)
    (entry,) = entries(cache)
    entry.write_bytes(entry.read_bytes()[:-100])
    assert run(tmp_path, cache)["sum"] == 2.0 * SUM
    assert run(tmp_path, cache)["heavy"] == []


@pytest.mark.parametrize("place", [0.02, 0.3, 0.6, 0.999])
def test_an_entry_with_a_flipped_byte_is_compiled_again(tmp_path, place):
    cache = tmp_path / "cache"
    run(tmp_path, cache)
    (entry,) = entries(cache)
    data = bytearray(entry.read_bytes())
    data[int(len(data) * place)] ^= 0xFF
    entry.write_bytes(data)
    again = run(tmp_path, cache)
    assert again["sum"] == 2.0 * SUM
    assert again["heavy"]


def test_a_folder_that_cannot_be_written_works_without_a_cache(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run(tmp_path, blocked)["sum"] == 2.0 * SUM


def test_run_only_refuses_to_compile_and_runs_what_is_there(tmp_path):
    cache = tmp_path / "cache"
    program = tmp_path / "program.py"
    with pytest.raises(AssertionError, match="CacheOnlyError"):
        run(tmp_path, cache, FLYDSL_RUNTIME_RUN_ONLY="1")
    assert program.exists()
    run(tmp_path, cache)
    assert run(tmp_path, cache, FLYDSL_RUNTIME_RUN_ONLY="1") == {"sum": 2.0 * SUM, "heavy": []}


def test_compile_only_fills_the_cache_and_runs_nothing(tmp_path):
    cache = tmp_path / "cache"
    assert run(tmp_path, cache, COMPILE_ONLY="1")["sum"] == 0.0
    assert run(tmp_path, cache) == {"sum": 2.0 * SUM, "heavy": []}
