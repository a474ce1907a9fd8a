"""Platforms have the names that JAX spells exactly so."""

from __future__ import annotations

import pytest

from flydsl.jax import native
from flydsl.jax.platforms import CALL, CALL_NOGRAPH, Platform, _Names


def test_names_are_those_of_each_part_of_jax() -> None:
    assert [(p.registered, p.lowering, p.backend) for p in Platform] == [
        ("cpu", "cpu", "cpu"),
        ("ROCM", "rocm", "rocm"),
        ("CUDA", "cuda", "cuda"),
    ]
    assert [Platform.from_lowering(p.lowering) for p in Platform] == list(Platform)


@pytest.mark.parametrize("name", ["gpu", "ROCM", "Host", "tpu", ""])
def test_another_name_is_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(ValueError, match=f"platform {name!r} of JAX; it is one of 'cpu', 'rocm', 'cuda'"):
        Platform.from_lowering(name)


@pytest.mark.parametrize("platform", Platform)
def test_each_platform_has_a_handler_for_each_target_in_the_library(platform: Platform) -> None:
    assert [target for target, _ in platform.handlers] == [CALL, CALL_NOGRAPH]
    assert all(hasattr(native.library(), symbol) for _, symbol in platform.handlers)
    assert ("prepare" in platform.stages) == (platform is not Platform.CPU)


def test_stages_that_only_fail_when_a_kernel_runs_are_refused() -> None:
    with pytest.raises(ValueError, match=r"stages instantiate and execute, found \('instantiate', 'prepare'\)"):
        _Names(9, "x", "x", "x", (), ("instantiate", "prepare"))
