"""PTX that `ptxas` assembles right, in the place of what it does not.

Seen on an H200 with `ptxas` 13.0.88 and the assembler of driver 580.159:

* `neg.s16` and `abs.s16` of -32768, and `sub.s16` of it from 0, give 32768 where the result is widened, as if they
  could not overflow.
* A packed operation with a constant of which one half is used may get the constant's other half, or 0.
* `st.b8` and other stores of the low bits of a register that floating-point arithmetic wrote store the number rounded
  to an integer: LLVM writes them for `x.bitcast(fx.Int32).to(fx.Uint8)`. A copy of the register has no such type.
"""

from __future__ import annotations

import re

_REGISTER = r"(%\w+)"
_NEGATED = re.compile(rf"^(\s*)(?:neg\.s16\s+{_REGISTER},|sub\.s16\s+{_REGISTER}, 0,) {_REGISTER};", re.MULTILINE)
_ABSOLUTE = re.compile(rf"^(\s*)abs\.s16\s+{_REGISTER}, {_REGISTER};", re.MULTILINE)
_PACKED = re.compile(rf"^(\s*)(add|min|max)\.([su])16x2\s+{_REGISTER}, {_REGISTER}, {_REGISTER};", re.MULTILINE)
"""As LLVM writes them: one at the beginning of a line, under no predicate."""
_NARROW_STORE = re.compile(
    r"^(\s*)(st(?:\.\w+(?:::\w+)*)*\.[bsu](8|16|32)\s+\[[^\]]*\]), (%(r|rs|rd)\d+);", re.MULTILINE
)
_FLOAT = re.compile(r"^.*\.(?:bf16|f16|f32|f64|bf16x2|f16x2)\b.*$", re.MULTILINE)
_NAMED = re.compile(r"%(?:r|rs|rd)\d+\b")
_BITS = {"rs": 16, "r": 32, "rd": 64}
"""The widths of registers by the names that LLVM gives them."""
_HALVES = (
    "{{ .reg .b16 %low<3>, %high<3>; mov.b32 {{%low1, %high1}}, {a}; mov.b32 {{%low2, %high2}}, {b}; "
    "{name}16 %low0, %low1, %low2; {name}16 %high0, %high1, %high2; mov.b32 {result}, {{%low0, %high0}}; }}"
)


def without_defects(ptx: str) -> str:
    """The same program by instructions that are assembled as the PTX manual says."""
    ptx = _NEGATED.sub(lambda found: found[1] + _negated(found[2] or found[3], found[4]), ptx)
    ptx = _ABSOLUTE.sub(lambda found: found[1] + _absolute(found[2], found[3]), ptx)
    ptx = _PACKED.sub(lambda found: found[1] + _by_halves(f"{found[2]}.{found[3]}", *found.group(4, 5, 6)), ptx)
    if not _NARROW_STORE.search(ptx):
        return ptx
    floats = {name for line in _FLOAT.findall(ptx) for name in _NAMED.findall(line)}
    return _NARROW_STORE.sub(lambda found: _copied(found, floats), ptx)


def _copied(found: re.Match[str], floats: set[str]) -> str:
    """A store of a copy of the register, if it may have been written by floating-point arithmetic."""
    indent, store, size, register, kind = found.groups()
    bits = _BITS[kind]
    if int(size) >= bits or register not in floats:
        return found[0]
    return f"{indent}{{ .reg .b{bits} %copy; mov.b{bits} %copy, {register}; {store}, %copy; }}"


def _negated(result: str, value: str) -> str:
    return f"not.b16 {result}, {value}; add.s16 {result}, {result}, 1;"


def _absolute(result: str, value: str) -> str:
    return f"{{ .reg .b16 %negated; {_negated('%negated', value)} max.s16 {result}, {value}, %negated; }}"


def _by_halves(name: str, result: str, a: str, b: str) -> str:
    return _HALVES.format(name=name, result=result, a=a, b=b)
