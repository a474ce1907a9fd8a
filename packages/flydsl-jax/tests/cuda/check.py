"""The native handlers on NVIDIA GPUs, run by hand: `python check.py` where JAX has its CUDA plugin, and nvcc is.

It builds the library from the sources of this checkout into a folder of its own, and prints what it saw; it raises
where something is wrong. With XLA_FLAGS=--xla_gpu_graph_min_graph_size=1 calls are recorded into graphs.
"""

from __future__ import annotations

import ctypes
import gc
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

HERE = Path(__file__).parent
PACKAGES = HERE.parents[2]
sys.path[:0] = [str(PACKAGES / f"flydsl-{name}/src") for name in ("core", "jax")]

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec  # noqa: E402

from flydsl.jax import native, registration  # noqa: E402
from flydsl.jax.plan import Buffer, CallPlan, PlanField, PlanTensor  # noqa: E402
from flydsl.jax.platforms import CALL, CALL_NOGRAPH, Platform  # noqa: E402
from flydsl.runtime.abi import include_dir  # noqa: E402
from flydsl.runtime.native_library import NativeLibrary  # noqa: E402

KEY = "ab" * 32
TENSORS = [PlanTensor(Buffer(is_output, 0), (None,), 32, align=16) for is_output in (False, True)]
FIELDS = [PlanField(0, 8, 0, "address"), PlanField(8, 4, 0, "shape"), PlanField(16, 8, 1, "address")]
PLAN = CallPlan("scale", bytes(32), 1, 1, TENSORS, FIELDS).encode()


def build(folder: Path) -> None:
    """The library, the runtime and the launcher of the kernel, in `folder`."""
    nvcc = Path(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc").resolve()
    cuda = nvcc.parents[1]
    subprocess.run(
        [str(nvcc), "-ptx", "-arch=sm_80", str(HERE / "scale.cu"), "-o", str(folder / "scale.ptx")], check=True
    )
    numbers = ",".join(map(str, (folder / "scale.ptx").read_bytes() + b"\0"))
    (folder / "scale_ptx.h").write_text(f"static const unsigned char scale_ptx[] = {{{numbers}}};\n")
    includes = [f"-I{path}" for path in (include_dir(), folder, cuda / "include", jax.ffi.include_dir())]
    sources = {
        "launcher.so": [HERE / "cuda_launcher.c"],
        "runtime.so": [HERE / "cuda_runtime.c"],
        "libflydsl_jax.so": sorted((HERE.parents[1] / "src/native").glob("*.c")),
    }
    for name, files in sources.items():
        command = ["cc", "-std=c11", "-O2", "-shared", "-fPIC", *includes, *map(str, files), "-o", str(folder / name)]
        libraries = [f"-L{cuda}/lib64/stubs", "-lcuda"] if name == "runtime.so" else ["-ldl", "-pthread"]
        subprocess.run([*command, *libraries], check=True)


class BuiltLibrary(NativeLibrary):
    """A library by its path."""

    def path(self) -> Path:
        return Path(self.file)


class Runtime:
    """What the native library asks of a device runtime."""

    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))

    def api_table(self) -> int:
        return ctypes.addressof(ctypes.c_char.in_dll(self.library, "cuda_table"))

    def error_message(self, code: int) -> str:
        return f"CUDA error {code}"

    def numbers(self, name: str) -> list[int]:
        return list((ctypes.c_int * 16).in_dll(self.library, name))[: len(jax.devices())]

    @property
    def recorded(self) -> int:
        return ctypes.c_int.in_dll(self.library, "cuda_recorded").value


def caller(image: bytes) -> Callable[..., jax.Array]:
    def call(x: jax.Array, target: str = CALL, key: str = KEY) -> jax.Array:
        result = jax.ShapeDtypeStruct(x.shape, x.dtype)
        found: jax.Array = jax.ffi.ffi_call(target, result)(x, key=key, plan=PLAN, module=image)
        return found

    return call


