"""The state of one wave and an instruction in, what must be in its registers afterwards out, lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .cross_lane import LANE_MOVES
from .floats import ANY_NAN, F16, F32, F64, NAN, Float
from .instruction import Instruction, Operand
from .integers import INTEGERS
from .local_memory import LOCAL
from .numbers import FLOATS, FORMATS, Mode, flushed
from .scalars import COMPARES, SAVES, SCALARS

__all__ = ["Expected", "Half", "Wave"]

LANES = 64
FULL = (1 << LANES) - 1
M16, M32, M64 = 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
WIDE = "dqP"


@dataclass(slots=True)
class Expected:
    """Per lane: what the destination's words are, None where they stay; and scalars that change."""

    letter: str = "u"
    lanes: dict[int, Any] = field(default_factory=dict)
    scalars: dict[str, int] = field(default_factory=dict)  # vcc, exec, scc, sdst


@dataclass(slots=True)
class Wave:
    """Registers as whole numbers: v[register][lane], s[register]."""

    v: list[list[int]]
    s: list[int]
    vcc: int = 0
    exec: int = FULL
    scc: int = 0
    mode: int = 0xF0
    ieee: bool = True
    clamps_nan: bool = True
    lds: bytearray = field(default_factory=lambda: bytearray(4096))

    def step(self, i: Instruction) -> Expected:
        if i.form == "scalar":
            return self._scalar(i)
        if i.form == "lanes":
            return LANE_MOVES[i.name](self, i)
        if i.form == "lds":
            return LOCAL[i.name if i.name in LOCAL else i.name.replace("_rtn", "")](self, i)
        return self._vector(i)

    def mode_of(self, letter: str) -> Mode:
        half = letter in "dhp"
        denormals = self.mode >> (6 if half else 4) & 3
        return Mode(
            self.mode >> (2 if half else 0) & 3, bool(denormals & 1), bool(denormals & 2), self.ieee, self.clamps_nan
        )

    # ---- scalar ----
    def read(self, operand: Operand, count: int = 1) -> int:
        if operand.kind == "const":
            return operand.index & (M64 if count == 2 else M32)
        if operand.kind in ("vcc", "exec"):
            value: int = getattr(self, operand.kind)
            return value if count == 2 else value & M32
        value = self.s[operand.index]
        return value | self.s[operand.index + 1] << 32 if count == 2 else value

    def _scalar(self, i: Instruction) -> Expected:
        made = Expected()
        if i.name in COMPARES:
            widths, holds = COMPARES[i.name]
            made.scalars["scc"] = int(holds(*(self.read(o, n) for o, n in zip(i.sources, widths, strict=True))))
        elif "saveexec" in i.name:
            mask = SAVES[i.name.split("_")[1]](self.read(i.sources[0], 2), self.exec) & M64
            made.scalars |= {"exec": mask, "scc": int(mask != 0), self._name(i.targets[0]): self.exec}
        else:
            _, widths, function = SCALARS[i.name]
            values = [self.read(o, n) for o, n in zip(i.sources, widths, strict=True)]
            value, scc = function(*values, self.scc)
            made.scalars[self._name(i.targets[0])] = value
            if scc is not None:
                made.scalars["scc"] = int(bool(scc))
        return made

    @staticmethod
    def _name(target: Operand) -> str:
        return target.kind if target.kind in ("vcc", "exec") else "sdst"

    # ---- vector ----
    def _vector(self, i: Instruction) -> Expected:
        name = i.name.replace("cmpx", "cmp")
        key = f"{name} clamp" if i.clamp and f"{name} clamp" in INTEGERS else name
        result, letters, function = INTEGERS.get(key) or FLOATS[key]
        is_float = key not in INTEGERS
        written = self._written_lanes(i)
        made, mask = Expected(result[0]), 0
        for lane in range(LANES):
            if not written >> lane & 1:
                continue
            values = [self._source(i, k, letter, lane) for k, letter in enumerate(letters)]
            value = self._computed(i, function, letters, values, result[0]) if is_float else function(*values)
            if isinstance(value, tuple):
                value, carry = value
                mask |= int(carry) << lane
            if result == "M":
                mask |= int(bool(value)) << lane
            else:
                made.lanes[lane] = self._placed(i, result, value, lane)
        if "M" in result:
            made.scalars[self._name(i.targets[-1])] = mask
            if "cmpx" in i.name:
                made.scalars["exec"] = mask
        return made

    def _computed(
        self, i: Instruction, function: Callable[..., Any], letters: str, values: list[int], result: str
    ) -> Any:
        if "_class_" not in i.name:
            values = [self._kept(letter, v) for letter, v in zip(letters, values, strict=True)]
        wide = letters[0] if letters[0] in "fdhpPx" else result
        rules = self.mode_of("h" if result == "h" and wide == "f" else "f" if result == "f" and wide == "d" else wide)
        value = function(rules, *values)
        if letters[0] == "x" and result in "h^":
            value = (
                value
                if value is NAN
                else F32.converted(flushed(F32, value, rules.results), F16, self.mode_of("h").rounding)
            )
        return value if result == "M" else self._finished(i, value, result)

    def _kept(self, letter: str, value: int) -> int:
        """With denormal inputs as the mode has them."""
        if letter in "fxdh":
            form = FORMATS.get(letter, F32)
            return int(str(flushed(form, value, self.mode_of(letter).inputs)))
        if letter in "pP":
            form, bits = (F16, 16) if letter == "p" else (F32, 32)
            keeps = self.mode_of(letter).inputs
            parts = [int(str(flushed(form, value >> k & (1 << bits) - 1, keeps))) for k in (0, bits)]
            return parts[0] | parts[1] << bits
        return value

    def _finished(self, i: Instruction, value: Any, result: str) -> Any:
        if isinstance(value, list):
            form = F16 if result == "p" else F32
            return [self._one(i, v, form, result) for v in value]
        return self._one(i, value, FORMATS[result], result) if result in FORMATS else value

    def _one(self, i: Instruction, value: Any, form: Float, letter: str) -> Any:
        rules = self.mode_of(letter)
        if "bf16" in i.name:
            return value
        if i.omod and not rules.ieee and not rules.results and value not in (NAN, ANY_NAN):
            value = form.mul(value, (form.one + ([0, 1, 2, -1][i.omod] << form.mantissa_bits)), rules.rounding)
        value = flushed(form, value, rules.results)
        if not i.clamp:
            return value
        if value in (NAN, ANY_NAN) or form.is_nan(value):
            return 0 if rules.clamps_nan else ANY_NAN
        return 0 if value & form.sign else min(value, form.one)

    def _source(self, i: Instruction, k: int, letter: str, lane: int) -> int:
        if letter == "c":
            operand = i.sources[k] if k < len(i.sources) else Operand("vcc")
            return self.read(operand, 2) >> lane & 1
        operand = i.sources[k]
        value = self._raw(operand, letter, self._lane_of(i, lane) if k == 0 else lane)
        if i.form == "sdwa":
            value = _cut(value, str(i.fields[f"src{k}_sel"]), operand.extended)
        if letter in "ip":
            return _halves(i, k, value)
        if letter == "P":
            return _words(i, k, value)
        if letter == "x":
            return _mixed(i, k, value, operand)
        bits = {"f": 32, "u": 32, "h": 16, "w": 16}.get(letter, 64)
        if bits == 16:
            value = value >> 16 * i.selectors.get("op_sel", (0,) * 4)[k] & M16
        sign = 1 << bits - 1
        value = value & ~sign if operand.absolute else value
        return value ^ sign if operand.negative else value

    def _raw(self, operand: Operand, letter: str, lane: int | None) -> int:
        wide = letter in WIDE
        if operand.kind != "v":
            return self.constant(operand, letter) if operand.kind == "const" else self.read(operand, 1 + wide)
        if lane is None:
            return 0
        value = self.v[operand.index][lane]
        return value | self.v[operand.index + 1][lane] << 32 if wide else value

    @staticmethod
    def constant(operand: Operand, letter: str) -> int:
        """An integer is sign-extended; a float has the width of the operand."""
        if "." not in operand.text:
            return operand.index & (M64 if letter in WIDE else M32)
        form = F64 if letter in "dq" else F16 if letter in "hwpi" else F32
        code = F64.converted(operand.index, form)
        return int(code)

    # ---- DPP ----
    def _lane_of(self, i: Instruction, lane: int) -> int | None:
        if i.form != "dpp":
            return lane
        source = dpp_source(str(i.fields["control"]), lane)
        return source if source is not None and self.exec >> source & 1 else None

    def _written_lanes(self, i: Instruction) -> int:
        if i.form != "dpp":
            return self.exec
        mask = 0
        for lane in range(LANES):
            chosen = int(i.fields["row_mask"]) >> lane // 16 & 1 and int(i.fields["bank_mask"]) >> lane % 16 // 4 & 1
            if chosen and ("bound_ctrl" in i.fields or self._lane_of(i, lane) is not None):
                mask |= 1 << lane
        return mask & self.exec

    # ---- results ----
    def _placed(self, i: Instruction, result: str, value: Any, lane: int) -> Any:
        """Bits of the destination's words, or a Half among other bits."""
        letter = result[0]
        old = self.v[i.targets[0].index][lane]
        if i.form == "sdwa" and i.fields["dst_sel"] != "DWORD":
            return _placed_sdwa(i, value, old)
        if letter in "hw":
            high = "^" in result or (i.form == "e64" and i.selectors.get("op_sel", (0,))[-1] == 1)
            keeps = high or "!" in result
            return Half(value, 16 if high else 0, (old & (M16 if high else M16 << 16)) if keeps else 0)
        return value & (M64 if letter in WIDE else M32) if isinstance(value, int) else value


