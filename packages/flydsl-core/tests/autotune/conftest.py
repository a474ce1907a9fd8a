"""Arrays that log what is done to them, a measurement without a clock, and folders of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


class FakeArray:
    """An array of no framework; `log` has what was done to it, in order."""

    def __init__(self, shape: tuple[int, ...] = (8,), dtype: str = "f32", stride: tuple[int, ...] = (1,)) -> None:
        self.shape, self.dtype, self._stride = shape, dtype, stride
        self.log: list[str] = []

    def stride(self) -> tuple[int, ...]:
        return self._stride

    def zero_(self) -> None:
        self.log.append("zero")

    def clone(self) -> FakeArray:
        self.log.append("clone")
        return FakeArray(self.shape, self.dtype, self._stride)

    def copy_(self, other: FakeArray) -> None:
        assert other is not self
        self.log.append("restore")


class FakeBench:
    """Measures a call by making it once; gives the times in `times`, one after the other."""

    def __init__(self, *times: float) -> None:
        self.times, self.calls = list(times), 0

    def __call__(self, call: Callable[[], object], *, warmup: int, rep: int) -> float:
        self.calls += 1
        call()
        return self.times[(self.calls - 1) % len(self.times)] if self.times else 1.0


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_AUTOTUNE_CACHE_DIR", str(tmp_path / "autotune"))
    monkeypatch.delenv("FLYDSL_AUTOTUNE", raising=False)
    monkeypatch.delenv("FLYDSL_AUTOTUNE_CONFIG_DIR", raising=False)


@pytest.fixture
def array() -> FakeArray:
    return FakeArray()


@pytest.fixture
def make_array() -> type[FakeArray]:
    return FakeArray


@pytest.fixture
def make_bench() -> type[FakeBench]:
    return FakeBench
