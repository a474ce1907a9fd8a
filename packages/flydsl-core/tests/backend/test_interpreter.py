"""A device without a compiler: it reads a module and lets the core run it on its memory."""

from __future__ import annotations

import struct

from xdsl.dialects.builtin import f32

from flydsl.backend.interpreter import Address, Machine, Memory
from flydsl.backend.text import parse_module

MODULE = """
"builtin.module"() ({
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (!fly.ptr<f32, global>) -> ()}> ({
    ^bb0(%p: !fly.ptr<f32, global>):
      %x = "fly.ptr.load"(%p) : (!fly.ptr<f32, global>) -> f32
      %y = "arith.addf"(%x, %x) : (f32, f32) -> f32
      "fly.ptr.store"(%y, %p) : (f32, !fly.ptr<f32, global>) -> ()
      "gpu.return"() : () -> ()
    }) {sym_name = "double", gpu.kernel} : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_a_kernel_runs_on_memory() -> None:
    machine, data = Machine(parse_module(MODULE, check=False), 8, ()), bytearray(struct.pack("f", 1.5))
    machine.launch("double", (1, 1, 1), (1, 1, 1), 0, [Address(Memory(data), 0, f32)])
    assert struct.unpack("f", data) == (3.0,)
