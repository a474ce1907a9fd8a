"""Generic text: accepted by MLIR, complete, and the same after a round trip."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from fly_cases import CASES
from upstream_cases import HOST_AND_KERNEL, MODULE
from xdsl.context import Context
from xdsl.dialects import arith, builtin
from xdsl.dialects.builtin import (
    Builtin,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    f16,
    f32,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Region
from xdsl.parser import Parser

from flydsl.base.location import Location
from flydsl.ir.build import Builder
from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module

MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt") or ""
needs_mlir = pytest.mark.skipif(not MLIR_OPT, reason="mlir-opt is not installed")


def mlir_opt(text: str, *options: str) -> str:
    done = subprocess.run([MLIR_OPT, *options, "-"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def emitted(value: Attribute) -> str:
    op = arith.ConstantOp.create(result_types=[i32], properties={"value": value})
    return emit_generic(op).removeprefix('%0 = "arith.constant"() <{value = ').removesuffix("}> : () -> i32\n")


@needs_mlir
@pytest.mark.parametrize("text", [MODULE, HOST_AND_KERNEL], ids=["module", "host_and_kernel"])
@pytest.mark.parametrize("locations", [False, True])
def test_mlir_accepts_generic_text_of_upstream_operations(text: str, locations: bool) -> None:
    mlir_opt(emit_generic(parse_module(text), locations=locations))


@needs_mlir
@pytest.mark.parametrize("text", [MODULE, HOST_AND_KERNEL], ids=["module", "host_and_kernel"])
def test_text_that_mlir_prints_reads_back(text: str) -> None:
    printed = mlir_opt(emit_generic(parse_module(text)), "--mlir-print-op-generic")
    assert mlir_opt(emit_generic(parse_module(printed)), "--mlir-print-op-generic") == printed


@needs_mlir
def test_mlir_reads_the_text_of_unknown_fly_operations() -> None:
    texts = (emit_generic(parse_module(case.text)) for case in CASES)
    mlir_opt("\n// -----\n".join(texts), "--allow-unregistered-dialect", "--split-input-file")


@pytest.mark.parametrize("text", [MODULE, HOST_AND_KERNEL], ids=["module", "host_and_kernel"])
def test_text_is_the_same_after_a_round_trip(text: str) -> None:
    once = emit_generic(parse_module(text))
    assert emit_generic(parse_module(once)) == once


def test_location_of_each_operation_is_printed_when_asked_for() -> None:
    block = Block()
    builder = Builder(block)
    builder.create(arith.ConstantOp, (), [i32], properties={"value": IntegerAttr(1, i32)})
    builder.location = Location('k"er.py', 12, 4, 9)
    builder.create(arith.ConstantOp, (), [i32], properties={"value": IntegerAttr(2, i32)})
    lines = emit_generic(builtin.ModuleOp(Region(block)), locations=True).splitlines()
    assert lines[1].endswith(": () -> i32 loc(unknown)")
    assert lines[2].endswith(r': () -> i32 loc("k\22er.py":12:5)')
    assert "loc(" not in emit_generic(builtin.ModuleOp(Region(Block())))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (IntegerAttr(-3, i32), "-3 : i32"),
        (IntegerAttr(1, i1), "true"),
        (builtin.FloatAttr(1.5, f32), "1.500000e+00 : f32"),
        (builtin.FloatAttr(1e-7, builtin.bf16), "1.001170e-07 : bf16"),
        (builtin.FloatAttr(float("inf"), f32), "0x7f800000 : f32"),
        (builtin.FloatAttr(float("nan"), f16), "0x7e00 : f16"),
        (builtin.DenseArrayBase.from_list(builtin.i64, [1, -2]), "array<i64: 1, -2>"),
        (builtin.SymbolRefAttr("kernels", ["a b"]), '@kernels::@"a b"'),
        (StringAttr('say "hi"\n'), '"say \\22hi\\22\\0A"'),
        (DictionaryAttr({"a": UnitAttr(), "b c": i32}), '{a, "b c" = i32}'),
    ],
)
def test_attribute_is_spelled_as_mlir_does(value: Attribute, text: str) -> None:
    assert emitted(value).lower() == text.lower()


def test_function_type_as_only_result_has_its_own_parentheses() -> None:
    op = builtin.UnrealizedConversionCastOp.create(result_types=[FunctionType.from_lists([i32], [f32])])
    assert emit_generic(op) == '%0 = "builtin.unrealized_conversion_cast"() : () -> ((i32) -> f32)\n'


def test_names_that_are_no_identifiers_are_quoted() -> None:
    module = builtin.ModuleOp([], {"gpu.container_module": UnitAttr(), "needs quotes": IntegerAttr(1, i32)})
    assert emit_generic(module).rstrip().endswith('}) {gpu.container_module, "needs quotes" = 1 : i32} : () -> ()')


def test_unregistered_operation_keeps_its_name_and_attributes() -> None:
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    op = Parser(context, '%0 = "other.op"() {a = 1 : i32} : () -> i32').parse_op()
    assert emit_generic(op) == '%0 = "other.op"() {a = 1 : i32} : () -> i32\n'


def test_kernel_mark_of_either_gpu_func_is_a_discardable_attribute() -> None:
    from xdsl.dialects import gpu

    theirs = gpu.FuncOp("k", ([], []), kernel=True, known_block_size=[64, 1, 1])
    ours = Parser(
        create_context(), "gpu.func @k() kernel attributes {known_block_size = array<i32: 64, 1, 1>} { gpu.return }"
    ).parse_op()
    for op in (theirs, ours):
        text = emit_generic(op)
        assert text.startswith('"gpu.func"() <{function_type = () -> ()}> ({')
        assert "gpu.kernel" in text.splitlines()[-1]
        assert "gpu.known_block_size = array<i32: 64, 1, 1>" in text.splitlines()[-1]


def test_deep_nesting_of_regions_is_indented_and_labelled() -> None:
    text = """
%c = arith.constant true
%0 = scf.if %c -> (i32) {
  %1 = arith.constant 1 : i32
  scf.yield %1 : i32
} else {
  %2 = arith.constant 2 : i32
  scf.yield %2 : i32
}
"""
    assert emit_generic(parse_module(text)).splitlines()[2:9] == [
        '  %1 = "scf.if"(%0) ({',
        '    %2 = "arith.constant"() <{value = 1 : i32}> : () -> i32',
        '    "scf.yield"(%2) : (i32) -> ()',
        "  }, {",
        '    %3 = "arith.constant"() <{value = 2 : i32}> : () -> i32',
        '    "scf.yield"(%3) : (i32) -> ()',
        "  }) : (i1) -> i32",
    ]
