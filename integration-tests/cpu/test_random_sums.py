"""Random kernels whose loops carry many sums: what threads compute as lanes of vectors equals what Python computes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.random_sums import check

from flydsl_cpu.lowering.vectors.thread_vectors import ThreadVectors

PROGRAMS = int(os.environ.get("HYPOTHESIS_EXAMPLES", "50"))  # each is compiled


def test_sums_of_loops_equal_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    vectors, rewrite = [], ThreadVectors.rewrite
    monkeypatch.setattr(ThreadVectors, "rewrite", lambda self, inner: (vectors.append(inner), rewrite(self, inner)))
    for seed in range(PROGRAMS):
        check(seed, tmp_path)
    assert len(vectors) > PROGRAMS // 8
