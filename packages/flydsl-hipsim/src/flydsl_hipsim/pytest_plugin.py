"""The pytest plugin of flydsl-hipsim: the fixture `hipsim`, simulated AMD GPUs for one test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from flydsl_hipsim.bench import HipsimBench


@pytest.fixture
def hipsim(monkeypatch: pytest.MonkeyPatch) -> Iterator[HipsimBench]:
    """Simulated devices as the runtime of AMD kernels; the test's kernels run on a gfx942 unless it asks for another.

    The devices are those of FLYDSL_HIPSIM, else two gfx942, and one of every other chip that can be
    simulated.
    """
    from flydsl_hipsim.bench import HipsimBench  # here: this plugin is loaded in every pytest run

    with HipsimBench(monkeypatch) as bench:
        yield bench
