"""The state of one wave and an instruction in, what must be in its registers afterwards out, lane by lane."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .chips import Chip, chip_named
from .contents import LDS_BYTES, SCRATCH_BYTES
from .cross_lane import LANE_MOVES
from .exchange import EXCHANGES
from .floats import ANY_NAN, F16, F32, F64, NAN, Float
from .instruction import Instruction, Operand
from .integers import mixed_dot, signed, table
from .local_memory import local
from .memory import global_access
from .numbers import FORMATS, Mode, Near, flushed
from .operands import MOVED, Half, cut, dpp_source, halves, mixed, placed_sdwa, words
from .renamed import gfx9_name
from .scalar_floats import SCALAR_FLOATS, scalar_float
from .scalars import COMPARES, CONSTANTS, OLD, SAVES, SCALARS
from .vectors import WIDE, entry

M16, M32, M64 = 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
WITHOUT_MODE = ("v_cvt_pk_bf16_f32",)
"""LLVM's instruction tables say of these that they do not read MODE."""
SELECTS = re.compile("_(min|max|med3)")
"""RDNA's guides: of these the mode of input denormals decides alone."""


@dataclass(slots=True)
class Expected:
    """Per lane: what the destination's words are, absent where they stay; and scalars that change.

    `second` is for instructions with two vector destinations.
    """

    letter: str = "u"
    lanes: dict[int, Any] = field(default_factory=dict)
    scalars: dict[str, Any] = field(default_factory=dict)  # vcc, exec, scc, sdst
    second: Expected | None = None


