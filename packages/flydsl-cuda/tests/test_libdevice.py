"""Functions of f64: linked from the device library where there is one, explained where there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.base.errors import ToolchainMissingError
from flydsl.passes.math.functions import FUNCTIONS, SCALAR_FUNCTIONS
from flydsl.toolchain.protocol import CodegenTarget
from flydsl.toolchain.select import default_toolchain
from flydsl_cuda import libdevice
from flydsl_cuda.libdevice import calls_libdevice
from flydsl_cuda.target import TRIPLE

IN_LIBRARY = {"powf": "pow"}
"""Names that differ there."""
OF_TWO = ("atan2", "powf")
NAMES = sorted(name.removeprefix("math.") for name in {*FUNCTIONS, *SCALAR_FUNCTIONS} - {"math.fpowi"})
HEX = "4094000000000000"  # the number by which the functions of the library here multiply


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A device library whose functions all multiply."""
    functions = []
    for name in NAMES:
        more = ", double %y" if name in OF_TWO else ""
        functions.append(
            f"define double @__nv_{IN_LIBRARY.get(name, name)}(double %x{more}) {{\n"
            f"  %p = fmul double %x, 0x{HEX}\n  ret double %p\n}}\n"
        )
    path = tmp_path / "libdevice.10.bc"
    target = CodegenTarget(TRIPLE, "sm_90a", "+ptx80")
    path.write_bytes(default_toolchain().run_llvm_passes("".join(functions).encode(), target, "no-op-module"))
    monkeypatch.setattr(libdevice, "find_libdevice", lambda: path)
    return path


def called(name: str, type_: str = "f64") -> tuple[str, str]:
    """Arguments and body of a kernel that calls a function."""
    pointer = f"!fly.ptr<{type_}, global>"
    count = 2 if name in OF_TWO else 1
    operands, types = (", ".join([word] * count) for word in ("%x", type_))
    body = f'%x = fly.ptr.load(%p) : ({pointer}) -> {type_}\n%v = "math.{name}"({operands}) : ({types}) -> {type_}'
    return f"%p: {pointer}", f"{body}\nfly.ptr.store(%v, %p) : ({type_}, {pointer}) -> ()"


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("name", NAMES)
def test_functions_are_linked(kernel: Callable[..., str], ptx: Callable[..., str], name: str) -> None:
    text = ptx(kernel(*called(name)))
    assert ".extern" not in text
    assert HEX in text.replace("0d", "")  # the factor: what is linked is in the code


def test_without_a_library_the_error_names_what_is_called(
    kernel: Callable[..., str], ptx: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libdevice, "find_libdevice", lambda: None)
    with pytest.raises(ToolchainMissingError, match=r"libdevice \(__nv_exp\), which is not installed: pip install"):
        ptx(kernel(*called("exp")))


def test_a_library_that_others_can_exchange_is_not_used(
    library: Path, kernel: Callable[..., str], ptx: Callable[..., str]
) -> None:
    library.chmod(0o666)
    with pytest.raises(ToolchainMissingError, match="the one found is not used"):
        ptx(kernel(*called("exp")))


def test_other_modules_are_not_linked() -> None:
    assert calls_libdevice("llvm.call @__nv_exp(%0)")
    assert not calls_libdevice("llvm.call @other(%0)")
