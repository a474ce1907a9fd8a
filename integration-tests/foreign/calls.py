"""Calls of the corpus for `flydsl try`, of functions whose arguments cannot be guessed."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

Calls = dict[str, Callable[[], Any]]


def zeros(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def rows(m: ModuleType) -> Calls:
    x = zeros(7, 101)
    return {
        "softmax": lambda: m.softmax(x, x, 101),
        "rms_norm": lambda: m.rms_norm(x, zeros(101), x, m.Shape(101, True, 1e-5)),
        "quantised": lambda: m.quantised(x, zeros(7, 101, dtype=np.int8), zeros(7)),
        "best_column": lambda: m.best_column(x, zeros(7, dtype=np.int32)),
    }


def vectors(m: ModuleType) -> Calls:
    return {
        "to_bf16": lambda: m.to_bf16(zeros(100), zeros(100, dtype=np.int16)),
        "widened": lambda: m.widened(zeros(512, dtype=np.float16), zeros(512, dtype=np.float16)),
        "packed_bytes": lambda: m.packed_bytes(zeros(37, dtype=np.int32), zeros(37, dtype=np.int32)),
        "fast_sum": lambda: m.fast_sum(zeros(104), zeros(13, 2)),
        "far": lambda: m.far(zeros(27), zeros(8, 2), 3),
    }


def atomics(m: ModuleType) -> Calls:
    counts = zeros(17, dtype=np.int32)
    return {
        "histogram": lambda: m.histogram(zeros(100, dtype=np.int32), counts),
        "column_sums": lambda: m.column_sums(zeros(9, 61), zeros(61)),
        "exchanged": lambda: m.exchanged(counts, zeros(256, dtype=np.int32)),
        "last_block": lambda: m.last_block(zeros(13, 29), zeros(13), counts, zeros(1)),
    }


def shared(m: ModuleType) -> Calls:
    words = zeros(192, dtype=np.int32)
    return {
        "turned": lambda: m.turned(words, words),
        "block_sums": lambda: m.block_sums(zeros(5, 64), zeros(5)),
        "product": lambda: m.product(zeros(32, 48), zeros(48, 16), zeros(32, 16), 48),
    }


def program(m: ModuleType) -> Calls:
    integers = zeros(41, dtype=np.int32)
    return {
        "build_scale('f16')": lambda: m.build_scale("f16")(
            zeros(96, dtype=np.float16), zeros(96, dtype=np.float16), 1.5
        ),
        "integers": lambda: m.integers(integers, integers),
    }


def atoms(m: ModuleType) -> Calls:
    return {
        "bits": lambda: m.bits(zeros(168, dtype=np.float16), zeros(21, 4, dtype=np.int32)),
        "staged": lambda: m.staged(zeros(32, 20), zeros(32, 20), zeros(32, 32), 5),
    }


def amd(m: ModuleType) -> Calls:
    words = zeros(128, dtype=np.int32)
    return {
        "scalar_loads": lambda: m.scalar_loads(words, zeros(7, 7, dtype=np.int32)),
        "assembly": lambda: m.assembly(zeros(128), zeros(128, 2)),
        "fp8": lambda: m.fp8(zeros(512), words),
        "permuted": lambda: m.permuted(words, words),
        "matrix": lambda: m.matrix(zeros(16, 16, dtype=np.float16), zeros(16, 16, dtype=np.float16), zeros(16, 16)),
    }


def styles(m: ModuleType) -> Calls:
    return {"kept": lambda: m.kept(zeros(4), zeros(1, dtype=np.int32))}
