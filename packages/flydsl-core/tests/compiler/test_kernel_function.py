"""`CompilationContext` by the path of other kernels."""

from __future__ import annotations

from flydsl.compiler import ambient_hints
from flydsl.compiler.kernel_function import CompilationContext


def test_hints_are_those_of_the_block() -> None:
    with CompilationContext.compile_hints({"opt_level": 0}):
        assert CompilationContext.get_compile_hints() == dict(ambient_hints.ambient_hints()) == {"opt_level": 0}
    assert CompilationContext.get_current() is None
