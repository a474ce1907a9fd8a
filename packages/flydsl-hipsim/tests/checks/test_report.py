"""Counts of profiled launches, and line tables."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import flydsl_hipsim
from flydsl_hipsim.lines import line_at, line_table
from flydsl_hipsim.program import Program
from flydsl_hipsim.report import KernelProfile, profile

SOURCE = Path(__file__).parents[1] / "kernels/defects.c"
Compiled = Callable[..., Path]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """defects.c for gfx942 with further options of clang."""
    folder = tmp_path_factory.mktemp("defects")

    def compile_with(*options: str) -> Path:
        target = folder / f"{len(list(folder.iterdir()))}.o"
        command = ["clang-22", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-O2", *options]
        subprocess.run([*command, str(SOURCE), "-o", str(target)], check=True)
        return target

    return compile_with


@pytest.fixture(scope="module")
def program(compiled: Compiled) -> Iterator[Program]:
    with Program(compiled("-g").read_bytes()) as made:
        yield made


def profiled(program: Program, kernel: str, grid: int, block: int) -> KernelProfile:
    flydsl_hipsim.clear_profile()
    a, c = np.arange(8192, dtype=np.uint32), np.zeros(8192, np.uint32)
    program.run(kernel, grid, block, [a, c], check="profile")
    return profile().kernel(kernel)


def test_bytes_waves_and_registers(program: Program) -> None:
    found = profiled(program, "ordered", 3, 128)
    assert (found.launches, found.workgroups, found.waves) == (1, 3, 6)
    assert (found.arch, found.wave_size, found.threads, found.lds_bytes, found.scratch_bytes) == (
        "gfx942",
        64,
        128,
        1024,
        0,
    )
    assert found.vgprs > 0
    assert found.sgprs > 0
    moved = 3 * 128 * 4
    for space in ("global read", "global write", "LDS read", "LDS write"):
        assert found.bytes[space] == moved
    assert found.executed["barrier"] == 6
    assert found.executed["vector store"] == found.executed["LDS read"] == found.executed["LDS write"] == 6
    assert found.lane_use == 1
    assert found.lds_conflicts == 0


def test_launches_add_up_until_they_are_forgotten(program: Program) -> None:
    once = profiled(program, "ordered", 1, 128)
    program.run("ordered", 1, 128, [np.zeros(128, np.uint32), np.zeros(128, np.uint32)], check="profile")
    twice = profile().kernel("ordered")
    assert (twice.launches, twice.instructions) == (2, 2 * once.instructions)
    flydsl_hipsim.clear_profile()
    assert not profile()
    assert "no launch was profiled" in str(profile())
    with pytest.raises(KeyError, match="no launch of kernel 'ordered' was profiled"):
        profile().kernel("ordered")


def test_the_cost_of_kernels_is_one_number(program: Program) -> None:
    found = profiled(program, "columns", 1, 64)
    assert found.cost == found.instructions + sum(one.segments for one in found.memory) + found.lds_conflicts
    assert found.cost > found.instructions + 64
    assert profile().cost == found.cost


def test_strided_accesses(program: Program) -> None:
    """Lanes 128 bytes apart in memory; LDS words four apart: eight banks serve the 32 lanes of a pass."""
    found = profiled(program, "columns", 1, 64)
    load = next(one for one in found.memory if "load" in one.text and one.segments)
    assert (load.executed, load.lanes, load.bytes, load.segments, load.least_segments) == (1, 64, 256, 64, 2)
    write = next(one for one in found.memory if "ds_write" in one.text)
    assert (write.lds_passes, write.lds_conflicts) == (2, 2 * 3)
    assert found.coalescing < 0.1


def test_lanes_that_are_off(program: Program) -> None:
    found = profiled(program, "columns", 1, 48)
    assert 0.5 < found.lane_use < 0.76


def test_it_prints_as_a_table(program: Program) -> None:
    text = str(profiled(program, "columns", 1, 64))
    assert "kernel columns on gfx942: 1 launches, 1 workgroups, 1 waves" in text
    assert "bytes global read               256" in text
    lines = SOURCE.read_text().splitlines()
    written = next(k for k, line in enumerate(lines, 1) if "shared[i * 4 % 256]" in line)
    assert f"(defects.c:{written})" in text


@pytest.mark.parametrize("version", ["-gdwarf-4", "-gdwarf-5"])
def test_lines_are_those_of_the_symbolizer(compiled: Compiled, version: str) -> None:
    path = compiled(version)
    rows = line_table(path.read_bytes())
    places = range(rows[0][0], rows[-1][0], 4)
    command = ["llvm-symbolizer-22", "--no-inlines", "--functions=none", f"--obj={path}"]
    said = subprocess.run([*command, *map(hex, places)], check=True, capture_output=True, text=True).stdout
    for place, line in zip(places, said.split("\n\n"), strict=False):
        name, number, _ = line.strip().rsplit("/", 1)[-1].split(":")
        if name != "??" and number != "0":
            assert line_at(rows, place) == f"{name}:{number}", hex(place)


def test_there_are_no_lines_without_debug_information(compiled: Compiled) -> None:
    assert line_table(compiled().read_bytes()) == []
