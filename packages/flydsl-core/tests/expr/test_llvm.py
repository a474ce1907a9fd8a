"""The names of `fx.llvm`: those of the language."""

from __future__ import annotations

import flydsl.expr as fx


def test_they_are_those_of_the_language():
    assert len(fx.llvm.__all__) == 14
    assert all(getattr(fx.llvm, name) is getattr(fx, name) for name in fx.llvm.__all__)
