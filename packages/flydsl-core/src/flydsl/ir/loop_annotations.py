"""What a loop tells LLVM of itself: attributes of `scf.for` and `scf.while`.

MLIR's `convert-scf-to-cf` moves an attribute of LLVM's dialect to the branch back, of which the translation makes
`!llvm.loop` metadata. Code generators hand it on where another compiler follows them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Self

from xdsl.ir import Attribute, Operation

from flydsl.ir.fly.base import FlyAttribute
from flydsl.ir.fly.reader import Reader

LOOP_ANNOTATION = "loop_annotation"
"""The attribute's name, on structured loops and on branches."""
_ALIAS = re.compile(r"#\w+(?![\w.])")


@dataclass(frozen=True, eq=False, repr=False)
class LoopAnnotationAttr(FlyAttribute):
    """`#llvm.loop_annotation<unroll = <disable = true>>`: text that MLIR reads and checks."""

    name: ClassVar[str] = "llvm.loop_annotation"
    parts: str

    def body(self) -> str:
        return self.parts

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(_ALIAS.sub(lambda match: _aliased(match, reader.source), reader.balanced()))


def _aliased(alias: re.Match[str], source: str) -> str:
    """What an alias inside of the text stands for: the text goes where it is not defined."""
    found = re.search(rf"^{alias.group()} = (.+)$", source, re.MULTILINE)
    return found.group(1) if found else alias.group()


@cache
def unrolling(times: int) -> LoopAnnotationAttr:
    """The annotation of a loop of which LLVM makes `times` iterations at a time, and no others; 1 keeps it as it is."""
    text = "disable = true" if times == 1 else f"count = {times} : i32"
    return LoopAnnotationAttr(f"unroll = <{text}>")


def annotation_of(op: Operation) -> dict[str, Attribute]:
    """The annotation of a loop, for one that takes its place or for its branch back; empty if it has none."""
    found = op.attributes.get(LOOP_ANNOTATION)
    return {} if found is None else {LOOP_ANNOTATION: found}
