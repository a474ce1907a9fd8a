"""What a user of kernels reads when one does what it must not on a simulated device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure
from flydsl_hipsim.bench import HipsimBench

ADVICE = "FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1 adds the lines of the kernel"


@flyc.kernel
def far_kernel(x: fx.Tensor) -> None:
    x[fx.thread_idx.x + (1 << 40)] = 1.0


@flyc.jit
def far(x: fx.Tensor) -> None:
    far_kernel(x).launch(grid=1, block=32)


@pytest.mark.parametrize("lines", [False, True])
def test_a_fault_names_the_line_of_the_kernel_or_how_to_get_it(
    hipsim: HipsimBench, monkeypatch: pytest.MonkeyPatch, lines: bool
) -> None:
    monkeypatch.setenv("FLYDSL_DEBUG_ENABLE_DEBUG_INFO", str(int(lines)))
    with pytest.raises(
        RuntimeFailure, match="an invalid write: 4 bytes at 0x.* in kernel 'far_kernel_0', pc 0x"
    ) as caught:
        far(np.zeros(32, np.float32))
    text, place = str(caught.value), f"({Path(__file__).name}:20)"
    assert (place in text, ADVICE in text) == (lines, not lines)
