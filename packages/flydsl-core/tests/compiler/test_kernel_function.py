"""`CompilationContext` by the path of other kernels."""

from __future__ import annotations

import pytest

from flydsl.base.errors import FrontendError
from flydsl.compiler.kernel_function import CompilationContext
from flydsl.compiler.modes import ambient_hints


def test_hints_are_those_of_the_block() -> None:
    with CompilationContext.compile_hints({"opt_level": 0}):
        assert CompilationContext.get_compile_hints() == dict(ambient_hints.ambient_hints()) == {"opt_level": 0}
    assert CompilationContext.get_current() is None


def test_bitcode_is_linked_with_its_functions() -> None:
    with pytest.raises(FrontendError, match=r"add_link_lib\('a.bc'\): .* link_extern"):
        CompilationContext.create().add_link_lib("a.bc")