@dataclass(frozen=True, slots=True)
class Half:
    """A result of 16 bits, or fewer, at a place among other bits."""

    value: Any
    shift: int
    others: int
    bits: int = 16


def _placed_sdwa(i: Instruction, value: Any, old: int) -> Any:
    """The value's low bits in a byte or a word of the destination, the rest zero, sign or as it was."""
    kind, _, place = str(i.fields["dst_sel"]).partition("_")
    bits = 8 if kind == "BYTE" else 16
    shift, field_mask = bits * int(place), (1 << bits) - 1
    rest = 0
    if i.fields["dst_unused"] == "UNUSED_PRESERVE":
        rest = old & ~(field_mask << shift)
    elif i.fields["dst_unused"] == "UNUSED_SEXT" and isinstance(value, int) and value >> bits - 1 & 1:
        rest = M32 << shift + bits & M32
    return Half(value & field_mask, shift, rest, bits) if isinstance(value, int) else Half(value, shift, rest)


def _cut(value: int, selector: str, extended: bool) -> int:
    if selector == "DWORD":
        return value
    kind, _, place = selector.partition("_")
    bits = 8 if kind == "BYTE" else 16
    part = value >> bits * int(place) & (1 << bits) - 1
    return (part - (1 << bits)) & M32 if extended and part >> bits - 1 else part


