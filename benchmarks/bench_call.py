"""Host cost of one call, three tensors and one int, on a runtime whose launch does nothing; in microseconds.

Builds a launch table in C that returns at once, so that what is left is ours: dispatch, packing, the foreign call.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
import timeit
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from report import Row, main_options, report

os.environ["FLYDSL_COMPILE_BACKEND"] = "cpu"

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.plugins.manifests import DeviceRuntimeManifest
from flydsl.runtime.abi import include_dir
from flydsl_cpu.runtime.device_runtime import CpuRuntime

NOOP = r"""
#include "fly_abi.h"
static void *kernels[16];
static int32_t load(void *s, int32_t o, const void *i, uint64_t n, const char *const *k, uint32_t c, void **m) {
  *m = kernels; return 0; }
static int32_t unload(void *s, void *m) { return 0; }
static int32_t launch(void *s, void *k, const FlyLaunchConfig *c, void *t, void **p) { return 0; }
FlyRuntimeApi noop_table = {sizeof(FlyRuntimeApi), FLY_ABI_VERSION, 0, load, unload, launch};
"""


def noop_table(folder: Path) -> int:
    """The address of a table whose functions do nothing."""
    source, library = folder / "noop.c", folder / "noop.so"
    source.write_text(NOOP)
    command = ["cc", "-O2", "-shared", "-fPIC", f"-I{include_dir()}", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    return ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(str(library)), "noop_table"))


class NoopRuntime(CpuRuntime):
    """The CPU runtime with a launch that does nothing."""

    table = 0

    def api_table(self) -> int:
        """The table that does nothing."""
        return self.table


@flyc.kernel
def touch(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, n: fx.Int32):
    c[0, 0] = a[0, 0] + b[0, 0] + fx.Float32(n)


@flyc.jit
def call(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, n: fx.Int32):
    touch(a, b, c, n).launch(grid=1, block=32)


def microseconds(function: Callable[[], object], number: int = 2000) -> float:
    """The best of many short runs, which other processes disturb least."""
    return min(timeit.repeat(function, number=number, repeat=60)) / number * 1e6


def main() -> None:
    options = main_options(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = folder
        NoopRuntime.table = noop_table(Path(folder))
        manifest = DeviceRuntimeManifest(name="noop", kind="cpu", factory=NoopRuntime, device_kinds=frozenset({1}))
        flyc.register_device_runtime(manifest)
        tensors = {"numpy": lambda: np.zeros((8, 64), np.float32), "torch": torch_tensor}
        rows = [row for name, make in tensors.items() for row in measure(f"{name}, stubs", make, is_native=False)]
        if find_spec("flydsl_reader") is not None:
            rows += [row for name, make in tensors.items() for row in measure(f"{name}, reader", make, is_native=True)]
        rows.append(Row("ctypes call of the launcher, packed", microseconds(launcher_call()), "us"))
    report("host cost of a call, no-op runtime", rows, options)


def measure(name: str, make: Callable[[], object], *, is_native: bool) -> list[Row]:
    """An implicit and a prepared call on one kind of tensor, less the launcher's own call through ctypes."""
    os.environ["FLYDSL_RUNTIME_NATIVE_READER"] = str(int(is_native))
    call._sites.clear()
    a, b, c = make(), make(), make()
    call(a, b, c, 3)
    prepared = flyc.compile(call, a, b, c, 3)
    below = microseconds(launcher_call())
    kinds = {"implicit": (lambda: call(a, b, c, 3), 4.0), "prepared": (lambda: prepared(a, b, c, 3), 1.5)}
    budgets = {kind: 0.4 if is_native and kind == "prepared" else budget for kind, (_, budget) in kinds.items()}
    return [
        Row(f"{name}: {kind} call over the launcher's", microseconds(function) - below, "us", budgets[kind])
        for kind, (function, _) in kinds.items()
    ]


def launcher_call() -> Callable[[], object]:
    """The foreign call alone, with bytes packed before."""
    site = next(iter(call._sites))
    launch, table, module, ordinal, *_ = next(iter(site.plans.values()))
    packed = bytes(256)
    return lambda: launch(table, module, ordinal, None, packed)


def torch_tensor() -> object:
    """A torch tensor of the same form."""
    import torch

    return torch.zeros((8, 64))


if __name__ == "__main__":
    main()
