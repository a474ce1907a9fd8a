"""The target-neutral part of every backend's pipeline, as pass names in order, and passes that some add."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from flydsl.base.namespace import lazy_names

if TYPE_CHECKING:  # loaded when they are asked for
    from flydsl.passes.convert_fly_ktrace import ConvertFlyKtrace

__all__ = [
    "FLY_PIPELINE",
    "ConvertFlyKtrace",
    "with_options",
]

__getattr__ = lazy_names(
    __name__,
    {
        "ConvertFlyKtrace": "flydsl.passes.convert_fly_ktrace",
    },
)

FLY_PIPELINE: tuple[str, ...] = (
    "fly-rewrite-func-signature",
    "fly-canonicalize{share=true}",
    "fly-layout-lowering{exact=true}",
    "fly-int-swizzle-simplify",
    "canonicalize",
    "fly-convert-atom-call-to-ssa-form{share=true}",
    "fly-promote-regmem-to-vectorssa",
)
"""What a pipeline begins with: then layouts, views and tensors are gone."""


def with_options(name: str, options: Mapping[str, object]) -> str:
    """The pass `name` in a pipeline's text, with those of its options that are not 0 or empty: `name{key=value}`."""
    stated = " ".join(f"{key}={value}" for key, value in options.items() if value)
    return f"{name}{{{stated}}}" if stated else name
