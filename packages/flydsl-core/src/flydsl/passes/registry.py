"""Passes by name, imported when one is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from flydsl.base.errors import SettingError
from flydsl.passes.pipeline_text import Nested, PassSpec, parse

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

PASSES: dict[str, str] = {
    "canonicalize": "flydsl.passes.canonicalize:Canonicalize",
    "convert-fly-ktrace": "flydsl.passes.convert_fly_ktrace:ConvertFlyKtrace",
    "cse": "flydsl.passes.canonicalize:CommonSubexpressions",
    "expand-math": "flydsl.passes.expand_math:ExpandMath",
    "fly-canonicalize": "flydsl.passes.fly_canonicalize:FlyCanonicalize",
    "fly-convert-atom-call-to-ssa-form": "flydsl.passes.fly_convert_atom_call_to_ssa_form:FlyConvertAtomCallToSSAForm",
    "fly-int-swizzle-simplify": "flydsl.passes.fly_int_swizzle_simplify:FlyIntSwizzleSimplify",
    "fly-layout-lowering": "flydsl.passes.fly_layout_lowering:FlyLayoutLowering",
    "fly-promote-regmem-to-vectorssa": "flydsl.passes.fly_promote_regmem_to_vectorssa:FlyPromoteRegMemToVectorSSA",
    "fly-rewrite-func-signature": "flydsl.passes.fly_rewrite_func_signature:FlyRewriteFuncSignature",
    "guard-divisions": "flydsl.passes.guard_divisions:GuardDivisions",
}
"""Core's passes: name -> `module:Class`. Backends add theirs through their manifest."""


def create(spec: PassSpec, extra: Mapping[str, str] | None = None) -> ModulePass:
    """The pass object of `spec`; `extra` holds a backend's passes. `SettingError` lists the known names."""
    known = {**PASSES, **(extra or {})}
    if spec.name not in known:
        raise SettingError(f"no pass is named {spec.name!r}; known passes: {', '.join(sorted(known))}")
    module_name, _, class_name = known[spec.name].partition(":")
    pass_class: type[ModulePass] = getattr(import_module(module_name), class_name)
    options = {key.replace("-", "_"): value for key, value in spec.options.items()}
    try:
        return pass_class(**options)
    except TypeError as error:
        raise SettingError(f"pass {spec.name!r} does not take the options {dict(spec.options)!r}: {error}") from None


def run(
    module: ModuleOp,
    pipeline: str | Iterable[str],
    *,
    context: Context | None = None,
    extra: Mapping[str, str] | None = None,
) -> None:
    """Run the passes of a pipeline text, or of several fragments in order, on `module`, in place."""
    if context is None:
        from flydsl.ir.context import create_context

        context = create_context()
    fragments = [pipeline] if isinstance(pipeline, str) else pipeline
    for item in (item for text in fragments for item in parse(text)):
        if isinstance(item, Nested):
            raise SettingError(f"{str(item)!r} is anchored on {item.anchor!r}; Fly passes run on builtin.module")
        create(item, extra).apply(context, module)
