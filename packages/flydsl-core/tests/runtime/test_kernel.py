"""Shared objects loaded from memory, and code objects loaded through a runtime's table."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flydsl.base.errors import RuntimeFailure
from flydsl.runtime.abi import include_dir
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import ObjectCode, check_launch, load_launcher, load_shared_object
from flydsl.testing.fake_runtime import FakeRuntime
from flydsl.testing.fake_table import FakeTable

LAUNCHER = """
#include <fly_abi.h>
int32_t fly_load(const FlyRuntimeApi *rt, int32_t ordinal, void **module) {
  const char *names[] = {"k"};
  return rt->module_load(rt->self, ordinal, "image", 5, names, 1, module);
}
int32_t fly_launch(const FlyLaunchCtx *ctx, void **argv) { return *(int32_t *)argv[0] + ctx->ordinal; }
int32_t fly_launch_packed(const FlyRuntimeApi *rt, void *module, int32_t ordinal, void *stream, const void *packed) {
  return *(const int32_t *)packed;
}
"""


def shared_object(source: str, folder: Path) -> bytes:
    (folder / "source.c").write_text(source)
    command = ["cc", "-shared", "-fPIC", f"-I{include_dir()}", "source.c", "-o", "object.so"]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "object.so").read_bytes()


@pytest.fixture(scope="module")
def launcher_image(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return shared_object(LAUNCHER, tmp_path_factory.mktemp("launcher"))


def test_launcher_functions_are_callable_with_integers_and_bytes(launcher_image: bytes) -> None:
    launcher = load_launcher(launcher_image)
    assert launcher.fly_launch_packed(1, 2, 0, 0, (-5).to_bytes(4, "little", signed=True)) == -5
    assert launcher.address("fly_launch") == ctypes.cast(launcher.fly_launch, ctypes.c_void_p).value


def test_launcher_loads_its_module_through_the_runtime(launcher_image: bytes) -> None:
    runtime = FakeRuntime()
    launcher = load_launcher(launcher_image)
    module = launcher.load(runtime, 2)
    assert runtime.table.loads == [(2, b"image", ["k"])]
    assert ctypes.c_void_p.from_address(module).value == 0x100
    launcher.unload(runtime, module)


def test_error_of_a_module_load_is_raised_with_the_runtimes_text(launcher_image: bytes) -> None:
    runtime = FakeRuntime()
    runtime.table = FakeTable(load_codes=[209])
    with pytest.raises(RuntimeFailure, match="fake error 209") as caught:
        load_launcher(launcher_image).load(runtime, 0)
    assert caught.value.code == 209


@pytest.mark.parametrize(("code", "text"), [(-1, "launcher ABI"), (-2, "dimension"), (7, "fake error 7")])
def test_launch_codes_become_errors(code: int, text: str) -> None:
    with pytest.raises(RuntimeFailure, match=text):
        check_launch(code, FakeRuntime())


@pytest.mark.parametrize("image", [b"", b"not an object", b"\x7fELF" + bytes(60)])
def test_garbage_is_an_error_and_leaves_no_descriptor_open(image: bytes) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(RuntimeFailure, match=f"shared object of {len(image)} bytes cannot be loaded"):
        load_shared_object(image, "garbage")
    assert len(os.listdir("/proc/self/fd")) == before


def test_objects_loaded_one_after_another_stay_distinct(tmp_path: Path) -> None:
    images = [shared_object(f"int value(void) {{ return {i}; }}", tmp_path) for i in range(5)]
    libraries = [load_shared_object(image, "number") for image in images]
    assert [library.value() for library in libraries] == [0, 1, 2, 3, 4]


def test_object_is_loaded_through_a_file_where_memory_files_are_forbidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = shared_object("int value(void) { return 42; }", tmp_path)

    def refuse(name: str) -> int:
        raise PermissionError(name)

    monkeypatch.setattr(os, "memfd_create", refuse)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert load_shared_object(image, "number").value() == 42
    assert not list(tmp_path.glob("number*"))


def test_loading_a_launcher_imports_no_compiler_and_no_array_library() -> None:
    heavy = {"numpy", "torch", "jax", "xdsl", "flydsl_mlir", "pluggy", "flydsl.ir", "flydsl.passes"}
    script = f"import sys, flydsl.runtime.kernel, flydsl.toolchain.slots; print({heavy!r} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_code_object_gives_its_kernels_by_name() -> None:
    runtime = FakeRuntime()
    code = ObjectCode.load(Device(runtime=runtime), b"code", ["a", "b"])
    assert runtime.table.loads == [(0, b"code", ["a", "b"])]
    assert [code.get_kernel(name).handle for name in ("a", "b")] == [0x100, 0x101]
    with pytest.raises(RuntimeFailure, match=r"'c' was not loaded from this code object; loaded: a, b"):
        code.get_kernel("c")


def test_code_object_is_unloaded_once() -> None:
    runtime = FakeRuntime()
    with ObjectCode.load(Device(runtime=runtime), b"code", ["a"]) as code:
        assert runtime.table.unloads == 0
    code.close()
    assert runtime.table.unloads == 1


def mappings() -> int:
    return len(Path("/proc/self/maps").read_text().splitlines())


def test_a_shared_object_is_closed_with_the_last_of_its_functions(tmp_path: Path) -> None:
    image = shared_object("int value(void) { return 42; }", tmp_path)
    value = load_shared_object(image, "number").value
    gc.collect()
    assert value() == 42
    del value
    gc.collect()
    before = mappings()
    for _ in range(200):
        assert load_shared_object(image, "number").value() == 42
    gc.collect()
    assert mappings() < before + 50


@pytest.mark.parametrize("unloads", [True, False])
def test_a_module_is_unloaded_with_its_last_reference(launcher_image: bytes, unloads: bool) -> None:
    runtime = FakeRuntime()
    runtime.unloads_unused = unloads
    module = load_launcher(launcher_image).load_owned(runtime, 0)
    plan = (module, 1)
    del module
    gc.collect()
    assert runtime.table.unloads == 0
    del plan
    gc.collect()
    assert runtime.table.unloads == int(unloads)


def test_a_kernel_keeps_its_code_object_loaded() -> None:
    runtime = FakeRuntime()
    runtime.unloads_unused = True
    kernel = ObjectCode.load(Device(runtime=runtime), b"code", ["a", "b"]).get_kernel("a")
    gc.collect()
    assert runtime.table.unloads == 0
    assert kernel.name == "a"
    del kernel
    gc.collect()
    assert runtime.table.unloads == 1


def test_a_closed_code_object_is_not_unloaded_again() -> None:
    runtime = FakeRuntime()
    runtime.unloads_unused = True
    code = ObjectCode.load(Device(runtime=runtime), b"code", ["a"])
    code.close()
    code.close()
    del code
    gc.collect()
    assert runtime.table.unloads == 1