@dataclass(slots=True)
class Wave:
    """Registers as whole numbers: v[register][lane], s[register]; memory begins at the address `base`."""

    v: list[list[int]]
    s: list[int]
    vcc: int = 0
    exec: int = M64
    scc: int = 0
    mode: int = 0xF0
    ieee: bool = True
    clamps_nan: bool = True
    chip: Chip = chip_named("gfx942")
    m0: int = 0
    base: int = 0
    memory: bytearray = field(default_factory=bytearray)
    lds: bytearray = field(default_factory=lambda: bytearray(LDS_BYTES))
    scratch: list[bytearray] = field(default_factory=lambda: [bytearray(SCRATCH_BYTES) for _ in range(64)])

    def step(self, i: Instruction) -> Expected:
        if i.before:
            self._prepare(i.before)
        match i.form:
            case "scalar":
                return self._scalar(i)
            case "lanes":
                return LANE_MOVES[i.name](self, i)
            case "lds":
                return local(self, i)
            case "memory":
                return global_access(self, i)
            case "exchange":
                return EXCHANGES[i.name](self, i)
        made = self._vector(i)
        if i.second:
            made.second = self._vector(i.second)
        return made

    def _prepare(self, before: str) -> None:
        """`s_mov_b32 m0, 16` or `s_mov_b64 exec, -1`."""
        target, value = before.split(None, 1)[1].split(", ")
        if target == "m0":
            self.m0 = int(value, 0)
        else:
            self.exec = self.full

    def mode_of(self, letter: str) -> Mode:
        half = letter in "dhp"
        denormals = self.mode >> (6 if half else 4) & 3
        return Mode(
            self.mode >> (2 if half else 0) & 3, bool(denormals & 1), bool(denormals & 2), self.ieee, self.clamps_nan,
            self.chip,
        )  # fmt: skip

    # ---- scalar ----
    def read(self, operand: Operand, count: int = 1) -> int:
        if operand.kind == "const":
            code = F64.converted(operand.index, F32) if "." in operand.text else operand.index
            return int(code) & (M64 if count == 2 else M32)
        if operand.kind in ("vcc", "exec"):
            value: int = getattr(self, operand.kind)
            return value if count == 2 else value & M32
        return sum(self.s[operand.index + k] << 32 * k for k in range(count))

    def mask(self, operand: Operand) -> int:
        """A lane mask."""
        return self.read(operand, self.chip.mask_words)

    def _scalar(self, i: Instruction) -> Expected:
        made = Expected()
        name = i.name
        if name in COMPARES:
            widths, holds = COMPARES[name]
            made.scalars["scc"] = int(holds(*(self.read(o, n) for o, n in zip(i.sources, widths, strict=True))))
        elif "exec_b" in name:
            self._save(i, made)
        elif name in SCALAR_FLOATS:
            scalar_float(self, i, made)
        elif gfx9_name(name) in CONSTANTS:
            self._constant(i, made)
        elif name in OLD:
            count, widths, function = OLD[name]
            old = self.read(i.targets[0], count)
            made.scalars[self._name(i.targets[0])] = function(self.read(i.sources[0], widths[0]), old, self.scc)[0]
        else:
            _, widths, function = SCALARS[gfx9_name(name)]
            values = [self.read(o, n) for o, n in zip(i.sources, widths, strict=True)]
            value, scc = function(*values, self.scc)
            made.scalars[self._name(i.targets[0])] = value
            if scc is not None:
                made.scalars["scc"] = int(bool(scc))
        return made

    def _constant(self, i: Instruction, made: Expected) -> None:
        """With a constant of 16 bits; what is compared is a source."""
        register = (i.targets or i.sources)[0]
        value, scc = CONSTANTS[gfx9_name(i.name)](self.read(register), signed(i.sources[-1].index, 16), self.scc)
        if value is not None:
            name = self._name(register)
            low = int(value) & M32
            made.scalars[name] = low if name == "sdst" else self.vcc & M32 << 32 | low
        if scc is not None:
            made.scalars["scc"] = int(bool(scc))

    def _save(self, i: Instruction, made: Expected) -> None:
        """s_*_saveexec: the old mask to the destination; s_*_wrexec: the new one."""
        mask = SAVES[gfx9_name(i.name).split("_")[1]](self.mask(i.sources[0]), self.exec) & self.full
        saved = mask if "wrexec" in i.name else self.exec
        made.scalars |= {"exec": mask, "scc": int(mask != 0)}
        self.write_mask(made, i.targets[0], saved)

    @property
    def full(self) -> int:
        return (1 << self.chip.lanes) - 1

    def write_mask(self, made: Expected, target: Operand, mask: int) -> None:
        name = self._name(target)
        made.scalars[name] = self.vcc & M32 << 32 | mask if name == "vcc" and self.chip.lanes == 32 else mask

    @staticmethod
    def _name(target: Operand) -> str:
        return target.kind if target.kind in ("vcc", "exec") else "sdst"

    # ---- vector ----
    def _vector(self, i: Instruction) -> Expected:
        result, letters, function, is_float = entry(i.name, i.clamp, self.chip)
        function = _modified(i, function)
        written = self._written_lanes(i)
        made, mask = Expected(result[0]), 0
        for lane in range(self.chip.lanes):
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
        if "cmpx" in i.name:
            made.scalars["exec"] = mask
        if "M" in result and i.targets and (self.chip.generation == 9 or "cmpx" not in i.name):
            self.write_mask(made, i.targets[-1], mask)
        return made

    def _computed(
        self, i: Instruction, function: Callable[..., Any], letters: str, values: list[int], result: str
    ) -> Any:
        if "_class_" not in i.name and i.name not in WITHOUT_MODE:
            own = [result[0] if letter in "OL" else letter for letter in letters]
            values = [self._kept(letter, v) for letter, v in zip(own, values, strict=True)]
        wide = letters[0] if letters[0] in "fdhpPx" else result
        rules = self.mode_of("h" if result in "hp" and wide == "f" else "f" if result == "f" and wide == "d" else wide)
        value = function(rules, *values)
        if letters[0] == "x" and result in "h^":
            value = (
                value
                if value is NAN
                else F32.converted(flushed(F32, value, rules.results), F16, self.mode_of("h").rounding)
            )
        if isinstance(value, tuple):
            return self._finished(i, value[0], result), value[1]
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
        if "bf16" in i.name or value is None or isinstance(value, Near):
            return value
        scales = i.omod and not rules.ieee and not rules.results and value not in (NAN, ANY_NAN)
        if scales:
            value = form.mul(value, (form.one + ([0, 1, 2, -1][i.omod] << form.mantissa_bits)), rules.rounding)
        value = flushed(form, value, rules.results or (not scales and self._selects(i)))
        if scales and isinstance(value, int) and form.is_zero(value):
            value = 0  # the ISA guides: -0 is flushed to +0
        if not i.clamp:
            return value
        if value in (NAN, ANY_NAN) or form.is_nan(value):
            return 0 if rules.clamps_nan else ANY_NAN
        return 0 if value & form.sign else min(value, form.one)

    def _selects(self, i: Instruction) -> bool:
        return self.chip.generation > 9 and SELECTS.search(i.name) is not None

    def _source(self, i: Instruction, k: int, letter: str, lane: int) -> int:
        if letter == "c":
            operand = i.sources[k] if k < len(i.sources) else Operand("vcc")
            return self.mask(operand) >> lane & 1
        if letter == "O":
            return self._old(i, lane)
        if letter == "V":
            return self.mask(Operand("vcc")) >> lane & 1
        if letter == "L":
            return i.sources[k].index
        operand = i.sources[k]
        value = self._raw(operand, letter, self._lane_of(i, lane) if k == 0 else lane)
        value >>= 8 * int(i.fields.get("byte_sel", 0))
        if i.form == "sdwa":
            value = cut(value, str(i.fields[f"src{k}_sel"]), operand.extended)
        if letter in "ip":
            return halves(i, k, value)
        if letter == "P":
            return words(i, k, value)
        if letter == "x":
            return mixed(i, k, value, operand)
        bits = {"f": 32, "u": 32, "h": 16, "w": 16}.get(letter, 64)
        if bits == 16:
            half = i.selectors.get("op_sel", (0,) * 4)[k] if operand.half is None else operand.half
            value = value >> 16 * half & M16
        sign = 1 << bits - 1
        value = value & ~sign if operand.absolute else value
        return value ^ sign if operand.negative else value

    def _old(self, i: Instruction, lane: int) -> int:
        """The destination before."""
        target = i.targets[0]
        value = sum(self.v[target.index + k][lane] << 32 * k for k in range(target.count))
        return value >> 16 * target.half & M16 if target.half is not None else value

    def _raw(self, operand: Operand, letter: str, lane: int | None) -> int:
        wide = letter in WIDE
        if operand.kind != "v":
            return self.constant(operand, letter) if operand.kind == "const" else self.read(operand, 1 + wide)
        if lane is None:
            return 0
        return sum(self.v[operand.index + k][lane] << 32 * k for k in range(max(operand.count, 1 + wide)))

    @staticmethod
    def constant(operand: Operand, letter: str) -> int:
        """An integer is sign-extended; a float has the width of the operand; a double's literal is its upper half."""
        if "0x" in operand.text:
            return operand.index << 32 if letter == "d" else operand.index
        if "." not in operand.text:
            return operand.index & (M64 if letter in WIDE else M32)
        form = F64 if letter in "dq" else F16 if letter in "hwpi" else F32
        code = F64.converted(operand.index, form)
        return int(code)

    # ---- DPP ----
    def _lane_of(self, i: Instruction, lane: int) -> int | None:
        if i.form not in MOVED:
            return lane
        source = dpp_source(str(i.fields["control"]), lane)
        if source is None or source >= self.chip.lanes:
            return None
        return source if self.exec >> source & 1 or "fi" in i.fields else None

    def _written_lanes(self, i: Instruction) -> int:
        if i.form not in ("dpp", "e64_dpp"):
            return self.exec
        mask = 0
        for lane in range(self.chip.lanes):
            chosen = int(i.fields["row_mask"]) >> lane // 16 & 1 and int(i.fields["bank_mask"]) >> lane % 16 // 4 & 1
            if chosen and ("bound_ctrl" in i.fields or self._lane_of(i, lane) is not None):
                mask |= 1 << lane
        return mask & self.exec

    # ---- results ----
    def _placed(self, i: Instruction, result: str, value: Any, lane: int) -> Any:
        """Bits of the destination's words, or a Half among other bits."""
        letter, target = result[0], i.targets[0]
        old = self.v[target.index][lane]
        if i.form == "sdwa" and i.fields["dst_sel"] != "DWORD":
            return placed_sdwa(i, value, old)
        if letter in "hw":
            high = "^" in result or (i.form == "e64" and i.selectors.get("op_sel", (0,))[-1] == 1) or target.half == 1
            keeps = high or "!" in result or self.chip.generation > 9
            return Half(value, 16 if high else 0, (old & (M16 if high else M16 << 16)) if keeps else 0)
        return value & (1 << 32 * target.count) - 1 if isinstance(value, int) else value


def _modified(i: Instruction, function: Callable[..., Any]) -> Callable[..., Any]:
    """Where a modifier says what is computed."""
    if "bitop3" in i.fields:
        truth = int(str(i.fields["bitop3"]), 0)
        return lambda a, b, c: table(a, b, c, truth)
    if "_i32_iu" in i.name:
        width, signs = int(i.name[-1]), i.selectors["neg_lo"]
        return lambda a, b, c: mixed_dot(a, b, c, width, signs, i.clamp)
    return function
