"""Kernels lowered for platforms that this machine does not have; what is lowered for AMD GPUs runs on the simulator."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from support.jax_kernels import add, affine, sum_and_difference

from flydsl.base.errors import NoBackendError, UnsupportedTargetError
from flydsl.jax import disabled_export_checks, jax_kernel
from flydsl.jax.platforms import Platform
from flydsl.jax.signature import bind_launch
from flydsl.jax.specialise import Specialised, specialise
from flydsl.plugins.active.stack import claim_runtime
from flydsl.plugins.entry_points import find_entry_points
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import check_launch, load_launcher
from flydsl.testing.fakes import FakeBackend, fake_backend
from flydsl.testing.sandbox import PluginSandbox

pytest.importorskip("flydsl_rocm", reason="code for AMD GPUs is made by flydsl-rocm")
pytest.importorskip("flydsl_hipsim", reason="and run by flydsl-hipsim")

AMDGPU = 224
"""The machine of an ELF file with AMD code."""


def like_first(x, *_, **__):
    return x


add_arrays = jax_kernel(add, out=like_first)


class CustomCall(NamedTuple):
    """What a custom call of a lowered program says."""

    target: str
    attributes: dict[str, bytes]


def custom_calls(module: Any) -> list[CustomCall]:
    """The calls of kernels in a StableHLO module, in order."""
    from jaxlib.mlir import ir

    found = []

    def visit(operation: Any) -> Any:
        if operation.name == "stablehlo.custom_call":
            target = ir.StringAttr(operation.attributes["call_target_name"]).value
            if target.startswith("flydsl"):
                config = ir.DictAttr(operation.attributes["mhlo.backend_config"])  # of a typed call only
                found.append(CustomCall(target, {one.name: ir.StringAttr(one.attr).value_bytes for one in config}))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def lowered(function: Any, *arguments: Any, platform: str = "rocm") -> list[CustomCall]:
    return custom_calls(jax.jit(function).trace(*arguments).lower(lowering_platforms=(platform,)).compiler_ir())


@pytest.mark.parametrize("arch", ["", "gfx942", "gfx1201"])
def test_a_program_for_amd_gpus_is_lowered_without_one(monkeypatch, arch):
    if arch:
        monkeypatch.setenv("FLYDSL_COMPILE_ARCH", arch)
    x = jnp.ones(100)
    (call,) = lowered(jax_kernel(add, out=like_first), x, x)  # jax keeps what a function was lowered to
    assert call.target == "flydsl.call.v1"
    assert sorted(call.attributes) == ["key", "module", "plan"]
    specialised = specialise(
        bind_launch(add, (x, x), {}, x, add_arrays.options)[0], [((100,), x.dtype)] * 2, Platform.ROCM
    )
    assert specialised.portable.artifact.target.backend == "rocm"
    assert specialised.portable.artifact.target.arch == arch or not arch
    assert call.attributes["key"].decode() == specialised.key
    assert call.attributes["plan"] == specialised.plan
    assert call.attributes["module"] == specialised.module
    device = specialised.portable.artifact.device
    assert int.from_bytes(device[18:20], "little") == AMDGPU
    assert device in call.attributes["module"]


def test_a_setting_for_another_backend_leaves_this_one_alone(monkeypatch):
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "gfx942")
    np.testing.assert_array_equal(add_arrays(jnp.ones(3), jnp.ones(3)), 2)
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "nonsense")
    with pytest.raises(UnsupportedTargetError, match="'nonsense'"):
        lowered(jax_kernel(add, out=like_first), jnp.ones(4), jnp.ones(4))


def test_one_program_for_several_platforms_has_the_code_of_each():
    x = jax.ShapeDtypeStruct((50,), jnp.float32)
    exported = export.export(jax.jit(add_arrays), platforms=("cpu", "rocm"), disabled_checks=disabled_export_checks())(
        x, x
    )
    assert exported.platforms == ("cpu", "rocm")
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    with mlir.make_ir_context():
        calls = custom_calls(ir.Module.parse(exported.mlir_module()))
    machines = {int.from_bytes(call.attributes["module"][18:20], "little") for call in calls}
    assert len(calls) == len({call.attributes["key"] for call in calls}) == 2
    assert machines == {62}, "both launchers are for this host"
    assert len({call.attributes["plan"] for call in calls}) == 1
    ones = jnp.ones(50)
    np.testing.assert_array_equal(exported.call(ones, ones), 2)


def test_a_platform_without_its_backend_says_what_to_install():
    x = jnp.ones(3)
    message = r"add runs on platform 'cuda' .* 'cpu', 'rocm'\): pip install flydsl-cuda"
    with PluginSandbox() as plugins:
        plugins.install(*find_entry_points(), disabled=["cuda"])
        with pytest.raises(NoBackendError, match=message):
            lowered(add_arrays, x, x, platform="cuda")


def test_nvidia_gpus_have_their_own_backend(monkeypatch):
    x = jnp.ones(3)
    manifest = fake_backend("cuda", runtime_kind="cuda", factory=partial(FakeBackend, "cuda", ("sm_80", "sm_90")))
    with PluginSandbox() as plugins:
        plugins.install(*find_entry_points(), disabled=["cuda"])
        plugins.register(manifest)
        (call,) = lowered(add_arrays, x, x, platform="cuda")
        assert b"cuda sm_80" in call.attributes["module"]
        monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "sm_90")
        (call,) = lowered(jax_kernel(add, out=like_first), x, x, platform="cuda")
        assert b"cuda sm_90" in call.attributes["module"]
    assert call.target == "flydsl.call.v1"


def test_a_platform_that_kernels_know_nothing_of_is_an_error_of_jax():
    with pytest.raises(NotImplementedError, match="flydsl_call.*tpu"):
        lowered(add_arrays, jnp.ones(3), jnp.ones(3), platform="tpu")


# what is lowered for AMD GPUs, on the simulator


def run_on_the_device(call: CustomCall, specialised: Specialised, inputs: list[np.ndarray], outputs: list[np.ndarray]):
    """Launch the code that a custom call holds, on copies in device memory, and copy the outputs back."""
    assert call.attributes["key"].decode() == specialised.key
    assert call.attributes["plan"] == specialised.plan
    device = Device()
    runtime = claim_runtime()
    launcher = load_launcher(call.attributes["module"])
    module = launcher.load_owned(runtime, 0)
    arrays = [*inputs, *outputs]
    buffers = [device.allocate(max(1, array.nbytes)) for array in arrays]
    for buffer, array in zip(buffers, inputs, strict=False):
        buffer.copy_from(array)
    packed = specialised.portable.pack([buffer.handle for buffer in buffers], [array.shape for array in arrays])
    check_launch(launcher.fly_launch_packed(runtime.api_table(), module, 0, None, packed), runtime)
    device.sync()
    for buffer, array in zip(buffers[len(inputs) :], outputs, strict=True):
        buffer.copy_to(array)


@pytest.fixture
def gfx942(hipsim, monkeypatch):
    hipsim.use("gfx942")
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "rocm")
    return hipsim


CASES = {
    "add": (add, (), 2, 1, lambda a, b: (a + b,)),
    "numbers": (affine, (2.5, 0.125), 1, 1, lambda a: (a * np.float32(2.5) + np.float32(0.125),)),
    "outputs": (sum_and_difference, (), 2, 2, lambda a, b: (a + b, a - b)),
}


@pytest.mark.parametrize("static_layout", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_what_is_lowered_for_amd_gpus_runs_on_one(gfx942, rng, case, static_layout):
    function, numbers, inputs, outputs, expected = CASES[case]
    arrays = [rng.standard_normal((7, 19)).astype(np.float32) for _ in range(inputs)]
    out = tuple(jax.ShapeDtypeStruct((7, 19), jnp.float32) for _ in range(outputs))
    kernel = jax_kernel(function, out=lambda *_: out, static_layout=static_layout)
    (call,) = lowered(lambda *given: kernel(*given, *numbers), *arrays)
    launch, _, _ = bind_launch(function, (*arrays, *numbers), {}, out, kernel.options)
    specialised = specialise(launch, [(array.shape, array.dtype) for array in arrays], Platform.ROCM)
    assert specialised.portable.artifact.target.arch == "gfx942"
    found = [np.zeros((7, 19), np.float32) for _ in range(outputs)]
    run_on_the_device(call, specialised, arrays, found)
    for one, wanted in zip(found, expected(*arrays), strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-6)


PROGRAM = """
import jax, jax.numpy as jnp, sys
sys.path.insert(0, sys.argv[1])
from support.jax_kernels import add
from flydsl.jax import jax_kernel
add_arrays = jax_kernel(add, out=lambda a, b: a)
text = jax.jit(add_arrays).trace(jnp.ones(9), jnp.ones(9)).lower(lowering_platforms=("rocm",)).as_text()
print(text)
"""


def test_two_processes_lower_one_text():
    program = [sys.executable, "-c", PROGRAM, str(Path(__file__).parents[1] / "lib")]
    other = subprocess.run(program, capture_output=True, text=True, check=False)
    assert other.returncode == 0, other.stderr
    x = jnp.ones(9)
    here = jax.jit(jax_kernel(add, out=lambda a, b: a)).trace(x, x).lower(lowering_platforms=("rocm",)).as_text()
    assert other.stdout.strip() == here.strip()
    assert "flydsl.call.v1" in here