def check_programs(call: Callable[..., jax.Array], runtime: Runtime, target: str) -> None:
    """Calls among operations of XLA, and in a loop, several times."""
    x = np.random.default_rng(1).standard_normal(1000, np.float32)
    expected = reduce(lambda value, _: np.sin((2 * value + 1) * 0.5), range(8), x.astype(np.float64))
    program = jax.jit(lambda x: reduce(lambda value, _: jnp.sin(call(value, target) * 0.5), range(8), x))
    recorded, launches = runtime.recorded, sum(runtime.numbers("cuda_launches"))
    for _ in range(5):
        np.testing.assert_allclose(program(x), expected, rtol=1e-3, atol=1e-4)
    loop = jax.jit(lambda x: jax.lax.scan(lambda value, _: (call(value, target) * 0.25, None), x, None, length=7)[0])
    expected = reduce(lambda value, _: (2 * value + 1) * 0.25, range(7), x.astype(np.float64))
    np.testing.assert_allclose(loop(x), expected, rtol=1e-5)
    launches = sum(runtime.numbers("cuda_launches")) - launches
    print(f"{target}: {launches} launches, {runtime.recorded - recorded} of them recorded")
    if target == CALL_NOGRAPH:
        assert (launches, runtime.recorded) == (47, recorded)


def check_devices(call: Callable[..., jax.Array], runtime: Runtime) -> None:
    x = np.arange(1024, dtype=np.float32)
    for device in jax.devices():
        np.testing.assert_array_equal(jax.jit(call)(jax.device_put(x, device)), 2 * x + 1)
    assert runtime.numbers("cuda_loads") == [1] * len(jax.devices())
    mesh = jax.make_mesh((len(jax.devices()),), ("i",))
    spec = PartitionSpec("i")
    sharded = jax.jit(jax.shard_map(lambda x: call(x, key="cd" * 32), mesh=mesh, in_specs=spec, out_specs=spec))
    for _ in range(3):
        np.testing.assert_array_equal(sharded(jax.device_put(x, NamedSharding(mesh, spec))), 2 * x + 1)
    assert runtime.numbers("cuda_loads") == [2] * len(jax.devices())


def check_errors(call: Callable[..., jax.Array]) -> None:
    def unknown(x: jax.Array) -> Any:
        return jax.ffi.ffi_call(CALL, jax.ShapeDtypeStruct(x.shape, x.dtype))(x, key="ee" * 32, plan=PLAN)

    for function, x in ((unknown, jnp.ones(8)), (call, jnp.ones(8, jnp.float16))):
        try:
            jax.jit(function)(x).block_until_ready()
        except jax.errors.JaxRuntimeError as error:
            print(str(error).splitlines()[0])
        else:
            raise AssertionError("no error")


def microseconds(call: Callable[..., jax.Array], count: int) -> float:
    program = jax.jit(lambda x: reduce(lambda value, _: call(value, CALL_NOGRAPH), range(count), x))
    x, best = jnp.ones(8), float("inf")
    for _ in range(50):
        start = time.perf_counter()
        program(x).block_until_ready()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def main() -> None:
    folder = Path(mkdtemp())
    build(folder)
    native.LIBRARY = BuiltLibrary("flydsl-jax", str(folder / "libflydsl_jax.so"))
    if "late" in sys.argv:
        jnp.ones(3).block_until_ready()
    registration.register()
    runtime, call = Runtime(folder / "runtime.so"), caller((folder / "launcher.so").read_bytes())
    native.set_runtime(Platform.CUDA, runtime)  # type: ignore[arg-type]
    print(f"jax {jax.__version__}, {jax.devices()}")
    check_devices(call, runtime)
    for target in (CALL, CALL_NOGRAPH):
        check_programs(call, runtime, target)
    check_errors(call)
    print(f"{(microseconds(call, 101) - microseconds(call, 1)) / 100:.2f} us a call in a chain")
    jax.clear_caches()
    gc.collect()
    print(native.counts())
    assert native.counts().instantiated == native.counts().destroyed


if __name__ == "__main__":
    main()
