"""The examples on a GPU of a machine that has no LLVM: filled here, run there, compared with NumPy in float64.

    python benchmarks/gpu/run_examples.py fill FOLDER [--arch sm_90a]   # where LLVM is: compiles everything into FOLDER
    python benchmarks/gpu/run_examples.py run FOLDER                    # where the GPU is: compiles nothing

The second machine needs this folder, the examples, FOLDER, the driver of its GPU, Python 3.11 or newer and NumPy.
FOLDER has what was compiled, the sources of FlyDSL that it was compiled by, and the few packages that these import.
Where torch is installed, one example runs on its tensors as well, in a stream of its own.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import example_cases

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
DISTRIBUTIONS = ("flydsl-core", "flydsl-cuda", "flydsl-torch")
NEEDED = ("pluggy", "platformdirs", "typing_extensions", "xdsl", "immutabledict", "ordered-set")
KEYED = (*NEEDED, "flydsl-mlir")
"""What the distributions require: keys of compiled code have the versions."""
SOURCES, SITE, CACHE = "src", "site", "cache"  # folders of FOLDER
SEED, TIMED = 1, 20
EQUAL, TORCH_SIZE = "equal to NumPy", (77, 333)


class OnGpu:
    """A function of an example that is given NumPy arrays: it is called with copies of them on the device."""

    def __init__(self, function: Any, device: Any, kind: int) -> None:
        self.function, self.device, self.kind = function, device, kind
        self.microseconds: float | None = None

    def __call__(self, *arguments: Any) -> None:
        arrays: list[Any] = []
        self.function(*self._moved(arguments, arrays))
        if self.device is None:
            return
        self.device.sync()
        results = [array.host.copy() for array in arrays if array.bring_back() is None]
        others: list[Any] = []
        again = self._moved(arguments, others)
        self.microseconds = self._timed(lambda: self.function(*again))
        for array, result in zip(others, results, strict=True):
            array.bring_back()
            if array.host.flags.writeable:
                array.host[...] = result

    def _moved(self, arguments: tuple[Any, ...], arrays: list[Any]) -> tuple[Any, ...]:
        """The arguments with copies of arrays on the device, in tuples too; these are added to `arrays`."""
        import numpy as np
        from arrays import OnDevice

        moved: list[Any] = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                arrays.append(OnDevice(argument, self.device, self.kind))
                moved.append(arrays[-1])
            else:
                moved.append(self._moved(argument, arrays) if type(argument) is tuple else argument)
        return tuple(moved)

    def _timed(self, call: Callable[[], None]) -> float:
        """Microseconds of a call on the device: the smallest of several."""
        stream, best = self.device.default_stream, float("inf")
        for _ in range(TIMED):
            start, end = self.device.create_event(), self.device.create_event()
            stream.record(start)
            call()
            stream.record(end)
            end.sync()
            best = min(best, 1000 * (end - start))
        return best


def load_example(name: str) -> ModuleType:
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for the names of annotations
    spec.loader.exec_module(module)
    return module


def each_check(
    device: Any, kind: int, arch: str
) -> Iterator[tuple[str, tuple[Any, ...], Callable[[], None], list[OnGpu]]]:
    """Every example with each of its sizes: what checks it, and its functions on the device."""
    import numpy as np

    for name, (functions, sizes) in example_cases.kernels_for(arch).items():
        module = load_example(name)
        on_gpu = [OnGpu(getattr(module, function), device, kind) for function in functions]
        for function, replaced in zip(functions, on_gpu, strict=True):
            setattr(module, function, replaced)
        for size in sizes:

            def check(module: ModuleType = module, size: tuple[Any, ...] = size) -> None:
                module.check(np.random.default_rng(SEED), *size)

            yield name, size, check, on_gpu


def fill(folder: Path, arch: str) -> int:
    """Compile what the checks launch into FOLDER, by a copy of the sources that is there as well."""
    copy_sources(folder / SOURCES)
    copy_packages(folder / SITE)
    command = [sys.executable, __file__, "compile", str(folder), "--arch", arch]
    return subprocess.run(command, check=False).returncode  # files of a process's own lifetime have no lasting key


def compile_checks(folder: Path, arch: str) -> int:
    """The part of `fill` that compiles."""
    os.environ |= {"COMPILE_ONLY": "1", "FLYDSL_COMPILE_ARCH": arch}
    kind = prepare(folder, folder / CACHE)
    expect_nothing()
    count = 0
    for name, size, check, _ in each_check(None, kind, arch):
        with suppress(AssertionError):
            check()
        count += 1
        print(f"compiled {name} {size} for {arch}", flush=True)
    print(f"{count} checks are ready in {folder}")
    return 0


def expect_nothing() -> None:
    """Comparisons hold whatever they compare: nothing has run, and a check may launch more behind one."""
    import numpy as np

    np.testing.assert_array_equal = np.testing.assert_allclose = lambda *args, **kwargs: None


def run(folder: Path) -> int:
    """Run every check on the GPU; the number of those that fail."""
    with private_cache(folder) as cache:
        os.environ |= {"FLYDSL_RUNTIME_RUN_ONLY": "1"}
        return run_checks(prepare(folder, cache))


@contextmanager
def private_cache(folder: Path) -> Iterator[Path]:
    """A copy of FOLDER's cache: nobody but who runs may own one or enter it, and another may have brought it."""
    with TemporaryDirectory() as own:
        os.umask(0o077)
        cache = shutil.copytree(folder / CACHE, Path(own) / CACHE, copy_function=shutil.copyfile)
        for path in (cache, *cache.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)
        yield cache


