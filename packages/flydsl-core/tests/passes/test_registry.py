"""Passes are found by the name they are typed with."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.base.errors import SettingError
from flydsl.passes.pipeline_text import PassSpec
from flydsl.passes.registry import PASSES, create, run
from flydsl.plugins.compile_backend import pass_name


@pytest.mark.parametrize("name", sorted(PASSES))
def test_every_pass_has_the_name_it_is_registered_under(name: str) -> None:
    assert create(PassSpec(name)).name == name


def test_the_default_pipeline_is_registered() -> None:
    assert set(map(pass_name, FLY_PIPELINE)) <= set(PASSES)


def test_an_unknown_pass_lists_the_known_ones() -> None:
    known = r"known passes: canonicalize, convert-fly-ktrace, cse"
    with pytest.raises(SettingError, match=f"no pass is named 'fly-nothing'; {known}"):
        run(ModuleOp([]), "fly-nothing")


def test_an_option_a_pass_does_not_take_is_an_error() -> None:
    with pytest.raises(SettingError, match="does not take"):
        run(ModuleOp([]), "cse{deep=1}")


def test_a_nested_pipeline_is_for_the_toolchain() -> None:
    with pytest.raises(SettingError, match=r"anchored on 'gpu"):
        run(ModuleOp([]), "gpu.module(cse)")


def test_passes_of_a_backend_are_found_by_name() -> None:
    run(ModuleOp([]), ["acme", "cse"], extra={"acme": "flydsl.passes.canonicalize:CommonSubexpressions"})