def _bit(i: Instruction, name: str, k: int, default: int = 0) -> int:
    bits = i.selectors.get(name)
    return bits[k] if bits else default


def _halves(i: Instruction, k: int, value: int) -> int:
    low = value >> 16 * _bit(i, "op_sel", k) & M16
    high = value >> 16 * _bit(i, "op_sel_hi", k, 1) & M16
    return (low ^ _bit(i, "neg_lo", k) << 15) | (high ^ _bit(i, "neg_hi", k) << 15) << 16


def _words(i: Instruction, k: int, value: int) -> int:
    low = value >> 32 * _bit(i, "op_sel", k) & M32
    high = value >> 32 * _bit(i, "op_sel_hi", k, 1) & M32
    return (low ^ _bit(i, "neg_lo", k) << 31) | (high ^ _bit(i, "neg_hi", k) << 31) << 32


def _mixed(i: Instruction, k: int, value: int, operand: Operand) -> int:
    if _bit(i, "op_sel_hi", k):
        half = value >> 16 * _bit(i, "op_sel", k) & M16
        wide = F16.converted(half, F32)
        value = int(wide) if wide is not NAN else (half & 0x8000) << 16 | 0x7FC00000
    value = value & 0x7FFFFFFF if operand.absolute else value
    return value ^ 0x80000000 if operand.negative else value


def dpp_source(control: str, lane: int) -> int | None:
    """Which lane is read; None when there is none."""
    row, place = lane // 16 * 16, lane % 16
    name, _, number = control.partition(":")
    if name == "quad_perm":
        return lane // 4 * 4 + int(number.strip("[]").split(",")[lane % 4])
    n = int(number or 0)
    match name:
        case "row_shl":
            return lane + n if place + n < 16 else None
        case "row_shr":
            return lane - n if place >= n else None
        case "row_ror":
            return row + (place - n) % 16
        case "row_newbcast":
            return row + n
        case "row_mirror":
            return row + 15 - place
        case "row_half_mirror":
            return lane // 8 * 8 + 7 - lane % 8
        case "wave_shl":
            return lane + 1 if lane < 63 else None
        case "wave_shr":
            return lane - 1 if lane else None
        case "wave_rol":
            return (lane + 1) % 64
        case "wave_ror":
            return (lane - 1) % 64
        case "row_bcast":
            return (row - 1 if n == 15 else 31) if lane > n else None
    raise ValueError(control)
