"""A target made of the core's own memory spaces, and kernels lowered for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flydsl.backend.ir import GENERIC, GLOBAL, REGISTER, SHARED
from flydsl.backend.lowering import (
    ConvertFlyToLLVM,
    LoweringTarget,
    PlainSpace,
    RegisterSpace,
    SharedSpace,
)
from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module

SPACES = {GENERIC: PlainSpace(), GLOBAL: PlainSpace(1), SHARED: SharedSpace(3, 32), REGISTER: RegisterSpace(5, 32)}


@dataclass(frozen=True)
class ConvertFlyTo(ConvertFlyToLLVM):
    """The lowering for any target."""

    target: LoweringTarget = LoweringTarget("toy", SPACES)
    name = "convert-fly-to-toy"

    def lowering_target(self) -> LoweringTarget:
        return self.target


def kernel(arguments: str, body: str) -> str:
    types = ", ".join(a.partition(":")[2].strip() for a in arguments.split(", %") if a)
    return f"""
      "builtin.module"() ({{ "gpu.module"() <{{sym_name = "kernels"}}> ({{
        "gpu.func"() <{{function_type = ({types}) -> ()}}> ({{
        ^bb0({arguments}):
          {body}
          "gpu.return"() : () -> ()
        }}) {{gpu.kernel, sym_name = "k"}} : () -> ()
      }}) : () -> () }}) {{gpu.container_module}} : () -> ()
    """


def convert(arguments: str, body: str, *, spaces: Mapping[Any, Any] = SPACES, **target: Any) -> str:
    """The text of a lowered kernel; `target` are fields of the LoweringTarget."""
    context = create_context()
    module = parse_module(kernel(arguments, body), context, check=False)
    ConvertFlyTo(LoweringTarget("toy", spaces, **target)).apply(context, module)
    text = emit_generic(module)
    assert "fly." not in text
    return text


def lines(text: str, name: str) -> list[str]:
    """The operations called `name`."""
    return [line.strip() for line in text.splitlines() if f'"{name}"' in line]


COPY = "!fly.copy_atom<!fly.universal_copy<128>, 32>"
ROW = "!fly.memref<f32, global, 4:1, align<16>>"
TILE = "!fly.memref<f32, shared, 4:1, align<16>>"
POINTERS = "%p: !fly.ptr<f32, global, align<16>>, %q: !fly.ptr<f32, shared, align<16>>"
VIEWS = f"""
  %layout = fly.static : !fly.layout<4:1>
  %src = fly.make_view(%p, %layout) : (!fly.ptr<f32, global, align<16>>, !fly.layout<4:1>) -> {ROW}
  %dst = fly.make_view(%q, %layout) : (!fly.ptr<f32, shared, align<16>>, !fly.layout<4:1>) -> {TILE}
"""


def copy_call(operands: str, types: str, sizes: str, result: str = "()") -> str:
    name = "%v = " if result != "()" else ""
    return (
        f"%atom = fly.make_copy_atom {{valBits = 32 : i32}} : {COPY}\n"
        f'{name}"fly.copy_atom_call_ssa"(%atom, {operands}) {{operandSegmentSizes = array<i32: {sizes}>}} '
        f": ({COPY}, {types}) -> {result}"
    )