def run_checks(kind: int) -> int:
    """The part of `run` that runs."""
    from flydsl.runtime.device import Device

    device = Device()
    print(f"{device.name}, {device.arch}")
    print(f"{'example':<28} {'size':<24} {'device us':>10} {'all s':>7}  result")
    failures = 0
    for name, size, check, functions in each_check(device, kind, device.arch):
        start = time.perf_counter()
        try:
            check()
            result = EQUAL
        except Exception as error:
            failures += 1
            result = in_a_line(error)
        took = " ".join(f"{f.microseconds:.1f}" for f in functions if f.microseconds is not None) or "-"
        print(f"{name:<28} {size!s:<24} {took:>10} {time.perf_counter() - start:>7.2f}  {result}", flush=True)
    result = check_on_torch(device)
    if result:
        failures += result != EQUAL
        print(f"{'01_vector_add, torch':<28} {TORCH_SIZE!s:<24} {'-':>10} {'-':>7}  {result}")
    print(f"{failures} failed")
    return min(failures, 100)


def check_on_torch(device: Any) -> str:
    """An example on torch's tensors, behind torch's own work in the current stream; an empty text without torch."""
    try:
        import torch
    except ImportError:
        return ""
    if not torch.cuda.is_available():
        return ""
    try:
        vector_add = load_example("01_vector_add").vector_add
        with torch.cuda.stream(torch.cuda.Stream(device.ordinal)):
            a, b = (torch.randn(TORCH_SIZE, device="cuda") for _ in range(2))
            c = torch.full_like(a, float("nan"))
            vector_add(a, b, c)
            is_equal = torch.equal(c, a + b)
        return EQUAL if is_equal else "AssertionError: torch adds otherwise"
    except Exception as error:
        return in_a_line(error)


def in_a_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def prepare(folder: Path, cache: Path) -> int:
    """Choose sources, cache and backend; the DLPack type of the backend's devices."""
    sys.path[:0] = [str(path) for path in (Path(__file__).parent, EXAMPLES, folder / SOURCES)]
    sys.path.append(str(folder / SITE))
    os.environ |= {"FLYDSL_COMPILE_BACKEND": "cuda", "FLYDSL_RUNTIME_CACHE_DIR": str(cache)}
    from arrays import register

    from flydsl.plugins import use_pair

    pair = use_pair("cuda")
    register()
    return min(pair.runtime.device_kinds)


def copy_sources(target: Path) -> None:
    """The import packages, without built files: these are found as in an installation."""
    shutil.rmtree(target, ignore_errors=True)
    for name in DISTRIBUTIONS:
        ignored = shutil.ignore_patterns("__pycache__", "*.so")
        shutil.copytree(ROOT / "packages" / name / "src", target, ignore=ignored, dirs_exist_ok=True)


def copy_packages(site: Path) -> None:
    """The pure Python packages that FlyDSL imports, what its plugins are found by, and the runtime's library."""
    from flydsl_cuda.runtime.library import TABLE_LIBRARY

    shutil.rmtree(site, ignore_errors=True)
    for name in NEEDED:
        for file in distribution(name).files or ():
            if file.suffix in (".py", ".typed") and ".." not in file.parts:
                copy_file(Path(str(file.locate())), site / file)
    for name in (*DISTRIBUTIONS, *KEYED):
        found = distribution(name)
        target = site / f"{name.replace('-', '_')}-{found.version}.dist-info"
        target.mkdir(parents=True)
        for part in ("METADATA", "entry_points.txt") if name in DISTRIBUTIONS else ("METADATA",):
            if text := found.read_text(part):
                (target / part).write_text(text)
    library = TABLE_LIBRARY.path()
    if library is None:
        raise SystemExit("the library of flydsl-cuda is not built: pip install -e packages/flydsl-cuda")
    check_library()
    copy_file(library, site / TABLE_LIBRARY.file)


def check_library() -> None:
    """A library built from older sources would launch kernels without their shared memory."""
    import ctypes

    from flydsl.runtime.abi import FlyRuntimeApi
    from flydsl_cuda.runtime.library import table_library

    table = FlyRuntimeApi.from_address(table_library().flycuda_api())
    if table.struct_size < ctypes.sizeof(FlyRuntimeApi):
        raise SystemExit("the library of flydsl-cuda is older than its sources: pip install -e packages/flydsl-cuda")


def copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("fill", "compile", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default="sm_90a")
    given = parser.parse_args()
    folder = given.folder.resolve()
    if given.what == "run":
        return run(folder)
    return (fill if given.what == "fill" else compile_checks)(folder, given.arch)


if __name__ == "__main__":
    sys.exit(main())
