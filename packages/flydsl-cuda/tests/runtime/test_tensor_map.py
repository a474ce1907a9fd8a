"""Tensor maps by the native table: what reaches the driver, and what the copy engine could not have."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from flydsl.runtime.abi import FlyTensorMapSpec
from flydsl_cuda.tensor_map import Recipe

STORED = Recipe(element="bf16", element_bytes=2, box=(64, 128), swizzle=3, is_written=True).to_bytes()
RECIPE = Recipe(element="bf16", element_bytes=2, box=(64, 128), swizzle=3)


def encode(
    cuda: SimpleNamespace,
    address: int = 0x7F0010,
    shape: tuple[int, ...] = (100, 77),
    strides: tuple[int, ...] = (2, 208),
    recipe: bytes = RECIPE.to_bytes(),
) -> tuple[int, bytes]:
    memory = ctypes.create_string_buffer(128)
    constants = ctypes.create_string_buffer(recipe, len(recipe))
    spec = FlyTensorMapSpec(ctypes.sizeof(FlyTensorMapSpec), len(shape), address, shape, strides)
    spec.recipe, spec.recipe_size = ctypes.addressof(constants), len(recipe)
    code: int = cuda.table.encode_tensor_map(None, ctypes.byref(spec), memory)
    return code, memory.raw


@pytest.fixture
def cuda(cuda: SimpleNamespace) -> SimpleNamespace:
    """With a module on device 1, whose context is nobody's current one."""
    module, names = ctypes.c_void_p(), (ctypes.c_char_p * 1)(b"k")
    assert cuda.table.module_load(None, 1, b"CODE....", 8, names, 1, ctypes.byref(module)) == 0
    return cuda


def message(cuda: SimpleNamespace, code: int) -> str:
    return cuda.library.flycuda_error_message(code).decode()


def test_the_driver_is_told_of_the_tensor_and_its_boxes(cuda: SimpleNamespace) -> None:
    cuda.driver.log()
    assert encode(cuda) == (0, b"\xab" * 128)
    assert cuda.driver.log() == [
        "cuCtxPushCurrent(1)",
        "cuTensorMapEncodeTiled(9 at 0x7f0010: 100 by 0 of 64/1, 77 by 208 of 128/1; 0 3 2 0 on 1)",
        "cuCtxPopCurrent()",
    ]


def test_the_stride_of_one_element_does_not_matter(cuda: SimpleNamespace) -> None:
    cuda.driver.log()
    assert encode(cuda, shape=(100, 1), strides=(2, 7))[0] == 0
    assert "1 by 16 of" in cuda.driver.log()[1]


def test_rows_of_whole_granules_are_stored_to(cuda: SimpleNamespace) -> None:
    assert encode(cuda, shape=(104, 77), recipe=STORED)[0] == 0


def test_a_map_of_nothing_is_made_without_the_driver(cuda: SimpleNamespace) -> None:
    cuda.driver.log()
    assert encode(cuda, shape=(0, 77)) == (0, bytes(128))
    assert encode(cuda, shape=(100, 0)) == (0, bytes(128))
    assert encode(cuda, shape=(0, 77), strides=(2, 0)) == (0, bytes(128))  # of a contiguous array without elements
    assert cuda.driver.log() == []


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"address": 0x7F0008}, "the tensor begins at 0x7f0008, which is no multiple of 16 bytes: copy it"),
        ({"strides": (2, 200)}, "a stride of 200 bytes is no positive multiple of 16: pad the rows"),
        ({"strides": (2, -208)}, "a stride of -208 bytes is no positive multiple of 16"),
        ({"strides": (4, 208)}, "the elements of the contiguous dimension are 4 bytes apart, not 2"),
        ({"shape": (1 << 33, 2)}, "a dimension of 8589934592 elements is more than the copy engine counts"),
        ({"recipe": STORED}, "rows of 200 bytes: the copy engine stores whole 16 bytes, and would overwrite"),
        ({"recipe": b"12"}, "what the compiler wrote of it is of another version"),
    ],
)
def test_what_the_copy_engine_cannot_have_is_told(cuda: SimpleNamespace, given: dict, text: str) -> None:
    cuda.driver.log()
    assert encode(cuda, **given)[0] == 1
    assert text in message(cuda, 1)
    assert cuda.driver.log() == []


def test_an_error_of_the_driver_is_returned(cuda: SimpleNamespace) -> None:
    cuda.driver.reset(failing="cuTensorMapEncodeTiled", code=1)
    assert encode(cuda)[0] == 1
    assert message(cuda, 1) == "cuTensorMapEncodeTiled: CUDA_ERROR_FAKE_1: fake error 1"


def test_an_older_driver_is_told(open_cuda: Callable[..., SimpleNamespace]) -> None:
    cuda = open_cuda("-DOLD_CUDA")
    assert encode(cuda)[0] == 801
    assert message(cuda, 801) == "this driver makes no tensor maps: update it to CUDA 12 or newer"
