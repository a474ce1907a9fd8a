"""The pass `guard-divisions`: divisions of integers that have a result for every divisor, in kernels."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from flydsl.passes.device_pass import DevicePass
from flydsl.passes.total_division import make_divisions_total


@dataclass(frozen=True)
class GuardDivisions(DevicePass):
    """Divisions by zero, and of the least number by -1, have the results that the language says, whatever LLVM does."""

    name = "guard-divisions"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        make_divisions_total(kernel)
