"""Butterflies over full waves become reductions by DPP; others stay shuffles."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Lower = Callable[[str], str]


def butterfly(combine: str, width: int, offsets: tuple[int, ...], type_: str = "f32") -> str:
    lines = [f"%width = arith.constant {width} : i32"]
    value, xor = "%x", f"<{{mode = #gpu<shuffle_mode xor>}}> : ({type_}, i32, i32) -> ({type_}, i1)"
    for number, offset in enumerate(offsets):
        lines += [
            f"%o{number} = arith.constant {offset} : i32",
            f'%s{number}, %valid{number} = "gpu.shuffle"({value}, %o{number}, %width) {xor}',
            f"%v{number} = {combine.format(value, f'%s{number}')} : {type_}",
        ]
        value = f"%v{number}"
    return "\n".join([*lines, f"fly.ptr.store({value}, %p) : ({type_}, !fly.ptr<{type_}, global>) -> ()"])


def lowered(
    kernel: Kernel, lower: Lower, text: str, type_: str = "f32", block: tuple[int, int, int] = (64, 2, 1)
) -> str:
    return lower(kernel(f"%x: {type_}, %p: !fly.ptr<{type_}, global>", text, block=block))


WHOLE = (32, 16, 8, 4, 2, 1)
MAX = "arith.maximumf {}, {}"


@pytest.mark.parametrize(
    ("combine", "type_", "left"),
    [
        (MAX, "f32", "arith.maxnumf"),
        ("arith.minimumf {}, {}", "f32", "arith.minnumf"),
        ("arith.maxnumf {}, {}", "f32", "arith.maxnumf"),
        ("arith.addf {}, {} fastmath<reassoc>", "f32", "arith.addf"),
        ("arith.addi {}, {}", "i32", "arith.addi"),
        ("arith.maxui {}, {}", "i32", "arith.maxui"),
    ],
)
def test_six_steps_become_six_dpp_operations(kernel: Kernel, lower: Lower, combine: str, type_: str, left: str) -> None:
    text = lowered(kernel, lower, butterfly(combine, 64, WHOLE, type_), type_)
    assert text.count("rocdl.update.dpp") == text.count(left) == 6
    assert text.count("rocdl.readlane") == 1
    assert "gpu.shuffle" not in text
    assert ("amdgcn.ballot" in text) == (type_ == "f32" and "reassoc" not in combine)


@pytest.mark.parametrize(
    ("combine", "width", "offsets", "block"),
    [
        (MAX, 64, (32, 16, 8, 4, 2), (64, 1, 1)),
        (MAX, 64, (32, 16, 8, 4, 2, 2), (64, 1, 1)),
        (MAX, 64, WHOLE, (96, 1, 1)),
        (MAX, 32, (16, 8, 4, 2, 1), (64, 1, 1)),
        ("arith.addf {}, {}", 64, WHOLE, (64, 1, 1)),
        ("arith.mulf {}, {} fastmath<reassoc>", 64, WHOLE, (64, 1, 1)),
    ],
)
def test_what_is_no_reduction_of_a_full_wave_stays(
    kernel: Kernel, lower: Lower, combine: str, width: int, offsets: tuple[int, ...], block: tuple[int, int, int]
) -> None:
    assert "rocdl.readlane" not in lowered(kernel, lower, butterfly(combine, width, offsets), block=block)


def test_a_value_that_is_used_on_the_way_stays(kernel: Kernel, lower: Lower) -> None:
    text = butterfly(MAX, 64, WHOLE) + "\nfly.ptr.store(%v2, %p) : (f32, !fly.ptr<f32, global>) -> ()"
    assert "rocdl.readlane" not in lowered(kernel, lower, text)


def test_groups_of_four_vote_by_quads(kernel: Kernel, lower: Lower) -> None:
    text = lowered(kernel, lower, butterfly(MAX, 4, (2, 1)))
    assert text.count("amdgcn.wqm.vote") == 1
    assert text.count("rocdl.update.dpp") == 2
    assert "rocdl.readlane" not in text
