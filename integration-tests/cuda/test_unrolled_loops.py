"""Loops that say how many turns are made at a time, in PTX: the pragma for the assembler, and as many loads."""

from __future__ import annotations

import pytest
from support.unrolled_kernels import code

from flydsl_cuda.ptxas import OFF

COUNTS = {
    ("walked", None): (0, 1),  # unrolled by the assembler, which nothing tells not to
    ("walked", 1): (1, 1),
    ("walked", 2): (1, 2),
    ("walked", 5): (2, 6),
    ("walked", 12): (0, 12),
    ("counted", None): (0, 1),
    ("counted", 1): (1, 1),
    ("counted", 5): (2, 6),
    ("waited", 1): (1, 1),
    ("waited", 5): (2, 6),
    ("nested", None): (0, 4),
    ("nested", 1): (2, 4),
    ("ended", None): (0, 3),
    ("ended", 1): (1, 3),
}
"""Pragmas and loads."""
OPTIMISED = {key: COUNTS[key] for key in COUNTS if key[1] == 1 and key[0] != "ended"}
"""Where LLVM would unroll it: what leaves the others to the assembler is the level below."""
CASES = [
    *((arch, 2, *key) for arch in ("sm_80", "sm_90a", "sm_100a") for key in COUNTS),
    *(("sm_90a", 3, *key) for key in OPTIMISED),
]


@pytest.mark.parametrize(("arch", "level", "name", "unroll"), CASES)
def test_the_assembler_is_told(
    arch: str, level: int, name: str, unroll: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLYDSL_CUDA_PTXAS", OFF)
    ptx = code(name, unroll, "cuda", arch, level)
    assert (ptx.count('.pragma "nounroll"'), ptx.count("ld.global")) == COUNTS[name, unroll]
