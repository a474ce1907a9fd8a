"""The parts of an instruction in, its assembly text out."""

from __future__ import annotations

from dataclasses import dataclass, field

_SUFFIXES = {
    "e32": "_e32", "e64": "_e64", "sdwa": "_sdwa", "dpp": "_dpp", "dpp8": "_dpp", "e64_dpp": "_e64_dpp",
    "e64_dpp8": "_e64_dpp",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operand:
    """A register, or a constant with the bits it stands for by width; modifiers as in VOP3 and SDWA."""

    kind: str  # v, s, vcc, exec, const, m0, and off for what is printed only
    index: int = 0
    count: int = 1
    text: str = ""
    negative: bool = False
    absolute: bool = False
    extended: bool = False
    half: int | None = None  # of RDNA's 16-bit operands: which half of the register

    def __str__(self) -> str:
        plain = self.text or f"{self.kind}{self.index}"
        if self.kind in "vs" and self.count > 1:
            plain = f"{self.kind}[{self.index}:{self.index + self.count - 1}]"
        if self.half is not None:
            plain += ".lh"[0] + "lh"[self.half]
        if self.extended:
            return f"sext({plain})"
        word = f"|{plain}|" if self.absolute else plain
        return (f"neg({word})" if self.kind == "const" else f"-{word}") if self.negative else word


@dataclass(frozen=True, slots=True)
class Instruction:
    """`name` without its encoding; `form` is e32, e64, sdwa, dpp, packed, scalar, lanes, lds, memory and the like.

    `before` are lines that set up what the instruction reads besides its operands; `second` the other half of a dual
    instruction.
    """

    name: str
    form: str
    targets: tuple[Operand, ...]
    sources: tuple[Operand, ...]
    clamp: bool = False
    omod: int = 0
    selectors: dict[str, tuple[int, ...]] = field(default_factory=dict)  # op_sel and the like
    fields: dict[str, int | str] = field(default_factory=dict)  # of DPP, SDWA and memory
    text: str = ""  # instead of what the parts would give
    before: str = ""
    second: Instruction | None = None

    def __str__(self) -> str:
        if self.text:
            return self.text
        words = [f"{self.name}{_SUFFIXES.get(self.form, '')} " + ", ".join(map(str, (*self.targets, *self.sources)))]
        words += [f"{name}:[{','.join(map(str, bits))}]" for name, bits in self.selectors.items()]
        words += ["clamp"] * self.clamp + ["", "mul:2", "mul:4", "div:2"][self.omod : self.omod + 1] * bool(self.omod)
        words += [_field(name, value) for name, value in self.fields.items()]
        return " ".join(words) + (f" :: {self.second}" if self.second else "")


def _field(name: str, value: int | str) -> str:
    return str(value) if name == "control" else name if value == "" else f"{name}:{value}"
