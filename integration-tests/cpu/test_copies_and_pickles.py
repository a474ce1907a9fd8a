"""Decorated functions are copied, pickled and sent to other processes as plain functions are."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.autotune import Config, autotune

WORK = """
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.autotune import Config, autotune

@flyc.kernel
def add_one(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] + 1

@flyc.jit
def plus(x: fx.Tensor, y: fx.Tensor):
    add_one(x, y).launch(grid=1, block=4)

class Layer:
    def __init__(self, by): self.by = by
    @flyc.kernel
    def add(self: fx.Constexpr, x: fx.Tensor, y: fx.Tensor):
        y[fx.thread_idx.x] = x[fx.thread_idx.x] + self.by
    @flyc.jit
    def run(self: fx.Constexpr, x: fx.Tensor, y: fx.Tensor):
        self.add(x, y).launch(grid=1, block=4)

tuned = autotune([Config()])(plus)

def run(function, x):
    y = np.zeros_like(x)
    function(x, y)
    return y
"""
PROGRAM = """
import concurrent.futures, multiprocessing, sys, numpy as np
import work
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        for function in (work.plus, work.tuned, work.Layer(5).run):
            print('result', *pool.submit(work.run, function, np.arange(4, dtype=np.float32)).result())
"""


@flyc.kernel
def add_one(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] + 1


@flyc.jit
def plus(x: fx.Tensor, y: fx.Tensor):
    add_one(x, y).launch(grid=1, block=4)


tuned = autotune([Config()])(plus)


@dataclass
class Step:
    function: Any
    scale: float = 2.0


def result(function: Any) -> list[float]:
    y = np.zeros(4, np.float32)
    function(np.arange(4, dtype=np.float32), y)
    return y.tolist()


@pytest.mark.parametrize("function", [plus, add_one, tuned], ids=["jit", "kernel", "autotuned"])
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda function: pickle.loads(pickle.dumps(function))])
def test_a_copy_is_the_function(function: Any, way: Any):
    assert way(function) is function


def test_what_holds_one_is_copied():
    step = Step(plus)
    assert asdict(step) == {"function": plus, "scale": 2.0}
    made = copy.deepcopy(step)
    assert made is not step
    assert result(made.function) == [1, 2, 3, 4]


def test_compiled_code_is_shared_by_copies_and_not_pickled():
    compiled = flyc.compile(plus, np.arange(4, dtype=np.float32), np.zeros(4, np.float32))
    assert copy.deepcopy([compiled])[0] is compiled
    assert result(copy.copy(compiled)) == [1, 2, 3, 4]
    with pytest.raises(pickle.PicklingError, match="its code is loaded into this process; pickle the function 'plus'"):
        pickle.dumps(compiled)


def test_a_local_function_is_copied_and_not_pickled():
    @flyc.jit
    def local(x: fx.Tensor, y: fx.Tensor):
        add_one(x, y).launch(grid=1, block=4)

    assert result(copy.deepcopy(local)) == [1, 2, 3, 4]
    with pytest.raises(pickle.PicklingError, match=r"<locals>.local> cannot be pickled: no variable of a module"):
        pickle.dumps(local)


def test_other_processes_call_them(tmp_path: Path):
    (tmp_path / "work.py").write_text(WORK)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    results = [line for line in done.stdout.splitlines() if line.startswith("result")]  # the tuner prints, too
    assert results == [*["result 1.0 2.0 3.0 4.0"] * 2, "result 5.0 6.0 7.0 8.0"], done.stderr
