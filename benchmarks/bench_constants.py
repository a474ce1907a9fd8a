"""Host cost of a compile-time value in a call, over the same call without one, on a launch that does nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from bench_call import NoopRuntime, microseconds, noop_table
from report import Row, main_options, report

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.plugins.manifests import DeviceRuntimeManifest

BUDGET = 1.5


@dataclass(frozen=True)
class Tile:
    """A record as kernels are configured by."""

    rows: int
    columns: int
    scale: float = 1.0


class Mode(Enum):
    """A choice."""

    FAST = 1


@flyc.kernel
def touch(x: fx.Tensor):
    x[0, 0] = x[0, 0] + 1


@flyc.jit
def plain(x: fx.Tensor):
    touch(x).launch(grid=1, block=32)


@flyc.jit
def constant(x: fx.Tensor, value: fx.Constexpr[Any]):
    touch(x).launch(grid=1, block=32)


def values() -> dict[str, Callable[[], object]]:
    """What makes a value of each kind, the same object or a new one each time."""
    tile, shape, step = Tile(64, 128), (64, 128, (True, 0.5)), 0.25
    kinds: dict[str, Callable[[], object]] = {
        "int": lambda: 64,
        "bool": lambda: True,
        "str": lambda: "relu",
        "float": lambda: 0.5,
        "float, new each time": lambda: step + 0.5,
        "tuple": lambda: shape,
        "tuple, new each time": lambda: (64, 128, (True, step)),
        "dtype of the language": lambda: fx.Float32,
        "member of an Enum": lambda: Mode.FAST,
        "frozen dataclass": lambda: tile,
        "frozen dataclass, new each time": lambda: Tile(64, 128),
        "numpy scalar type": lambda: np.float32,
        "numpy dtype": lambda: np.dtype("float32"),
    }
    if find_spec("torch") is not None:
        import torch

        kinds["torch.dtype"] = lambda: torch.float32
    return kinds


def measure(*, is_native: bool) -> list[Row]:
    """The cost of each kind, less that of making the value."""
    os.environ["FLYDSL_RUNTIME_NATIVE_READER"] = str(int(is_native))
    x, how = np.zeros((8, 64), np.float32), "reader" if is_native else "stubs"
    plain._sites.clear()
    constant._sites.clear()
    plain(x)
    alone = microseconds(lambda: plain(x), 1000)
    rows = [Row(f"{how}: without a compile-time value", alone, "us")]
    for name, make in values().items():
        try:
            constant(x, make())
            constant(x, make())
        except TypeError as error:
            print(f"{name}: {str(error).splitlines()[0]}")
            continue
        cost = microseconds(lambda make=make: constant(x, make()), 1000) - microseconds(make, 1000)
        rows.append(Row(f"{how}: {name}", cost - alone, "us", BUDGET))
    return rows


def main() -> None:
    options = main_options(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = folder
        NoopRuntime.table = noop_table(Path(folder))
        manifest = DeviceRuntimeManifest(name="noop", kind="cpu", factory=NoopRuntime, device_kinds=frozenset({1}))
        flyc.register_device_runtime(manifest)
        rows = measure(is_native=False)
        if find_spec("flydsl_reader") is not None:
            rows += measure(is_native=True)
    report("host cost of a compile-time value, no-op runtime", rows, options)


if __name__ == "__main__":
    main()
