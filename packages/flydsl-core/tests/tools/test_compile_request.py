"""What a command line asks to compile: types of arguments, and code that calls find in the cache."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from flydsl.base.errors import ArgumentError
from flydsl.cache.dependencies import encode_value
from flydsl.cache.store import default_store
from flydsl.compiler.call.constexpr import ConstexprSpec
from flydsl.compiler.call.scalar import ScalarSpec
from flydsl.compiler.call.tensor import TensorSpec
from flydsl.frontend.signature import Parameter
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.tools.compile_request import CompileRequest, _spec, _specs, add_arguments

SOURCE = """
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n

@flyc.jit
def fill(x: fx.Tensor, n: fx.Int32):
    store(x, n).launch(grid=1, block=1)
"""


def test_the_code_of_a_request_is_kept(fake_device: FakeToolchain, tmp_path: Path) -> None:
    file = tmp_path / "requested_program.py"
    file.write_text(SOURCE)
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    options = parser.parse_args([f"{file}:fill", "--arg", "i32[4]", "--arg", "i32", "--target", "fake2"])
    request = CompileRequest.of(options)
    assert '"gpu.module"' in request.traced().text
    artifact = request.artifact()
    assert artifact.target.arch == "fake2"
    assert [item.entry.header["name"] for item in default_store().stored() if item.kind == "entry"] == ["fill"]


def test_arguments_are_tensors_scalars_and_constants() -> None:
    tensor = _spec("f16[3,5]")
    assert isinstance(tensor, TensorSpec)
    assert (tensor.dtype, str(tensor.layout), tensor.align) == ("Float16", "(3,5):(5,1)", 2)
    dynamic = _spec("f32(?,?):(?{i64},1)")
    assert isinstance(dynamic, TensorSpec)
    assert str(dynamic.layout) == "(?,?):(?{i64},1)"
    assert _spec("f64") == ScalarSpec("Float64")
    constant = _spec("=(1, 'a')")
    assert isinstance(constant, ConstexprSpec)
    assert constant.value == (1, "a")
    assert constant.encoding == encode_value((1, "a"))  # as a call has it in its key
    with pytest.raises(ArgumentError, match=r"a static shape looks like \[100,1000\], found '\[x\]'"):
        _spec("f32[x]")


def test_a_number_for_a_tensor_is_refused() -> None:
    declared = [Parameter("x", "tensor"), Parameter("n", "scalar")]
    with pytest.raises(ArgumentError, match=r"--arg 'f32' is a number, and parameter 'x' is a tensor: write 'f32\["):
        _specs(declared, ["f32", "i32"], 1)
    assert list(_specs(declared, ["f32[4]", "i32"], 1)) == ["x", "n"]


@pytest.mark.parametrize(
    ("text", "dtype", "align"),
    [
        ("u8", "Uint8", 1),
        ("U64", "Uint64", 8),
        ("uint16", "Uint16", 2),
        ("Float8E4M3FN", "Float8E4M3FN", 1),
        ("f8e5m2", "Float8E5M2", 1),
        ("f4E2M1FN", "Float4E2M1FN", 1),
        ("i4", "Int4", 1),
        ("bfloat16", "BFloat16", 2),
        ("boolean", "Boolean", 1),
    ],
)
def test_element_types_are_those_of_mlir_unsigned_ones_and_those_of_the_language(
    text: str, dtype: str, align: int
) -> None:
    assert _spec(text) == ScalarSpec(dtype)
    tensor = _spec(f"{text}[3,4]")
    assert isinstance(tensor, TensorSpec)
    assert (tensor.dtype, tensor.align) == (dtype, align)
