"""Every matrix atom becomes its instruction on every chip that has it, and an error on the others."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from xdsl.parser import Parser

import flydsl.layout as fl
from flydsl.base.errors import UnsupportedTargetError
from flydsl.ir.context import create_context
from flydsl.passes.registers.storage import storage_type
from flydsl_rocm.atoms.matrix_intrinsics import MFMA_BLOCKS, WMMA, Key
from flydsl_rocm.dialect import FLY_ROCDL
from flydsl_rocm.rocdl import signatures
from flydsl_rocm.target import TARGETS

Kernel = Callable[..., str]
Lower = Callable[[str], str]
Assemble = Callable[..., str]

ELEMENTS = {"fp8": "f8E4M3FN", "bf8": "f8E5M2"}


def atom_text(family: str | None, key: Key, blocks: int = 0) -> str:
    m, n, k, a, b, acc = key
    shape = f"{m}x{n}x{k}, ({ELEMENTS.get(a, a)}, {ELEMENTS.get(b, b)}) -> {acc}"
    if family is None:
        return f"!fly_rocdl.cdna3.mfma<{shape}{f', blocks = {blocks}' if blocks else ''}>"
    sign = str(acc == "i32").lower()
    return f"!fly_rocdl.{family}.wmma<{shape}, signA = {sign}, signB = false, clamp = false>"


def product(kernel: Kernel, text: str, extra: str = "") -> str:
    """c = a * b + c on one wave, each operand read through a pointer."""
    type_ = Parser(create_context([FLY_ROCDL]), text).parse_type()
    counts = [fl.size(fl.get(layout, 1)) for layout in type_.tv_layouts]
    pointers = [f"!fly.ptr<{element}, global, align<16>>" for element in type_.value_types[:3]]
    values = [
        f"vector<{count}x{storage_type(element)}>" if count > 1 else str(storage_type(element))
        for count, element in zip(counts, type_.value_types, strict=False)
    ]
    a, b, c = pointers
    return kernel(
        f"%pa: {a}, %pb: {b}, %pc: {c}",
        f"""
        %a = fly.ptr.load(%pa) : ({a}) -> {values[0]}
        %b = fly.ptr.load(%pb) : ({b}) -> {values[1]}
        %c = fly.ptr.load(%pc) : ({c}) -> {values[2]}
        %atom = fly.make_mma_atom : !fly.mma_atom<{text}>
        {extra or "%used = fly.recast_iter(%pc) : (" + c + ") -> " + c}
        %d = "fly.mma_atom_call_ssa"({"%scaled" if extra else "%atom"}, %a, %b, %c)
          : (!fly.mma_atom<{text}>, {", ".join(values)}) -> {values[2]}
        fly.ptr.store(%d, %pc) : ({values[2]}, {c}) -> ()
        """,
    )


ATOMS = [(None, key, blocks, entry) for (key, blocks), entry in MFMA_BLOCKS.items()]
ATOMS += [(family, key, 0, entry) for (family, key), entry in WMMA.items()]
RUNNABLE = [
    pytest.param(family, key, blocks, chip, id=f"{chip}-{entry.name}-{blocks}")
    for family, key, blocks, entry in ATOMS
    for chip in ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
    if entry.feature in TARGETS[chip].features
]


@pytest.mark.parametrize(("family", "key", "blocks", "chip"), RUNNABLE)
def test_atom_becomes_one_matrix_instruction(
    family: str | None, key: Key, blocks: int, chip: str, kernel: Kernel, assemble: Assemble
) -> None:
    text = assemble(product(kernel, atom_text(family, key, blocks)), chip)
    m, n, k = key[:3]
    (instruction,) = re.findall(r"\bv_s?w?m(?:fma|ma)c?_\w+", text)
    assert f"{m}x{n}x{k}" in instruction


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx1100", "gfx1201"])
def test_instruction_of_another_chip_is_an_error_that_names_chips(
    chip: str, kernel: Kernel, assemble: Assemble
) -> None:
    atom = "!fly_rocdl.cdna3.mfma<16x16x32, (f16, f16) -> f32>"
    with pytest.raises(UnsupportedTargetError, match=r"chips that have it: gfx950"):
        assemble(product(kernel, atom), chip)


def test_signs_reach_the_instruction(kernel: Kernel, assemble: Assemble) -> None:
    text = assemble(product(kernel, atom_text("gfx11", (16, 16, 16, "i8", "i8", "i32"))), "gfx1100")
    assert "neg_lo:[1,0,0]" in text


@pytest.mark.parametrize(("element", "registers"), [("f8E4M3FN", 8), ("f6E2M3FN", 6), ("f4E2M1FN", 4)])
def test_scaled_product_takes_scales_from_the_atom(
    element: str, registers: int, kernel: Kernel, assemble: Assemble
) -> None:
    atom = f"!fly_rocdl.cdna4.mfma_scale<16x16x128, ({element}, {element}) -> f32, opselA = 1, opselB = 2>"
    set_scale = f"""
        %s = arith.constant 42 : i32
        %scaled = fly.atom.set_value(%atom, %s) {{field = "scale_a"}}
          : (!fly.mma_atom<{atom}>, i32) -> !fly.mma_atom<{atom}>
    """
    text = assemble(product(kernel, atom, set_scale), "gfx950")
    line = next(line for line in text.splitlines() if "v_mfma_scale_f32_16x16x128" in line)
    first, last = re.findall(r"v\[(\d+):(\d+)\]", line)[0]
    operands = re.findall(r"[av]\[(\d+):(\d+)\]", line)
    assert int(operands[1][1]) - int(operands[1][0]) + 1 == registers, (first, last)


WMMA_SCALE = "!fly_rocdl.gfx1250.wmma_scale<{}, opselA = 1, opselB = 0, modC = 2, reuseA = true, reuseB = false, {}>"


def set_scales(atom: str, value: str) -> str:
    type_ = f"!fly.mma_atom<{atom}>"
    return f"""
        %s = arith.constant {value}
        %one = fly.atom.set_value(%atom, %s) {{field = "scale_a"}} : ({type_}, {value.partition(": ")[2]}) -> {type_}
        %scaled = fly.atom.set_value(%one, %s) {{field = "scale_b"}} : ({type_}, {value.partition(": ")[2]}) -> {type_}
    """


@pytest.mark.parametrize(
    ("types", "block", "value", "name", "formats"),
    [
        (
            "16x16x128, (f8E5M2, f4E2M1FN) -> f32",
            32,
            "42 : i32",
            "scale.f32.16x16x128.f8f6f4",
            ["fmtA = 1", "fmtB = 4"],
        ),
        ("16x16x128, (f6E3M2FN, f6E2M3FN) -> f32", 16, "42 : i64", "scale16.f32.16x16x128.f8f6f4", ["fmtA = 3"]),
        ("32x16x128, (f4E2M1FN, f4E2M1FN) -> f32", 32, "dense<1> : vector<4xi8>", "scale.f32.32x16x128.f4", []),
        ("32x16x128, (f4E2M1FN, f4E2M1FN) -> f32", 16, "dense<1> : vector<2xi32>", "scale16.f32.32x16x128.f4", []),
    ],
)
def test_scaled_wmma_names_its_formats_scales_and_modifiers(
    types: str, block: int, value: str, name: str, formats: list[str], kernel: Kernel, lower: Lower, assemble: Assemble
) -> None:
    atom = WMMA_SCALE.format(types, f"blockSize = {block}")
    module = product(kernel, atom, set_scales(atom, value))
    (line,) = [line for line in lower(module).splitlines() if "rocdl.wmma" in line]
    assert f'"rocdl.wmma.{name}"' in line
    for part in (*formats, "modC = 2 : i16", "reuseA = true", "scaleAType = 1 : i32", "scaleBType = 0 : i32"):
        assert part in line
    assert ("fmtB" in line) == bool(formats)
    assert "reuseB" not in line
    instruction = next(line for line in assemble(module, "gfx1250").splitlines() if "v_wmma" in line)
    assert "matrix_a_reuse" in instruction
    assert "matrix_a_scale:MATRIX_SCALE_ROW1" in instruction


def test_atoms_of_gfx1250_integers_of_4_bits_are_text_that_lowers(
    kernel: Kernel, lower: Lower, assemble: Assemble
) -> None:
    atom = "!fly_rocdl.gfx1250.wmma<16x16x32, (i4, i4) -> i32, signA = true, signB = false, clamp = true>"
    (line,) = [line for line in lower(product(kernel, atom)).splitlines() if "rocdl.wmma" in line]
    assert '"rocdl.wmma.i32.16x16x32.iu4"' in line
    assert "clamp = true, signA = true" in line
    assert "signB" not in line
    assert line.count("vector<2xi32>") == 2
    with pytest.raises(UnsupportedTargetError, match="chips that have it: gfx1200, gfx1201"):
        assemble(product(kernel, atom), "gfx1250")


def test_an_intrinsic_is_on_the_chips_of_its_generations() -> None:
    for entry in (*MFMA_BLOCKS.values(), *WMMA.values()):
        having = {chip for chip, target in TARGETS.items() if entry.feature in target.features}
        assert having
        assert having <= signatures()[entry.name.removeprefix("rocdl.")].chips, entry.name
