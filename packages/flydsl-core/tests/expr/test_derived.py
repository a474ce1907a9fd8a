"""Compositions under one name: `fx.derived` has the objects of the language, and nothing else."""

from __future__ import annotations

import flydsl.expr as fx
from flydsl.expr import derived

NAMES = {
    "ThrCopy", "ThrMma", "gather", "make_layout_tv", "make_rmem_tensor", "make_tiled_copy", "make_tiled_copy_A",
    "make_tiled_copy_B", "make_tiled_copy_C", "make_tiled_copy_tv", "scatter",
}  # fmt: skip


def test_each_name_is_the_one_of_the_language():
    public = {name: value for name, value in vars(derived).items() if not name.startswith("_")}
    assert set(public) == NAMES
    assert [name for name, value in public.items() if getattr(fx, name) is not value] == []
