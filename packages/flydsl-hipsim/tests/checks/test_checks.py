"""Each check on a kernel with the defect that it looks for, and on the one beside it without."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.checks import check_bits
from flydsl_hipsim.errors import KernelFault
from flydsl_hipsim.native import load_library
from flydsl_hipsim.options import Options
from flydsl_hipsim.program import Program

SOURCE = Path(__file__).parents[1] / "kernels/defects.c"
CHECK = "all"
CHIPS = ("gfx942", "gfx1100", "gfx1201")


@pytest.fixture(scope="module")
def defects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """With line tables."""
    target = tmp_path_factory.mktemp("defects") / "defects.o"
    command = ["clang-22", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-O2", "-g"]
    subprocess.run([*command, str(SOURCE), "-o", str(target)], check=True)
    with Program(target.read_bytes()) as program:
        yield program


def run(
    program: Program, kernel: str, grid: int = 1, block: int = 128, check: str = CHECK, order: str = "forward"
) -> np.ndarray:
    """What the kernel makes of 0, 1, 2 and so on."""
    a, c = np.arange(4096, dtype=np.uint32), np.zeros(4096, np.uint32)
    program.run(kernel, grid, block, [a, c], check=check, order=order, threads=1)
    return c


def fault(program: Program, kernel: str, grid: int = 1, check: str = CHECK, order: str = "forward") -> str:
    with pytest.raises(KernelFault) as caught:
        run(program, kernel, grid, check=check, order=order)
    return str(caught.value)


def line_with(text: str) -> str:
    """`defects.c:N` of the first line that holds a text."""
    lines = SOURCE.read_text().splitlines()
    return f"defects.c:{next(k for k, line in enumerate(lines, 1) if text in line)}"


CLEAN = [
    "ordered",
    "same_value",
    "counted",
    "unused_lds",
    "masked",
    "halves",
    "patient",
    "first_of_two",
    "between_waves_ordered",
]


@pytest.mark.parametrize("order", ["forward", "backward", "random:5"])
@pytest.mark.parametrize("kernel", CLEAN)
def test_a_kernel_without_the_defect_passes_every_check(defects: Program, kernel: str, order: str) -> None:
    run(defects, kernel, order=order)


@pytest.mark.parametrize("kernel", ["own_results", "added", "last_adds"])
def test_workgroups_that_are_ordered_or_apart_pass_every_check(defects: Program, kernel: str) -> None:
    run(defects, kernel, grid=4)


def test_bytes_beside_each_other_do_not_race(defects: Program) -> None:
    a, c = np.arange(256, dtype=np.uint8), np.zeros(256, np.uint8)
    defects.run("bytes", 1, 255, [a, c], check=CHECK)
    assert sorted(c[:255]) == list(range(255))


@pytest.mark.parametrize("order", ["forward", "backward", "random:5"])
def test_a_race_in_lds_names_both_places(defects: Program, order: str) -> None:
    text = fault(defects, "unordered", check="races", order=order)
    assert "a data race in LDS: 4 bytes at" in text
    assert "of the same workgroup, with no barrier between" in text
    assert "ds_read_b32" in text
    assert "ds_write_b32" in text
    assert SOURCE.name in text


def test_a_missing_second_barrier_in_a_loop_is_a_race(defects: Program) -> None:
    assert "a data race in LDS" in fault(defects, "used_again", check="races")


@pytest.mark.parametrize("kernel", ["between_waves", "shared_result", "neighbours", "any_adds"])
def test_a_race_in_global_memory(defects: Program, kernel: str) -> None:
    text = fault(defects, kernel, grid=1 if kernel == "between_waves" else 4, check="races")
    assert "a data race in global memory: 4 bytes at" in text
    same = "of the same workgroup, with no barrier between"
    assert (same if kernel == "between_waves" else "of workgroup number 0, with no order between") in text


def test_lds_that_nothing_was_written_to(defects: Program) -> None:
    text = fault(defects, "unwritten_lds", check="uninitialised")
    assert "an undefined value is stored to memory, from v" in text
    assert "read from LDS that nothing was written to at pc 0x" in text
    assert "wave 1, lane 36" in text
    assert "global_store_dword" in text


@pytest.mark.parametrize(
    ("kernel", "what"),
    [
        ("stored", "is stored to memory"),
        ("addressed", "is part of an address"),
        ("branched", "decides a branch"),
        ("diverged", "decides which lanes are active"),
        ("one_half", "is stored to memory"),
        ("lost_lane", "is stored to memory"),
    ],
)
def test_registers_that_nothing_was_written_to(defects: Program, kernel: str, what: str) -> None:
    text = fault(defects, kernel, check="uninitialised")
    assert f"an undefined value {what}" in text
    assert ("lane 40" in text) == (kernel == "lost_lane")


def test_undefined_rows_of_a_matrix_product_stay_in_their_rows(defects: Program) -> None:
    a, c = np.ones(256, np.float16), np.zeros(256, np.float32)
    defects.run("product", 1, 64, [a, c, np.uint32(5), np.uint32(5)], check=CHECK)
    assert (c[: 5 * 16] == 16).all()
    with pytest.raises(KernelFault, match="an undefined value is stored to memory"):
        defects.run("product", 1, 64, [a, c, np.uint32(5), np.uint32(6)], check=CHECK)


@pytest.mark.parametrize(
    ("kernel", "load"),
    [
        ("hasty", "global_load_dword"),
        ("second_of_two", "global_load_dword"),
        ("hasty_lds", "ds_read_b32"),
        ("hasty_scalar", "s_load_dword"),
    ],
)
def test_a_register_that_is_used_before_its_load_was_waited_for(defects: Program, kernel: str, load: str) -> None:
    text = fault(defects, kernel, check="waits")
    assert "is used before the load into it has been waited for; loaded at pc 0x" in text
    first, second = text.split(" in kernel ")
    assert load in first
    assert "_add_u32" in second


@pytest.mark.parametrize("check", ["waits", "waits+races"])
@pytest.mark.parametrize("place", ["scratch", "lds"])
def test_a_flat_load_is_waited_for_by_the_counter_of_the_memory_it_is_in(
    defects: Program, place: str, check: str
) -> None:
    c = run(defects, f"flat_in_{place}", block=64, check=check)
    np.testing.assert_array_equal(c[:64], np.arange(64) + 6)
    with pytest.raises(KernelFault, match="is used before the load into it has been waited for"):
        run(defects, f"flat_in_{place}_too_early", block=64, check=check)


def test_a_register_that_is_overwritten_before_its_load_was_waited_for(defects: Program) -> None:
    assert "is overwritten before the load into it" in fault(defects, "overwritten", check="waits")


def test_lds_and_scratch_end_somewhere(defects: Program) -> None:
    text = fault(defects, "past_lds", check="")
    assert "an access outside of LDS: 4 bytes at 0x408 (the workgroup has 1024 bytes)" in text
    assert line_with("KERNEL past_lds") in text
    assert "an access outside of scratch memory: 4 bytes at" in fault(defects, "past_scratch", check="")


def test_memory_that_was_freed(defects: Program) -> None:
    library, a, c = load_library(), np.zeros(256, np.uint32), np.zeros(256, np.uint32)
    address = a.ctypes.data
    library.flysim_memory_add(address, a.nbytes, 0)
    defects.run("ordered", 1, 128, [address, c])
    library.flysim_memory_remove(address)
    try:
        with pytest.raises(KernelFault, match=r"use after free: inside a freed allocation of 1024 bytes, at offset 0"):
            defects.run("ordered", 1, 128, [address, c])
    finally:
        library.flysim_memory_forget(address)  # NumPy gives these addresses to other arrays


def test_random_orders_show_a_missing_barrier_and_can_be_repeated(defects: Program) -> None:
    made = [
        run(defects, "unordered", block=256, check="", order=f"random:{seed}").tobytes()
        for seed in (*range(8), *range(8))
    ]
    assert made[:8] == made[8:]
    assert len(set(made)) > 1


def test_all_checks_together_find_what_each_finds(defects: Program) -> None:
    assert "a data race" in fault(defects, "between_waves")
    assert "a missing wait" in fault(defects, "hasty")
    assert "an undefined value" in fault(defects, "stored")


CLANG = {
    "memory": ["through_lds", "lds_atomics", "scratch", "globals", "atomics"],
    "control": ["switches", "calls", "recursion", "pointers"],
    "lanes": ["shuffles"],
}


@pytest.mark.parametrize("level", [0, 2])
def test_what_clang_makes_passes_every_check(kernels: Any, level: int) -> None:
    for name, entries in CLANG.items():
        for entry in entries:
            a, c = np.arange(4096, dtype=np.uint32), np.zeros(4096, np.uint32)
            kernels(name, level).run(entry, 1, 64 if name == "lanes" else 256, [a, c], check=CHECK, threads=1)


def test_without_checks_a_defect_that_stays_in_memory_passes(defects: Program) -> None:
    for kernel in ("unordered", "unwritten_lds", "stored", "hasty"):
        run(defects, kernel, check="")


@pytest.mark.parametrize(
    ("check", "bits"),
    [
        ("", 0),
        (6, 6),
        ("races", 2),
        ("races+waits", 6),
        (("uninitialised", "profile"), 9),
        ("all", 7),
        ("all+profile", 15),
        ("5", 5),
    ],
)
def test_checks_are_chosen_by_words(check: str | int | tuple[str, ...], bits: int) -> None:
    assert check_bits(check) == bits
    assert Options.of("gfx942", 1, check=check).check == bits
    assert not isinstance(check, str) or Options.parse(f"gfx942,check={check}").check == bits


@pytest.mark.parametrize("check", ["race", "races,waits", 16, -1])
def test_words_that_are_no_checks_are_refused(check: str | int) -> None:
    with pytest.raises(ValueError, match=f"check is {check!r}, expected .*uninitialised, races, waits, profile, all"):
        check_bits(check)


@pytest.mark.parametrize("check", ["", CHECK])
def test_a_scalar_load_may_reach_to_the_end_of_16_aligned_bytes(defects: Program, check: str) -> None:
    memory = np.arange(64, dtype=np.uint32)
    a = memory[-memory.ctypes.data // 4 % 4 :][:3]  # aligned as a compiler asks for when it makes a load longer
    a[:], c = (1, 2, 4), np.zeros(64, np.uint32)
    defects.run("longer_load", 1, 64, [a, c], check=check)
    assert (c == 7).all()
    if check:  # what is behind the end is not to be used
        with pytest.raises(KernelFault, match="an undefined value is stored to memory"):
            defects.run("longer_load_used", 1, 64, [a, c], check=check)
    with pytest.raises(KernelFault, match="an invalid read: 16 bytes"):
        defects.run("too_long_load", 1, 64, [a, c], check=check)
