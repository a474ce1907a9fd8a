"""A matrix instruction's name in, its shape and a NumPy reference of it out, from the ISA guide's layouts.

A lane holds consecutive k of one row of A (or column of B); the results' words come in groups of four rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Shape:
    rows: int
    columns: int
    depth: int
    blocks: int
    result: str
    first: str
    second: str


def shape_of(name: str) -> Shape:
    """`v_mfma_f32_16x16x4_4b_f16` and the like; `v_mfma_f32_16x16x4f16` of gfx90a has as many blocks as lanes hold."""
    if old := re.fullmatch(r"v_mfma_(f32|f64|i32)_(\d+)x(\d+)x(\d+)(bf16|f16|f32|f64|i8)(_1k)?", name):
        rows, columns, depth = (int(old[k]) for k in (2, 3, 4))
        held = {"f32": 1, "f64": 1, "bf16": 4 if old[6] else 2}.get(old[5], 4)
        return Shape(rows, columns, depth, max(1, 64 * held // (rows * depth)), old[1], old[5], old[5])
    match = re.search(r"_(f32|f64|i32)_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_(\w+)$", name)
    assert match, name
    kinds = match[6].split("_")
    rows, columns, depth = (int(match[k]) for k in (2, 3, 4))
    return Shape(rows, columns, depth, int(match[5] or 1), match[1], kinds[0], kinds[-1])


FORMATS = {  # bits, exponent bits, mantissa bits, bias, what the codes at the edge are
    "fp8_fnuz": (8, 4, 3, 8, "zero"),
    "bf8_fnuz": (8, 5, 2, 16, "zero"),
    "fp8": (8, 4, 3, 7, "ones"),
    "bf8": (8, 5, 2, 15, "ieee"),
    "fp6": (6, 2, 3, 1, ""),
    "bf6": (6, 3, 2, 3, ""),
    "fp4": (4, 2, 1, 1, ""),
    "f16": (16, 5, 10, 15, "ieee"),
    "bf16": (16, 8, 7, 127, "ieee"),
    "f32": (32, 8, 23, 127, "ieee"),
    "xf32": (32, 8, 23, 127, "ieee"),
}


def decoded(codes: Array, kind: str) -> Array:
    """float64 numbers of codes."""
    if kind == "i8":
        return codes.astype(np.uint8).view(np.int8).astype(np.float64)
    bits, _, mantissa_bits, bias, edge = FORMATS[kind]
    codes = codes.astype(np.int64)
    if kind == "xf32":
        codes &= ~0x1FFF
    body = codes & (1 << bits - 1) - 1
    exponent, mantissa = body >> mantissa_bits, body & (1 << mantissa_bits) - 1
    top = ((1 << bits - 1) - 1) >> mantissa_bits
    size = np.where(exponent > 0, mantissa + (1 << mantissa_bits), mantissa) * 2.0 ** (
        np.maximum(exponent, 1) - bias - mantissa_bits
    )
    if edge == "ieee":
        size = np.where(exponent == top, np.where(mantissa > 0, np.nan, np.inf), size)
    value = np.where(codes >> bits - 1 & 1, -size, size)
    nan = {"zero": codes == 1 << bits - 1, "ones": body == (1 << bits - 1) - 1}.get(edge)
    return value if nan is None else np.where(nan, np.nan, value)


def operand(values: Array, rows: int, depth: int, blocks: int, run: int = 0) -> Array:
    """(lane, element) to (block, row, k): all elements of a lane follow one another, or runs of so many do."""
    each = run or values.shape[1]
    made = np.zeros((blocks, rows, depth))
    for lane in range(64):
        for number, part in enumerate(values[lane].reshape(-1, each)):
            first = (lane // (rows * blocks) + number * 64 // (rows * blocks)) * each
            made[lane // rows % blocks, lane % rows, first : first + each] = part
    return made


def sparse_operand(values: Array, index: Array, rows: int, depth: int) -> Array:
    """Two of each four k are there; two bits of the index say which one each is."""
    each = values.shape[1]
    made = np.zeros((1, rows, depth))
    for lane in range(64):
        for element in range(each):
            group = lane // rows * each // 2 + element // 2
            made[0, lane % rows, 4 * group + (int(index[lane]) >> 2 * element & 3)] = values[lane, element]
    return made


def group_scales(scales: Array, rows: int, depth: int) -> Array:
    """Exponents of lanes to factors of (row, k): a lane's number within its row is that of its 32 k."""
    made = np.zeros((1, rows, depth))
    each = depth * rows // 64
    for lane in range(64):
        made[0, lane % rows, lane // rows * each : (lane // rows + 1) * each] = 2.0 ** (int(scales[lane]) - 127)
    return made


def permuted(values: Array, cbsz: int, abid: int, blgp: int, rows: int, blocks: int, second: bool) -> Array:
    """Operands as broadcast between blocks (A) or moved between lanes (B)."""
    lanes = list(range(64))
    if not second and cbsz:
        group = 1 << cbsz
        lanes = [lane + ((block := lane // rows % blocks) // group * group + abid - block) * rows for lane in lanes]
    if second and blgp:
        moves = {1: lambda x: x % 32, 2: lambda x: x % 32 + 32, 3: lambda x: (x + 16) % 64}
        lanes = [moves.get(blgp, lambda x: x % 16 + 16 * (blgp - 4))(lane) for lane in lanes]
    return values[lanes]


def placed(matrix: Array, shape: Shape) -> Array:
    """(block, row, column) to (lane, word)."""
    words = shape.rows * shape.columns * shape.blocks // 64
    made = np.zeros((64, words))
    for lane in range(64):
        for word in range(words):
            if shape.result == "f64":
                wide = shape.columns * shape.blocks
                at = lane // shape.columns % shape.blocks, word * (64 // wide) + lane // wide, lane % shape.columns
            else:
                group = word // 4 * (64 // shape.columns) + lane // shape.columns
                at = group // (shape.rows // 4), group % (shape.rows // 4) * 4 + word % 4, lane % shape.columns
            made[lane, word] = matrix[at]
    return made
