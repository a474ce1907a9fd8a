"""The pass `nvvm-guard-divisions`: divisions of integers that have a result for every divisor."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from flydsl.backend.math import make_divisions_total
from flydsl.backend.passes import KernelPass


@dataclass(frozen=True)
class GuardDivisions(KernelPass):
    """Divisions by zero, and of the least number by -1, have the results that the language says, whatever LLVM does."""

    name = "nvvm-guard-divisions"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        make_divisions_total(kernel)
