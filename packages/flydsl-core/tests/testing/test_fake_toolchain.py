"""The fake toolchain: a `@flyc.jit` function from trace to launch without LLVM."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure, ToolchainError
from flydsl.plugins.active.selection import active_pair
from flydsl.plugins.active.stack import claim_runtime
from flydsl.plugins.compile_backend import CompileBackend
from flydsl.testing.fake_toolchain import FakeLaunch, FakeToolchain
from flydsl.testing.fakes import FakeRuntime, fake_backend
from flydsl.testing.sandbox import PluginSandbox
from flydsl.toolchain.data_object import data_object
from flydsl.toolchain.protocol import CodegenTarget, Toolchain
from flydsl.toolchain.select import default_toolchain


@flyc.kernel
def add_kernel(out: fx.Tensor, n: fx.Int32):
    out[fx.thread_idx.x] = n


def launch_add(out: fx.Tensor, n: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    add_kernel(out, n).launch(grid=1, block=8, stream=stream)


@pytest.fixture
def add() -> flyc.JitFunction:
    """A function that nothing has been compiled for."""
    return flyc.jit(launch_add)


class PlainBackend(CompileBackend):
    """A backend that leaves code generation to the toolchain."""

    name = "plain"

    def default_arch(self) -> str:
        return "plain1"

    def warp_size(self, arch: str) -> int:
        return 32

    def supports_arch(self, arch: str) -> bool:
        return arch == "plain1"

    def pipeline_fragments(self, *, arch: str, options: object = None) -> list[str]:
        return ["fly-canonicalize", "gpu-module-to-binary"]

    def gpu_module_targets(self, *, arch: str) -> list[str]:
        return ["#plain.target"]


def test_it_is_a_toolchain() -> None:
    assert isinstance(FakeToolchain(), Toolchain)


def test_it_is_the_toolchain_of_the_process_while_installed(fake_toolchain: FakeToolchain) -> None:
    assert default_toolchain() is fake_toolchain
    assert fake_toolchain.fingerprint() == "fake 1.0"


def test_a_function_is_traced_compiled_loaded_and_launched(add: flyc.JitFunction, fake_device: FakeToolchain) -> None:
    out = np.zeros(8, np.int32)
    add(out, 7)
    add(out, -7)
    (first, second) = fake_device.launches
    assert first.kernels == ("add_kernel_0",)
    assert (first.ordinal, first.stream or 0) == (0, 0)
    for launch, n in ((first, 7), (second, -7)):
        assert struct.unpack_from("<Q", launch.packed)[0] == out.ctypes.data
        assert launch.packed.rstrip(b"\0").endswith(struct.pack("<i", n).rstrip(b"\0"))
    assert len(fake_device.asked("link")) == 1
    (lowering,) = fake_device.asked("emit_host_object")
    assert "@fly_launch_packed" in lowering.input
    assert lowering.options["pipeline"].startswith("builtin.module(convert-scf-to-cf")


@pytest.mark.usefixtures("fake_device")
def test_the_runtime_gets_the_code_object_and_the_names_of_its_kernels(add: flyc.JitFunction) -> None:
    add(np.zeros(8, np.int32), 1)
    runtime = claim_runtime(active_pair())
    assert isinstance(runtime, FakeRuntime)
    ((ordinal, code, kernels),) = runtime.table.loads
    assert (ordinal, kernels) == (0, ["add_kernel_0"])
    assert code == add.trace(np.zeros(8, np.int32), 1).lower().compile().device


@pytest.mark.usefixtures("fake_device")
def test_equal_requests_give_equal_objects(add: flyc.JitFunction) -> None:
    images = []
    for _ in range(2):
        with FakeToolchain().installed():
            images.append(add.trace(np.zeros(8, np.int32), 1).lower().compile().launcher)
    assert images[0] == images[1]


@pytest.mark.usefixtures("fake_device")
def test_a_code_of_a_launch_becomes_the_error_of_the_runtime(add: flyc.JitFunction) -> None:
    with FakeToolchain(launch_codes=[700]).installed(), pytest.raises(RuntimeFailure, match="fake error 700"):
        add(np.zeros(8, np.int32), 1)


@pytest.mark.usefixtures("fake_device")
@pytest.mark.parametrize("method", ["emit_host_object", "link"])
def test_the_failing_method_raises_through_the_call(add: flyc.JitFunction, method: str) -> None:
    with FakeToolchain(failing=method).installed(), pytest.raises(ToolchainError, match=f"{method} fails"):
        add(np.zeros(8, np.int32), 1)


def test_code_of_the_default_backend_is_a_digest_of_module_and_pipeline(
    isolated_plugins: PluginSandbox, fake_toolchain: FakeToolchain
) -> None:
    isolated_plugins.register(fake_backend("plain", factory=PlainBackend))
    text = '"builtin.module"() ({"gpu.module"() <{sym_name = "k"}> ({}) : () -> ()}) : () -> ()'
    codes = [PlainBackend().emit_code_object(t, arch="plain1", toolchain=fake_toolchain) for t in (text, text + " ")]
    assert codes[0] != codes[1]
    request = fake_toolchain.asked("gpu_objects")[0]
    assert "gpu-module-to-binary" in request.options["pipeline"]


def test_only_its_own_launchers_are_loaded(fake_toolchain: FakeToolchain) -> None:
    with pytest.raises(RuntimeFailure, match="4 bytes are not a launcher of the fake toolchain"):
        fake_toolchain.load_launcher(b"\x7fELF")


def test_a_launcher_without_kernels_loads_nothing(fake_toolchain: FakeToolchain) -> None:
    host = fake_toolchain.emit_host_object("")
    image = data_object(b"", "fly_image", like=host, alignment=8)
    launcher = fake_toolchain.load_launcher(fake_toolchain.link([host, image]))
    assert launcher.fly_load(0, 0, None) == 0
    assert launcher.fly_launch_packed(0, 0, 1, 2, b"x") == 0
    assert fake_toolchain.launches == [FakeLaunch((), 1, 2, b"x")]


@pytest.mark.parametrize("change", [{"triple": "b"}, {"chip": "b"}, {"features": "b"}, {"opt_level": 3}])
def test_everything_asked_for_is_in_the_digest_of_machine_code(
    fake_toolchain: FakeToolchain, change: dict[str, object]
) -> None:
    target = CodegenTarget("a", "a")
    code = fake_toolchain.codegen(b"ir", target)
    assert code != fake_toolchain.codegen(b"ir", target._replace(**change))  # type: ignore[arg-type]
    assert code != fake_toolchain.codegen(b"ir", target, filetype="asm")
    assert code == fake_toolchain.codegen(b"ir", target)
