"""The function that has a tensor map made, as text; flydsl-mlir runs it."""

from __future__ import annotations

from flydsl.runtime.abi import TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES, FlyTensorMapSpec
from flydsl.toolchain import tensor_map_text
from flydsl.toolchain.tensor_map_text import TensorMap, map_function


def test_sizes_are_those_of_the_abi() -> None:
    assert (tensor_map_text.TENSOR_MAP_BYTES, tensor_map_text.TENSOR_MAP_ALIGNMENT) == (
        TENSOR_MAP_BYTES,
        TENSOR_MAP_ALIGNMENT,
    )
    assert FlyTensorMapSpec.recipe.offset == 96


def test_every_number_is_stored_where_the_struct_has_it() -> None:
    text = map_function(TensorMap("f", 2, "!llvm.ptr<1>", b"\x01A"))
    assert '@f_recipe("\\01\\41")' in text
    assert "%address: !llvm.ptr<1>" in text
    for place, value in (("3, 0", "%n0"), ("3, 1", "%n1"), ("4, 0", "%s0"), ("4, 1", "%s1"), ("5", "%recipe")):
        address = f"{value}.at"
        assert f"{address} = llvm.getelementptr %spec[0, {place}] :" in text
        assert f"llvm.store {value}, {address} :" in text
