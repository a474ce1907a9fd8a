"""A small kernel, compiled for the CPU by way of the cache folder, as a program that begins now would do it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.cache.entry import Entry, decode, encode
from flydsl.compiler.stages.pipeline import Lowered
from flydsl.testing.sandbox import PluginSandbox


def scaled(factor: float) -> float:
    """7 times `factor`, by a kernel that nothing in this process knows yet."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        if i < 7:
            y[i] = x[i] * factor

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=32)

    x, y = np.ones(7, np.float32), np.zeros(7, np.float32)
    launch(x, y)
    return float(y.sum())


@contextmanager
def counted_compilations() -> Iterator[list[str]]:
    """The names of the functions that are compiled meanwhile."""
    made: list[str] = []
    real = Lowered.compile

    def compile(self: Lowered) -> object:
        made.append(self.traced.name)
        return real(self)

    Lowered.compile = compile  # type: ignore[method-assign,assignment]
    try:
        yield made
    finally:
        Lowered.compile = real  # type: ignore[method-assign]


@contextmanager
def cache_in(folder: Path) -> Iterator[Path]:
    """The pair `cpu` with its cache in `folder`, for programs that are no tests; it logs nothing."""
    variables = {"FLYDSL_COMPILE_BACKEND": "cpu", "FLYDSL_RUNTIME_CACHE_DIR": str(folder)}
    before = {name: os.environ.get(name) for name in variables}
    logger = logging.getLogger("flydsl.cache")
    level = logger.level
    os.environ.update(variables)
    logger.setLevel(logging.CRITICAL)
    try:
        with PluginSandbox(installed=True):
            flyc.use_pair("cpu")
            yield folder
    finally:
        logger.setLevel(level)
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def files(cache: Path, suffix: str) -> list[Path]:
    """The files of a cache folder with that suffix."""
    return sorted(path for path in cache.rglob(f"*{suffix}") if path.suffix == suffix)


def forged_entry(cache: Path, factor: float, forged: float) -> tuple[Path, bytes]:
    """The file of the entry of `scaled(factor)`, which it fills, and a whole entry of its key with the code of another
    factor."""
    assert scaled(factor) == 7 * factor
    (mine,) = files(cache, ".entry")
    assert scaled(forged) == 7 * forged
    (other,) = set(files(cache, ".entry")) - {mine}
    true, code = decode(mine.read_bytes()), decode(other.read_bytes())
    return mine, encode(Entry(true.key, true.header, code.parts))
