"""The promises, each with a regular rule that takes it out of LLVM IR, or what replaces the code that relies on it.

The names are those of the table in `docs/explanation/promises.md`, where they are explained.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from secrets import token_hex
from typing import Any
from unittest import mock

from support.promises.toolchain import edited

_PIPELINES = tuple(f"flydsl_{name}.pipeline.FLY_PIPELINE" for name in ("cpu", "rocm", "cuda"))
_ROCM = "flydsl_rocm.passes"


@dataclass(frozen=True, slots=True, eq=False)
class Promise:
    """`strip` takes LLVM IR without the promise from one with it; `replaced` are names of the product, with what stands
    for them, where a pass of ours acts on the promise before there is LLVM IR."""

    name: str
    strip: Callable[[str], str] | None = None
    replaced: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    backends: tuple[str, ...] = ("cpu", "rocm", "cuda")
    tolerance: float = 0.0
    """How far results may be apart, as a part of the largest: more than nothing where the promise is a permission."""

    def is_carried_by(self, texts: list[str]) -> bool:
        """Whether LLVM IR carries the promise; of one without a rule only a compilation without it tells."""
        return self.strip is not None and any(self.strip(text) != text for text in texts)


def without(promises: Sequence[Promise], backend: str, seen: list[str]) -> ExitStack:
    """What is compiled within goes without these promises; `seen` gets the LLVM IR that LLVM gets."""

    def edit(text: str) -> str:
        for promise in promises:
            text = promise.strip(text) if promise.strip else text
        seen.append(text)
        return text

    stack = ExitStack()
    stack.enter_context(edited(token_hex(8), edit))  # nothing comes from a cache
    for promise in promises:
        for name, replacement in promise.replaced.items():
            if name.startswith(f"flydsl_{backend}."):
                module, _, attribute = name.rpartition(".")
                stack.enter_context(mock.patch(name, replacement(getattr(import_module(module), attribute))))
    return stack


def _lines(pattern: str, replacement: str, where: str, text: str, *, but: str = "(?!)") -> str:
    """`text` with the pattern replaced in the lines in which `where` is found, and `but` is not."""
    lines = text.split("\n")
    found = (
        re.sub(pattern, replacement, line) if re.search(where, line) and not re.search(but, line) else line
        for line in lines
    )
    return "\n".join(found)


def _rule(pattern: str, replacement: str = "", where: str = "^  ", but: str = "(?!)") -> Callable[[str], str]:
    """A rule for the lines of instructions, unless `where` says otherwise; texts of assembly have none of this."""
    return partial(_lines, pattern, replacement, where, but=but)


def _nothing(function: Any) -> Any:
    return lambda *arguments, **options: None


def _rewrites(name: str) -> Mapping[str, Callable[[Any], Any]]:
    """No rewriting where a pass of rocm calls this function."""
    return {f"{_ROCM}.{name}": _nothing}


def _passes(changed: Mapping[str, str]) -> Mapping[str, Callable[[Any], Any]]:
    """The passes of the core in each backend's pipeline, with others in place of some; empty names are no passes."""
    return dict.fromkeys(_PIPELINES, lambda names: tuple(filter(None, (changed.get(name, name) for name in names))))


def _block_size(text: str) -> str:
    text = re.sub(r'"amdgpu-flat-work-group-size"="[\d,]+"', '"amdgpu-flat-work-group-size"="1,1024"', text)
    text = re.sub(r' "uniform-work-group-size"="true"| !reqd_work_group_size !\d+', "", text)
    return re.sub(r'"nvvm.reqntid"="[\d,]+"', '"nvvm.maxntid"="1024"', text)


_SIGNS = "nnan|ninf|nsz"
_PLAIN_ACCESS, _ORDERED = "^  (?:%.* = load|store) ", r"^  .*\b(?:atomicrmw|fence|atomic) "
PROMISES = (
    Promise("parallel accesses", _rule(r", !llvm\.access\.group !\d+"), backends=("cpu",)),
    Promise("loops as they are", _rule(r", !llvm\.loop !\d+")),
    Promise("arguments of a kernel", _rule(r"\b(noalias|nonnull|readonly) ", where="^define "), backends=("cpu",)),
    Promise("no signed overflow", _rule(r"\b(add|sub|mul|shl|trunc) (?:nuw |nsw )+", r"\1 ")),
    Promise("addresses within an object", _rule(r"\bgetelementptr (?:inbounds |nusw |nuw )+", "getelementptr ")),
    Promise("alignment of accesses", _rule(r", align \d+", ", align 1", _PLAIN_ACCESS, " (?:atomic|volatile) ")),
    Promise("ranges of numbers", _rule(r"\bcall (?:noundef )?range\(.*?\) ", "call ")),
    Promise("size of a block", _block_size, backends=("rocm", "cuda")),
    Promise("no NaN, infinity or sign of zero", _rule(rf"\b(?:{_SIGNS}) ")),
    Promise("contraction", _rule(r"\bcontract "), tolerance=1e-5),
    Promise("values that nobody reads", _rule(r"\b(?:undef|poison)\b(?!\()", "zeroinitializer")),
    Promise("scopes of synchronisation", _rule(r' syncscope\("[\w-]+"\)')),
    Promise("order of atomics", _rule(r" (?:monotonic|acquire|release|acq_rel)(,|$)", r" seq_cst\1", _ORDERED)),
    Promise("fences of shared memory", _rule(r", !mmra !\d+"), backends=("rocm",)),
    Promise("memory that stays or is used once", _rule(r", !(?:invariant\.load|nontemporal) !\d+")),
    Promise("assembly without effects", _rule(r" asm (?!sideeffect)", " asm sideeffect "), backends=("rocm", "cuda")),
    Promise("indices of layouts fit", replaced=_passes({"fly-layout-lowering{exact=true}": "fly-layout-lowering"})),
    Promise("bounds of a grid", replaced=_rewrites("kernel_attributes.set_block_bounds"), backends=("rocm",)),
    Promise("offsets of 32 bits", replaced=_rewrites("split_addresses.split_addresses"), backends=("rocm",)),
    Promise(
        "full waves",
        replaced=_rewrites("reduce_in_waves.reduce_in_waves"),
        backends=("rocm",),
        tolerance=1e-5,
    ),
    Promise(
        "barriers with nothing to show",
        replaced=_rewrites("relax_barriers.relax_barriers"),
        backends=("rocm",),
    ),
)
