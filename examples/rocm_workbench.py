"""What the examples for AMD GPUs share: the chip they run on, and what to do where it lacks their instructions."""

from __future__ import annotations

from typing import Any

import ml_dtypes

import flydsl.compiler as flyc
from flydsl.runtime.device import get_rocm_arch

__all__ = ["FP8_CHIPS", "MFMA_CHIPS", "WMMA_CHIPS", "choose_chip", "fp8_of"]

MFMA_CHIPS = ("gfx942", "gfx950")
FP8_CHIPS = ("gfx942", "gfx950", "gfx1200", "gfx1201", "gfx1250")
WMMA_CHIPS = ("gfx1100", "gfx1101", "gfx1200", "gfx1201", "gfx1250")


def choose_chip(*chips: str) -> str:
    """The chip that code is made for, of the backend `rocm`; ends the program where it is none of `chips`."""
    flyc.use_pair("rocm")
    arch: str = get_rocm_arch()
    chip = arch.partition(":")[0]
    if chips and chip not in chips:
        raise SystemExit(
            f"this example needs {' or '.join(chips)}, and the current device is {chip}; "
            f"set FLYDSL_HIPSIM={chips[0]} to run it on a simulated one"
        )
    return chip


def fp8_of(chip: str) -> Any:
    """The type of NumPy arrays for 8-bit floats with 4 bits of exponent, in the chip's own encoding."""
    return ml_dtypes.float8_e4m3fnuz if chip == "gfx942" else ml_dtypes.float8_e4m3fn
