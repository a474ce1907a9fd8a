"""Passes over functions of the device: which functions they get, and in which order."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from xdsl.context import Context
from xdsl.ir import Operation

from flydsl.ir.parse import parse_module
from flydsl.passes.device_pass import DevicePass, KernelPass

KERNEL = '"gpu.func"() <{{function_type = () -> ()}}> ({{ "gpu.return"() : () -> () }}) {{sym_name = "{}"}} : () -> ()'
FUNCTION = '"func.func"() <{{sym_name = "{}", function_type = () -> ()}}> ({{ "func.return"() : () -> () }}) : () -> ()'
MODULE = f"""
"builtin.module"() ({{
  {FUNCTION.format("host")}
  "gpu.module"() <{{sym_name = "kernels"}}> ({{
    {KERNEL.format("one")} {FUNCTION.format("native")} {KERNEL.format("two")}
  }}) : () -> ()
}}) : () -> ()
"""
SEEN: list[str] = []


class Names:
    """Notes the names of what it is to rewrite."""

    def rewrite(self, kernel: Operation) -> None:
        SEEN.append(kernel.get_attr_or_prop("sym_name").data)


@dataclass(frozen=True)
class OfDevice(Names, DevicePass):
    name = "of-device"


@dataclass(frozen=True)
class OfKernels(Names, KernelPass):
    name = "of-kernels"


@pytest.mark.parametrize(("kind", "names"), [(OfDevice, ["one", "native", "two"]), (OfKernels, ["one", "two"])])
def test_functions_of_the_host_are_left_out(kind: type[DevicePass], names: list[str]) -> None:
    SEEN.clear()
    kind().apply(Context(), parse_module(MODULE, check=False))
    assert SEEN == names
