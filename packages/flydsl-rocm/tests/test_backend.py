"""Code objects for every chip: a vector add, launch bounds, device math, disassembly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.base.errors import CompileError, ToolchainMissingError, UnsupportedTargetError
from flydsl.toolchain.select import default_toolchain
from flydsl_rocm.backend import RocmBackend
from flydsl_rocm.target import TARGETS

Kernel = Callable[..., str]
Assemble = Callable[..., str]
MEMORY = "!fly.memref<f32, global, ?:1>"
TILED = "!fly.memref<f32, global, (256,?):(1,256)>"


def vector_add(kernel: Kernel) -> str:
    body = """
      %tx = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %bx = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
      %t = arith.index_cast %tx : index to i32
      %b = arith.index_cast %bx : index to i32
      %tile = fly.static : !fly.tile<[256]>
      %coord = fly.make_int_tuple(%t, %b) : (i32, i32) -> !fly.int_tuple<(?,?)>
    """
    for name in "pqr":
        body += f"%{name}t = fly.logical_divide(%{name}, %tile) : ({MEMORY}, !fly.tile<[256]>) -> {TILED}\n"
    body += f"""
      %x = fly.memref.load(%pt, %coord) : ({TILED}, !fly.int_tuple<(?,?)>) -> f32
      %y = fly.memref.load(%qt, %coord) : ({TILED}, !fly.int_tuple<(?,?)>) -> f32
      %z = arith.addf %x, %y : f32
      fly.memref.store(%z, %rt, %coord) : (f32, {TILED}, !fly.int_tuple<(?,?)>) -> ()
    """
    return kernel(f"%p: {MEMORY}, %q: {MEMORY}, %r: {MEMORY}", body, block=(256, 1, 1))


@pytest.mark.parametrize("arch", [*TARGETS, "gfx90a:sramecc+:xnack-", "gfx1100:wavefrontsize64+"])
def test_vector_add_compiles_for_every_chip(arch: str, kernel: Kernel, assemble: Assemble) -> None:
    text = assemble(vector_add(kernel), arch)
    assert text.count("v_add_f32") == 1
    assert text.count("global_load") == 2
    assert text.count("global_store") == 1
    assert text.rstrip().splitlines()[-1].split()[0] == "s_endpgm"


def test_wave64_code_for_rdna_uses_wide_masks(kernel: Kernel, assemble: Assemble) -> None:
    body = """
      %tx = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %t = arith.index_cast %tx : index to i32
      %c = arith.constant 7 : i32
      %inside = arith.cmpi slt, %t, %c : i32
      scf.if %inside {
        fly.ptr.store(%t, %p) : (i32, !fly.ptr<i32, global>) -> ()
      }
    """
    module = kernel("%p: !fly.ptr<i32, global>", body)
    assert "v_cmpx_gt_u32" in assemble(module, "gfx1100") or "vcc_lo" in assemble(module, "gfx1100")
    assert "vcc_lo" not in assemble(module, "gfx1100:wavefrontsize64+")


@pytest.mark.parametrize(("block", "bounds"), [((64, 2, 1), 128), (None, 1024)])
def test_launch_bounds_reach_the_kernel(
    block: tuple[int, int, int] | None, bounds: int, kernel: Kernel, after: Callable[..., str]
) -> None:
    import re

    from flydsl_rocm.pipeline import conversion, native_lowering
    from flydsl_rocm.target import target_of

    text = kernel("", "", block=block)
    lowered = after(text, *conversion(target_of("gfx942")))
    pipeline = native_lowering(target_of("gfx942"), {}, "").rpartition(",gpu-module-to-binary")[0] + ")"
    out = default_toolchain().run_pipeline(lowered, pipeline)
    sizes = re.search(r'rocdl\.flat_work_group_size = "(\d+),(\d+)"', out)
    assert sizes is not None
    assert sizes.groups() == (str(bounds) if block else "1", str(bounds))


@pytest.mark.parametrize("block", [(64, 2, 1), None])
def test_launch_sizes_need_no_device_library(
    block: tuple[int, int, int] | None, kernel: Kernel, assemble: Assemble
) -> None:
    body = """
      %dx = "gpu.block_dim"() <{dimension = #gpu<dim x>}> : () -> index
      %gy = "gpu.grid_dim"() <{dimension = #gpu<dim y>}> : () -> index
      %s = arith.muli %dx, %gy : index
      %v = arith.index_cast %s : index to i32
      fly.ptr.store(%v, %p) : (i32, !fly.ptr<i32, global>) -> ()
    """
    text = assemble(kernel("%p: !fly.ptr<i32, global>", body, block=block))
    assert "s_swappc" not in text
    assert text.count("s_load_dword ") + text.count("global_load") + text.count("s_load_dwordx") >= 2


FREE = [
    "exp",
    "exp2",
    "log",
    "log2",
    "log10",
    "log1p",
    "expm1",
    "sin",
    "cos",
    "tan",
    "tanh",
    "erf",
    "sqrt",
    "rsqrt",
    "floor",
    "ceil",
    "round",
    "roundeven",
    "trunc",
    "absf",
]


def unary(kernel: Kernel, function: str, element: str) -> str:
    pointer = f"!fly.ptr<{element}, global>"
    body = f"""
      %x = fly.ptr.load(%p) : ({pointer}) -> {element}
      %y = "math.{function}"(%x) : ({element}) -> {element}
      fly.ptr.store(%y, %p) : ({element}, {pointer}) -> ()
    """
    return kernel(f"%p: {pointer}", body)


@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("function", FREE)
def test_ordinary_functions_need_no_device_library(
    function: str, element: str, kernel: Kernel, assemble: Assemble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flydsl_rocm.device_libraries._FOLDERS", ())
    assert "s_endpgm" in assemble(unary(kernel, function, element))


def test_missing_device_library_is_named(
    kernel: Kernel, assemble: Assemble, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("flydsl_rocm.device_libraries._FOLDERS", ())
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    with pytest.raises(ToolchainMissingError, match=r"ocml.*rocm-device-libs"):
        assemble(unary(kernel, "exp", "f64"))


@pytest.mark.parametrize("arch", TARGETS)
@pytest.mark.parametrize("block", [(64, 2, 1), None])
def test_index_operations_compile_for_every_chip(
    arch: str, block: tuple[int, int, int] | None, kernel: Kernel, assemble: Assemble
) -> None:
    names = ("lane_id", "subgroup_id", "subgroup_size", "num_subgroups")
    body = "".join(f'%{name} = "gpu.{name}"() : () -> index\n' for name in names)
    body += '%global_id = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index\n'
    total = "%lane_id"
    for name in (*names[1:], "global_id"):
        body += f"%s_{name} = arith.addi {total}, %{name} : index\n"
        total = f"%s_{name}"
    body += (
        f"%v = arith.index_cast {total} : index to i32\nfly.ptr.store(%v, %p) : (i32, !fly.ptr<i32, global>) -> ()\n"
    )
    assert "s_endpgm" in assemble(kernel("%p: !fly.ptr<i32, global>", body, block=block), arch)


def test_barrier_and_shared_memory(kernel: Kernel, assemble: Assemble) -> None:
    pointer = "!fly.ptr<f32, shared, align<16>>"
    body = f"""
      %tx = "gpu.thread_id"() <{{dimension = #gpu<dim x>}}> : () -> index
      %t = arith.index_cast %tx : index to i32
      %last = arith.constant 63 : i32
      %m = arith.subi %last, %t : i32
      %o = fly.make_int_tuple(%t) : (i32) -> !fly.int_tuple<?>
      %n = fly.make_int_tuple(%m) : (i32) -> !fly.int_tuple<?>
      %s = fly.make_ptr() {{dictAttrs = {{allocSize = 64 : i64}}}} : () -> {pointer}
      %a = fly.add_offset(%s, %o) : ({pointer}, !fly.int_tuple<?>) -> !fly.ptr<f32, shared>
      %b = fly.add_offset(%s, %n) : ({pointer}, !fly.int_tuple<?>) -> !fly.ptr<f32, shared>
      %g = fly.add_offset(%p, %o) : (!fly.ptr<f32, global>, !fly.int_tuple<?>) -> !fly.ptr<f32, global>
      %x = fly.ptr.load(%g) : (!fly.ptr<f32, global>) -> f32
      fly.ptr.store(%x, %a) : (f32, !fly.ptr<f32, shared>) -> ()
      "gpu.barrier"() : () -> ()
      %y = fly.ptr.load(%b) : (!fly.ptr<f32, shared>) -> f32
      fly.ptr.store(%y, %g) : (f32, !fly.ptr<f32, global>) -> ()
    """
    text = assemble(kernel("%p: !fly.ptr<f32, global>", body, block=(128, 1, 1)))
    order = [text.index(word) for word in ("ds_write_b32", "s_barrier", "ds_read_b32")]
    assert order == sorted(order)


def test_module_without_kernels_is_an_error() -> None:
    with pytest.raises(CompileError, match=r"no gpu\.module"):
        RocmBackend().emit_code_object(
            '"builtin.module"() ({ ^bb0: }) : () -> ()', arch="gfx942", toolchain=default_toolchain()
        )


def test_unknown_chip_is_refused_before_compiling() -> None:
    with pytest.raises(UnsupportedTargetError):
        RocmBackend().emit_code_object("", arch="gfx803", toolchain=default_toolchain())
