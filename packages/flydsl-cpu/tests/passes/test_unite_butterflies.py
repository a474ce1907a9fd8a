"""The steps of a reduction over the lanes of a wave become one operation that tells them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kernel_text import INDICES, load, store

Module = Callable[..., str]
After = Callable[..., str]

NAME = "cpu-unite-butterflies"
ARGUMENTS = "%p: !llvm.ptr, %q: !llvm.ptr"


def reduction(combine: str = "arith.addf", between: str = "", mode: str = "xor") -> str:
    text = INDICES + load("x0", "%p", "%t") + "%w = arith.constant 32 : i32\n"
    for i, offset in enumerate((2, 1)):
        text += f"%o{i} = arith.constant {offset} : i32\n%v{i}, %ok{i} = gpu.shuffle {mode} %x{i}, %o{i}, %w : f32\n"
        text += between + f"%x{i + 1} = {combine} %x{i}, %v{i} : f32\n"
    return text + store("%x2", "%q", "%t", "out")


@pytest.mark.parametrize("combine", ["arith.addf", "arith.maxnumf"])
def test_steps_become_one_operation(kernel_module: Module, after: After, combine: str) -> None:
    text = after(kernel_module(ARGUMENTS, reduction(combine), block=(64, 1, 1)), NAME)
    assert text.count('"cpu.butterfly"') == 1
    assert "gpu.shuffle" not in text
    assert text.count(f'combine = "{combine}"') == 2
    assert "lanes = array<i32: 2, 3, 0, 1, 6, 7, 4, 5" in text
    assert "lanes = array<i32: 1, 0, 3, 2, 5, 4, 7, 6" in text


def test_the_text_of_the_operation_says_all_that_the_next_pass_needs(kernel_module: Module, after: After) -> None:
    module, passes = kernel_module(ARGUMENTS, reduction(), block=(64, 1, 1)), ("cpu-thread-loops",)
    indices = after(module, "cpu-expand-index-operations")
    assert after(after(indices, NAME), *passes) == after(indices, NAME, *passes)


@pytest.mark.parametrize(
    ("body", "block"),
    [
        (reduction(), (48, 1, 1)),
        (reduction(), None),
        (reduction("arith.subf"), (64, 1, 1)),
        (reduction(between="llvm.store %x0, %q : f32, !llvm.ptr\n"), (64, 1, 1)),
    ],
    ids=["an incomplete wave", "unknown", "no reduction", "a store between"],
)
def test_others_stay(kernel_module: Module, after: After, body: str, block: tuple[int, ...] | None) -> None:
    text = kernel_module(ARGUMENTS, body, block=block)
    assert after(text, NAME) == after(text)
