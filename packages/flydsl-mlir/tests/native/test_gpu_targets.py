"""`gpu-module-to-binary` for AMD and NVIDIA targets."""

from __future__ import annotations

import pytest

import flydsl_mlir
from flydsl_mlir import MlirError

AMD = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]


@pytest.mark.parametrize("chip", AMD)
@pytest.mark.parametrize(
    ("format", "shown", "head"),
    [
        ("offloading", "offload", b"BC\xc0\xde"),
        ("isa", "assembly", b"\t.amdgcn_target"),
        ("bin", "bin", b"\x7fELF"),
        ("fatbin", "bin", b"\x7fELF"),
    ],
)
def test_amd_formats_need_no_toolkit(
    vector_add: str, rocdl_pipeline: str, chip: str, format: str, shown: str, head: bytes
) -> None:
    pipeline = rocdl_pipeline.replace("CHIP", chip).replace("FORMAT", format)
    ((module, target, found, payload),) = flydsl_mlir.gpu_objects(vector_add, pipeline)
    assert (module, found) == ("kernels", shown)
    assert f'chip = "{chip}"' in target
    assert payload.startswith(head)


def test_code_object_of_the_pass_equals_the_one_made_step_by_step(
    vector_add: str, rocdl_pipeline: str, code_object: bytes
) -> None:
    pipeline = rocdl_pipeline.replace("CHIP", "gfx942").replace("FORMAT", "fatbin")
    ((*_, payload),) = flydsl_mlir.gpu_objects(vector_add, pipeline)
    options = {"triple": "amdgcn-amd-amdhsa", "chip": "gfx942"}
    assert flydsl_mlir.disassemble(payload, **options) == flydsl_mlir.disassemble(code_object, **options)


def test_repeated_compilation_gives_the_same_bytes(vector_add: str, rocdl_pipeline: str) -> None:
    pipeline = rocdl_pipeline.replace("CHIP", "gfx942").replace("FORMAT", "fatbin")
    assert flydsl_mlir.gpu_objects(vector_add, pipeline) == flydsl_mlir.gpu_objects(vector_add, pipeline)


@pytest.mark.parametrize("format", ["isa", "bin", "fatbin"])
def test_backend_error_is_a_diagnostic_and_not_the_end_of_the_process(
    local_memory: str, rocdl_pipeline: str, format: str
) -> None:
    pipeline = rocdl_pipeline.replace("CHIP", "gfx942").replace("FORMAT", format)
    with pytest.raises(MlirError) as caught:
        flydsl_mlir.gpu_objects(local_memory.replace("BYTES", "65540"), pipeline)
    assert "local memory (65540) exceeds limit (65536) in function 'touch'" in str(caught.value)


def test_local_memory_up_to_the_limit_compiles(local_memory: str, rocdl_pipeline: str) -> None:
    pipeline = rocdl_pipeline.replace("CHIP", "gfx942").replace("FORMAT", "fatbin")
    assert flydsl_mlir.gpu_objects(local_memory.replace("BYTES", "65536"), pipeline)


def test_unknown_chip_is_an_error(vector_add: str, rocdl_pipeline: str) -> None:
    pipeline = rocdl_pipeline.replace("{chip=CHIP O=2}", "{chip=gfx12345}").replace("CHIP", "gfx942")
    with pytest.raises(MlirError, match="unknown chip 'gfx12345'"):
        flydsl_mlir.gpu_objects(vector_add, pipeline.replace("FORMAT", "isa"))


def test_missing_device_library_is_an_error(vector_add: str, rocdl_pipeline: str) -> None:
    pipeline = rocdl_pipeline.replace("{chip=CHIP O=2}", "{chip=gfx942 l=no/such/file.bc}").replace("CHIP", "gfx942")
    with pytest.raises(MlirError, match=r"no/such/file.bc"):
        flydsl_mlir.gpu_objects(vector_add, pipeline.replace("FORMAT", "isa"))


def test_nvidia_gives_ptx(vector_add: str) -> None:
    pipeline = (
        "builtin.module(gpu.module(convert-scf-to-cf,cse,convert-gpu-to-nvvm),nvvm-attach-target{chip=sm_90},"
        "convert-func-to-llvm,reconcile-unrealized-casts,gpu-module-to-binary{format=isa})"
    )
    ((_, target, format, payload),) = flydsl_mlir.gpu_objects(vector_add, pipeline)
    assert 'chip = "sm_90"' in target
    assert format == "assembly"
    assert b".visible .entry vadd" in payload


def test_module_without_binaries_gives_an_empty_list() -> None:
    assert flydsl_mlir.gpu_objects("module {}", "cse") == []
