"""Errors for matrix instructions that the target lacks, on which LLVM would end the process."""

from __future__ import annotations

import re

from flydsl.base.errors import UnsupportedTargetError
from flydsl_rocm.atoms.matrix_intrinsics import GENERATION
from flydsl_rocm.target import TARGETS, RocmTarget

_INTRINSIC = re.compile(r'"(rocdl\.(?:mfma|wmma|smfmac)\.[\w.]+)"')


def check_matrix_instructions(text: str, target: RocmTarget) -> None:
    """Every matrix intrinsic named in `text` must be in one of the target's generations."""
    for name in sorted(set(_INTRINSIC.findall(text))):
        generations = GENERATION.get(name, frozenset())
        if target.has_matrix(generations):
            continue
        having = [chip for chip, other in TARGETS.items() if other.has_matrix(generations)]
        raise UnsupportedTargetError(
            f"{target.chip} has no instruction {name!r}; chips that have it: {', '.join(having) or 'none known'}"
        )
