"""A scalar instruction on floats and a wave in, the scalar or scc that it leaves out.

They do what the vector instructions do, once; halves leave zeros above.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .floats import F16, F32
from .numbers import COMPARISONS, FORMATS, flushed, order
from .vectors import FLOATS

if TYPE_CHECKING:
    from .instruction import Instruction
    from .machine import Expected, Wave

SCALAR_FLOATS: dict[str, str] = {}
"""Letters of the operands; an O at the end is the destination before."""
for _letter, _name in (("f", "f32"), ("h", "f16")):
    for _word in ("add", "sub", "mul", "min", "max", "min_num", "max_num", "minimum", "maximum"):
        SCALAR_FLOATS[f"s_{_word}_{_name}"] = 2 * _letter
    for _word in ("ceil", "floor", "trunc", "rndne"):
        SCALAR_FLOATS[f"s_{_word}_{_name}"] = _letter
    for _word in COMPARISONS:
        SCALAR_FLOATS[f"s_cmp_{_word}_{_name}"] = 2 * _letter
    SCALAR_FLOATS[f"s_fmac_{_name}"] = 2 * _letter + "O"
SCALAR_FLOATS |= {
    "s_fmaak_f32": "ffL", "s_fmamk_f32": "fLf", "s_cvt_f32_i32": "u", "s_cvt_f32_u32": "u", "s_cvt_i32_f32": "f",
    "s_cvt_u32_f32": "f", "s_cvt_f16_f32": "f", "s_cvt_f32_f16": "h", "s_cvt_hi_f32_f16": "H",
    "s_cvt_pk_rtz_f16_f32": "ff",
}  # fmt: skip
for _word in ("exp", "log", "rcp", "rsq", "sqrt"):
    SCALAR_FLOATS |= {f"v_s_{_word}_f32": "f", f"v_s_{_word}_f16": "h"}
_VECTOR = {"s_cvt_pk_rtz_f16_f32": "v_cvt_pkrtz_f16_f32", "s_cvt_hi_f32_f16": "v_cvt_f32_f16"}


def scalar_float(wave: Wave, i: Instruction, made: Expected) -> None:
    letters = SCALAR_FLOATS[i.name]
    values = [source(wave, i, k, letter) for k, letter in enumerate(letters)]
    first = "h" if letters[0] in "hH" else "f"
    form = FORMATS[first]
    if letters[0] != "u":
        keeps = wave.mode_of(first).inputs
        values = [int(str(flushed(form, value, keeps))) for value in values]
    if "_cmp_" in i.name:
        made.scalars["scc"] = int(COMPARISONS[i.name.split("_")[2]](order(form, *values)))
        return
    result, function = function_of(i.name)
    rules = wave.mode_of("h" if result == "h" else first)
    value = function(rules, *values)
    if result in "fh" and "_m" not in i.name.replace("_mul", ""):  # minima and maxima: see machine.py
        value = flushed(FORMATS[result], value, wave.mode_of(result).results)
    made.letter = result
    made.scalars["sdst"] = value & 0xFFFFFFFF if isinstance(value, int) else value


def function_of(name: str) -> tuple[str, Callable[..., object]]:
    if "fma" in name:
        form, letter = (F16, "h") if name.endswith("f16") else (F32, "f")
        return letter, lambda m, a, b, c: form.fma(a, b, c, m.rounding)
    result, _, function = FLOATS[_VECTOR.get(name, "v_" + name.removeprefix("v_").removeprefix("s_"))]
    return result, function


def source(wave: Wave, i: Instruction, k: int, letter: str) -> int:
    if letter == "O":
        value = wave.read(i.targets[0])
        return value & 0xFFFF if i.name.endswith("f16") else value
    operand = i.sources[k]
    if letter == "L" or "0x" in operand.text:
        return operand.index if letter in "Lfu" else operand.index & 0xFFFF
    if operand.kind == "const":
        return wave.constant(operand, "h" if letter in "hH" else letter) & (0xFFFF if letter in "hH" else 0xFFFFFFFF)
    value = wave.read(operand)
    return value >> 16 if letter == "H" else value & 0xFFFF if letter == "h" else value
