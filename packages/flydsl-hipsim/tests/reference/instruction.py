"""The parts of an instruction in, its assembly text out."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Instruction", "Operand"]


@dataclass(frozen=True, slots=True)
class Operand:
    """A register, or a constant with the bits it stands for by width; modifiers as in VOP3 and SDWA."""

    kind: str  # v, s, vcc, exec, const
    index: int = 0
    count: int = 1
    text: str = ""
    negative: bool = False
    absolute: bool = False
    extended: bool = False

    def __str__(self) -> str:
        plain = self.text or f"{self.kind}{self.index}"
        if self.kind in "vs" and self.count > 1:
            plain = f"{self.kind}[{self.index}:{self.index + self.count - 1}]"
        if self.extended:
            return f"sext({plain})"
        word = f"|{plain}|" if self.absolute else plain
        return (f"neg({word})" if self.kind == "const" else f"-{word}") if self.negative else word


@dataclass(frozen=True, slots=True)
class Instruction:
    """`name` without its encoding; `form` is e64, sdwa, dpp, packed, scalar, lanes or lds."""

    name: str
    form: str
    targets: tuple[Operand, ...]
    sources: tuple[Operand, ...]
    clamp: bool = False
    omod: int = 0
    selectors: dict[str, tuple[int, ...]] = field(default_factory=dict)  # op_sel and the like
    fields: dict[str, int | str] = field(default_factory=dict)  # of DPP, SDWA and LDS

    def __str__(self) -> str:
        suffix = {"e64": "_e64", "sdwa": "_sdwa", "dpp": "_dpp"}.get(self.form, "")
        words = [f"{self.name}{suffix} " + ", ".join(map(str, (*self.targets, *self.sources)))]
        words += [f"{name}:[{','.join(map(str, bits))}]" for name, bits in self.selectors.items()]
        words += ["clamp"] * self.clamp + ["", "mul:2", "mul:4", "div:2"][self.omod : self.omod + 1] * bool(self.omod)
        words += [str(value) if name == "control" else f"{name}:{value}" for name, value in self.fields.items()]
        return " ".join(words)
