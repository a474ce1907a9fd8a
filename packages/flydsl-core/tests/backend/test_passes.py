"""A pass over kernels: a rewrite of each function of the device, and of none of the host."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation

from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations
from flydsl.backend.text import create_context, parse_module

KERNEL = '"gpu.func"() <{{function_type = () -> ()}}> ({{ "gpu.return"() : () -> () }}) {{sym_name = "{}"}} : () -> ()'
MODULE = f"""
"builtin.module"() ({{
  "func.func"() <{{sym_name = "host", function_type = () -> ()}}> ({{ "func.return"() : () -> () }}) : () -> ()
  "gpu.module"() <{{sym_name = "kernels"}}> ({{ {KERNEL.format("one")} {KERNEL.format("two")} }}) : () -> ()
}}) : () -> ()
"""


@dataclass(frozen=True)
class Mark(KernelPass):
    """Marks what it rewrites."""

    name = "tiny-mark"
    word: str = "seen"

    def rewrite(self, kernel: Operation) -> None:
        kernel.attributes[self.word] = UnitAttr()


def test_functions_of_the_device_are_rewritten_in_order() -> None:
    module = parse_module(MODULE, check=False)
    Mark(word="marked").apply(create_context(), module)
    marked = [op.name for op in operations(module) if "marked" in op.attributes]
    assert marked == ["gpu.func", "gpu.func"]


def test_a_module_without_kernels_stays() -> None:
    module = parse_module('"builtin.module"() ({}) : () -> ()', check=False)
    Mark().apply(create_context(), module)
    assert not list(module.body.blocks)
