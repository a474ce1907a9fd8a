"""`fly.print` becomes C-style formats."""

from __future__ import annotations

import pytest
from pass_programs import LOWERING
from xdsl.ir import Operation

from flydsl.base.errors import IRError
from flydsl.ir.parse import parse_module, verify
from flydsl.passes.registry import run as run_passes


def printed(values: str, types: str, fmt: str | None = None) -> Operation:
    attributes = f' {{format = "{fmt}"}}' if fmt is not None else ""
    module = parse_module(
        f"""
        gpu.module @m {{ gpu.func @k(%x: i32, %y: i64, %f: f16, %v: vector<2xf32>, %b: i1, %i: index,
                                     %l: !fly.layout<(?,8):(8,?{{i64}})>) kernel {{
          %t = fly.make_int_tuple(%x) : (i32) -> !fly.int_tuple<(4,(?,*))>
          fly.print({values}){attributes} : ({types}) -> ()
          gpu.return
        }} }}
        """
    )
    run_passes(module, LOWERING)
    verify(module)
    (found,) = [op for op in module.walk() if op.name == "gpu.printf"]
    return found


@pytest.mark.parametrize(
    ("values", "types", "fmt", "text", "arguments"),
    [
        ("%x, %y", "i32, i64", None, "%d %lld\n", ["i32", "i64"]),
        ("%x", "i32", "x is {}, 100%", "x is %d, 100%%\n", ["i32"]),
        ("%f", "f16", "{:.3f}\\n", "%.3f\n", ["f64"]),
        ("%v", "vector<2xf32>", "{}", "[%f,%f]\n", ["f64", "f64"]),
        ("%b, %i", "i1, index", None, "%d %lld\n", ["i32", "i64"]),
        ("%t", "!fly.int_tuple<(4,(?,*))>", "{{{}}}", "{(4,(%d,*))}\n", ["i32"]),
        ("%l", "!fly.layout<(?,8):(8,?{i64})>", "{}", "(%d,8):(8,%lld)\n", ["i32", "i64"]),
        ("", "", "hello", "hello\n", []),
    ],
)
def test_formats(values: str, types: str, fmt: str | None, text: str, arguments: list[str]) -> None:
    call = printed(values, types, fmt)
    assert call.properties["format"].data == text  # type: ignore[attr-defined]
    assert [str(type_) for type_ in call.operand_types] == arguments


def test_places_and_values_must_agree() -> None:
    with pytest.raises(IRError, match="has 1 places for 2 values"):
        printed("%x, %y", "i32, i64", "{}")


def test_the_host_calls_the_c_library() -> None:
    module = parse_module(
        """
        func.func @host(%x: i32) {
          fly.print(%x) {format = "host {}"} : (i32) -> ()
          fly.print(%x) : (i32) -> ()
          func.return
        }
        """
    )
    run_passes(module, LOWERING)
    verify(module)
    names = [op.name for op in module.walk()]
    calls = [op.properties["callee"].root_reference.data for op in module.walk() if op.name == "llvm.call"]
    assert calls == ["printf", "fflush"] * 2
    assert names.count("llvm.func") == names.count("llvm.alloca") == 2
