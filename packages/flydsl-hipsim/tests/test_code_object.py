"""What is read from code objects of clang."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.code_object import parse_code_object
from flydsl_hipsim.errors import CodeObjectError, KernelFault, LaunchError
from flydsl_hipsim.native import load_library
from flydsl_hipsim.program import Program
from flydsl_hipsim.settings import hipsim

from .reference.assembly import assemble, kernel


def test_kernels_arguments_and_sizes(kernels: Any) -> None:
    code = kernels("memory", 2).code
    assert (code.arch, code.wave_size) == ("gfx942", 64)
    structs = code.kernels["structs"]
    assert [(a.offset, a.size) for a in structs.arguments] == [(0, 32), (32, 2), (40, 8)]
    assert code.kernels["through_lds"].static_lds == 1024
    assert kernels("memory", 0).code.kernels["scratch"].private_bytes >= 128
    assert code.kernels["grid"].implicit_offset == 16
    assert code.kernels["grid"].vgpr_ids == 2
    assert code.kernels["atomics"].float_mode == 0xF0


def test_symbols_and_relocations(kernels: Any) -> None:
    code = kernels("memory", 2).code
    sizes = {symbol.name: symbol.size for symbol in code.symbols if not symbol.is_function}
    assert (sizes["counter"], sizes["squares"], sizes["place"]) == (4, 64, 8)
    addresses = {symbol.name: symbol.address for symbol in code.symbols}
    assert (addresses["place"], addresses["counter"]) in code.relocations


@pytest.mark.parametrize("target", ["gfx900", "gfx1030", "gfx1251", "gfx9-generic"])
def test_code_for_chips_that_are_not_simulated_is_refused(kernels: Any, target: str) -> None:
    with pytest.raises(
        CodeObjectError, match=f"the code object is for {target}, which is not simulated: gfx90a, gfx942"
    ):
        Program(kernels.image("control", 2, target))


@pytest.mark.parametrize(
    ("target", "chips"),
    [
        ("gfx9-4-generic", ("gfx942", "gfx950")),
        ("gfx11-generic", ("gfx1100", "gfx1101")),
        ("gfx12-generic", ("gfx1201", "gfx1200")),
    ],
)
def test_code_for_a_generic_target_runs_on_the_chips_it_stands_for(
    kernels: Any, target: str, chips: tuple[str, ...]
) -> None:
    image, a = kernels.image("control", 2, target), np.arange(64, dtype=np.uint32)
    for chip in ("", *chips):
        found = np.zeros(64, np.uint32)
        with Program(image, chip) as program:
            assert program.code.arch == target
            program.run("pointers", 1, 64, [a, found])
        np.testing.assert_array_equal(found, np.where(a & 1, a // 2, a * 2))
    with pytest.raises(CodeObjectError, match=f"the code object is for {target}, the device is a gfx90a"):
        Program(image, "gfx90a")


@pytest.mark.parametrize(("arch", "features"), [("gfx942", ""), ("gfx90a", "-xnack"), ("gfx1201", "")])
def test_a_normalised_triple_names_the_same_chip(tmp_path: Path, arch: str, features: str) -> None:
    source, made, linked = tmp_path / "kernel.ll", tmp_path / "kernel.o", tmp_path / "kernel.hsaco"
    body = "store i32 7, ptr addrspace(1) %out\nret void"
    source.write_text(f"define amdgpu_kernel void @kernel(ptr addrspace(1) %out) {{\n{body}\n}}\n")
    target = ["-mtriple=amdgcn-amd-amdhsa-unknown", f"-mcpu={arch}", f"-mattr={features}"]
    subprocess.run(["llc-22", *target, "-filetype=obj", str(source), "-o", str(made)], check=True)
    subprocess.run(["ld.lld-22", "-shared", str(made), "-o", str(linked)], check=True)
    image, out = linked.read_bytes(), np.zeros(1, np.uint32)
    assert b"amdgcn-amd-amdhsa-unknown-" in image
    with Program(image) as program:
        assert program.code.arch == arch
        program.run("kernel", 1, 1, [out])
    assert out[0] == 7
    other = image.replace(b"amdhsa-unknown-", b"amdpal-unknown-")
    with pytest.raises(CodeObjectError, match="one for amdgcn-amd-amdhsa is expected"):
        parse_code_object(other)


@pytest.mark.parametrize("target", ["gfx942:xnack-", "gfx942:sramecc+:xnack+", "gfx90a:sramecc-"])
def test_features_of_a_target_do_not_belong_to_the_chip(kernels: Any, target: str) -> None:
    a, found = np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)
    with Program(kernels.image("control", 1, target)) as program:
        assert program.code.arch == target.partition(":")[0]
        program.run("calls", 1, 64, [a, found])
    np.testing.assert_array_equal(found, 2 * 17 + a * a + a * 3)


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"\x7fELF" + bytes(100), bytes(64)])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(CodeObjectError):
        parse_code_object(data)
    with pytest.raises(CodeObjectError, match="not a code object|the image is damaged"):
        Program(data)


def test_what_the_engine_relies_on_is_checked(kernels: Any) -> None:
    image = kernels.image("memory", 2)
    descriptor = image.index(b"amdhsa.kernels")
    for word, value in ((b".wavefront_size@", 0), (b".max_flat_workgroup_size\xcd\x04\x00", 0xFF)):
        damaged = bytearray(image)
        damaged[image.index(word, descriptor) + len(word) - 1] = value
        with pytest.raises(CodeObjectError, match="the code object is damaged: kernel"):
            Program(bytes(damaged))


@pytest.fixture
def short_runs() -> Iterator[None]:
    """Waves that damaged branches send round for ever are ended soon."""
    load_library().flysim_set_instruction_limit(10_000)
    yield
    load_library().flysim_set_instruction_limit(hipsim.instructions)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.usefixtures("short_runs")
def test_damage_is_refused_or_harmless(kernels: Any, seed: int) -> None:
    """Whatever bytes are changed, a run ends: with a result, a refusal, or a fault."""
    random_ = random.Random(seed)
    image = kernels.image("memory", 2)
    damaged = bytearray(image)
    for _ in range(random_.choice([1, 1, 4])):
        begin, end = random_.choice(list(pairwise(range(0, len(image), 512))))
        damaged[random_.randrange(begin, end)] ^= random_.randrange(1, 256)
    with suppress(CodeObjectError, LaunchError, KernelFault), Program(bytes(damaged)) as program:
        program.run("through_lds", 2, 256, [np.zeros(256, np.uint32), np.zeros(256, np.uint32)])


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("overflows", [False, True])
def test_the_mode_register_starts_as_the_descriptor_says(tmp_path: Path, chip: str, overflows: bool) -> None:
    read = ["s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 24)", "v_mov_b32 v1, s4", "global_store_dword v40, v1, s[44:45]"]
    text = kernel(read, chip, ieee=False, clamps_nan=False)
    directive = f".amdhsa_fp16_overflow {int(overflows)}\n.amdhsa_float_round_mode_32 2\n.end_amdhsa_kernel"
    found, unused = np.zeros(64, np.uint32), np.zeros(1, np.uint32)
    code = assemble(text.replace(".end_amdhsa_kernel", directive), chip, tmp_path)
    with Program(code) as program:
        program.run("main", 1, 32, [found, unused])
    ieee_and_clamp = 0x300 if chip == "gfx1201" else 0
    assert found[0] & ~np.uint32(ieee_and_clamp) == 0xC2 | overflows << 23
