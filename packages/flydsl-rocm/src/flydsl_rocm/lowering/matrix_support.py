"""Errors for matrix instructions that the target lacks, on which LLVM would end the process."""

from __future__ import annotations

import re

from flydsl.base.errors import UnsupportedTargetError
from flydsl_rocm.rocdl import signatures
from flydsl_rocm.target import TARGETS, RocmTarget

_INTRINSIC = re.compile(r'"(rocdl\.(?:mfma|wmma|smfmac)\.[\w.]+)"')


def check_matrix_instructions(text: str, target: RocmTarget) -> None:
    """Every matrix operation named in `text` must be one that the target has."""
    for name in sorted(set(_INTRINSIC.findall(text))):
        signature = signatures().get(name.removeprefix("rocdl."))
        chips = signature.chips if signature is not None else frozenset()
        if target.chip in chips:
            continue
        having = [chip for chip in TARGETS if chip in chips]
        raise UnsupportedTargetError(
            f"{target.chip} has no instruction {name!r}; chips that have it: {', '.join(having) or 'none known'}"
        )
