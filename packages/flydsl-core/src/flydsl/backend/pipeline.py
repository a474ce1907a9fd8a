"""The target-neutral part of every backend's pipeline, as pass names in order."""

from __future__ import annotations

FLY_PIPELINE: tuple[str, ...] = (
    "fly-rewrite-func-signature",
    "fly-canonicalize{share=true}",
    "fly-layout-lowering{exact=true}",
    "fly-int-swizzle-simplify",
    "canonicalize",
    "fly-convert-atom-call-to-ssa-form{share=true}",
    "fly-promote-regmem-to-vectorssa",
)
