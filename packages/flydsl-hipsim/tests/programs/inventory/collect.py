"""A chip in, one instruction for each name that LLVM's disassembler prints for it out: `python collect.py gfx942`.

Names are the words of libLLVM that the assembler knows for the chip. Operands are tried until it takes them: address
registers are v1, v[2:3], s[4:5] and s[8:11], so that the instruction can be executed. What the disassembler makes of it
is written to CHIP.s; names that it prints otherwise are other spellings.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from flydsl_mlir import disassemble

SUFFIX = re.compile(r"(_e32|_e64)?(_sdwa|_dpp8|_dpp)?$")
WORD = re.compile(rb"(?:s|v|ds|buffer|global|flat|scratch|lds|tensor|cluster)_[a-z0-9_]+")
INTERNAL = re.compile(r"_(fake16|t16|gfx1250|op_sel)$|^v_dual_")
"""Names of LLVM's own, and dual instructions, whose halves are others."""
COUNTS = (1, 2, 3, 4, 6, 8, 16, 32)


def registers(bank: str, count: int, first: int) -> str:
    return f"{bank}{first}" if count == 1 else f"{bank}[{first}:{first + count - 1}]"


def vector() -> Iterator[str]:
    targets = ["v10", "v[10:11]", "s20", "s[20:21]", "v10.l", "vcc"]
    yield from ("", *targets)
    for count in (1, 2, 3):
        for target, kinds in product(targets, product(("1", "2", "half", "s"), repeat=count)):
            texts = {"1": "v{}", "2": "v[{}:{}]", "half": "v{}.l", "s": "s{}"}
            yield ", ".join([target, *(texts[k].format(20 + 2 * n, 21 + 2 * n) for n, k in enumerate(kinds))])
    for target, x, y, carry in product(
        ("v10", "v[10:11]"), ("v20", "v[20:21]"), ("v22", "v[22:23]"), ("vcc", "vcc_lo")
    ):
        yield from (f"{target}, {carry}, {x}, {y}{rest}" for rest in ("", f", {carry}", ", v24", ", v[24:25]"))
        yield from (f"{target}, {x}, {y}, {carry}", f"{carry}, {x}, {y}")
    yield from (
        "vcc_lo, v20.l, v22.l",
        "vcc_lo, v20.l, v22",
        "s20, v20, 3",
        "v10, s20, 3",
        "a0, a1",
        "v10, a0",
        "a0, v10",
        "a0, 1",
    )
    for wide, literal in product((False, True), ("0x12345678", "0x1234")):
        one, two = ("v[20:21]", "v[22:23]") if wide else ("v20", "v22")
        target = "v[10:11]" if wide else "v10"
        yield from (f"{target}, {one}, {literal}, {two}", f"{target}, {one}, {two}, {literal}")
        yield from (f"v10.l, v20.l, {literal}, v22.l", f"v10.l, v20.l, v22.l, {literal}")
    yield from (
        "v10, v20, s20, s22",
        "v10, v20, v22, s20, s22",
        "v10, v20, v22, v24 bitop3:7",
        "v10.l, v20.l, v22.l, v24.l bitop3:7",
    )
    yield from ("v10, v20, v22, v24.l", "v10.l, v20, v22, v24.l")
    for target, x, y, z in product(COUNTS, COUNTS, (0, *COUNTS), (0, 1, 2, 4)):
        others = [registers("v", n, at) for n, at in ((x, 20), (y, 60), (z, 96)) if n]
        yield ", ".join([registers("v", target, 100), *others])


def matrix() -> Iterator[str]:
    for bank, target, x, y in product("av", COUNTS[1:], COUNTS, COUNTS):
        sums, ab = registers(bank, target, 128 * (bank == "v")), f"{registers('v', x, 40)}, {registers('v', y, 60)}"
        for rest in (sums, f"{sums}, v20, v22", "v20", "v[20:21]", f"{sums}, v[20:21], v[22:23]"):
            yield f"{sums}, {ab}, {rest}"


def scalar() -> Iterator[str]:
    one, two = ("s20", "s22", "s24"), ("s[20:21]", "s[22:23]", "s[24:25]")
    yield from ("", "0", "1", "-1", "s20", "s[20:21]", "s[8:11]", "m0", "null, 0", "L", "s20, L", "s[20:21], L")
    yield from (
        ", ".join(kinds) for n in (2, 3) for kinds in product(*zip(one, two, strict=True)) for kinds in [kinds[:n]]
    )
    yield from ("s20, 5", "s20, 0x1234", "s[20:21], 2", "s20, s22, 0x12345678", "s20, s22, 0x12345678, s24")
    yield from ("hwreg(HW_REG_MODE), s20", "s20, hwreg(HW_REG_MODE)", "hwreg(HW_REG_MODE), 0xf0", "s20, gpr_idx(SRC0)")
    yield from ("gpr_idx(SRC0)", "sendmsg(MSG_INTERRUPT)", "s20, sendmsg(MSG_RTN_GET_REALTIME)")
    yield from ("s[20:21], sendmsg(MSG_RTN_GET_REALTIME)", "instid0(VALU_DEP_1)", "depctr_va_vdst(0)")
    for count, offset, base in product(COUNTS, ("0", "0x10", "s24"), ("s[4:5]", "s[8:11]")):
        yield from (f"{registers('s', count, 32)}, {base}, {offset}{glc}" for glc in ("", " glc"))
    yield from (
        "s[4:5], 0",
        "s[8:11], 0",
        "s[4:5], 0x10, s20, 0",
        "s[8:11], 0x10, s20, 0",
        "0x10, s20, 0",
        "3, s[4:5], 0",
        "3, s[8:11], 0",
    )


def local() -> Iterator[str]:
    yield from ("", "v1", "v10", "v10, v1", "v10.l, v1", "v1, v20.l", "v1 gds", "gds", "v10 gds")
    for target, data in product((0, *COUNTS), (0, *COUNTS)):
        words = [registers("v", target, 10)] if target else []
        first = [registers("v", data, 20)] if data else []
        second = [registers("v", data, 20 + data + data % 2)] if data else []
        yield from (
            ", ".join([*words, "v1", *first, *rest])
            for rest in ([], second, [registers("v", 4, 40)], [registers("v", 8, 40)])
        )
        yield ", ".join([*words, "v1", *first, *second]) + " offset0:0 offset1:1"
    yield from ("v10, attr0.x wait_vdst:0", "v10, attr0.x wait_va_vdst:0", "v10 wait_vdst:0", "v10 wait_va_vdst:0")


def flat() -> Iterator[str]:
    yield from (
        "",
        "v10, off",
        "off, v20",
        "v[2:3], off",
        "v10, s[4:5]",
        "v20, s[4:5]",
        "v1, s[4:5]",
        "off, s7",
        "v1, off",
    )
    for target, data, suffix in product((0, *COUNTS), (0, *COUNTS), ("", " sc0", " glc", " th:TH_ATOMIC_RETURN")):
        before = [registers("v", target, 10)] if target else []
        after = [registers("v", data, 20)] if data else []
        yield from (
            ", ".join([*before, address, *after, *off]) + suffix
            for address in ("v[2:3]", "v1", "off")
            for off in ([], ["off"], ["s7"])
        )
    yield from (
        "v10.l, v[2:3]",
        "v10.l, v[2:3], off",
        "v[2:3], v20.l",
        "v[2:3], v20.l, off",
        "v10.l, v1, off",
        "v1, v20.l, off",
    )


def buffer() -> Iterator[str]:
    for count, zero, suffix in product((1, 2, 3, 4), ("0", "null"), ("", " sc0", " glc", " th:TH_ATOMIC_RETURN")):
        yield f"{registers('v', count, 20)}, off, s[8:11], {zero}{suffix}"
    yield from ("", "off, s[8:11], 0 lds", "off, s[8:11], 0", "v20.l, off, s[8:11], 0", "v20.l, off, s[8:11], null")


def operands(name: str) -> list[str]:
    """What may be behind a name."""
    if re.match(r"v_s?w?m?(mfma|smfmac|wmma|swmmac)", name):
        return list(matrix())
    unit = name.split("_")[0]
    makers = {"v": vector, "s": scalar, "ds": local, "lds": local, "buffer": buffer}
    return list(makers.get(unit, flat)())


def assembler(chip: str) -> list[str]:
    return [
        "llvm-mc-22",
        "-triple=amdgcn-amd-amdhsa",
        f"-mcpu={chip}",
        *(() if chip.startswith("gfx9") else ("-mattr=+real-true16",)),
    ]


def errors(lines: list[str], chip: str) -> dict[int, str]:
    """Line numbers, from 0 on, with what the assembler says of them."""
    text = "L:\n" + "\n".join(lines) + "\n"
    done = subprocess.run([*assembler(chip), "-filetype=null"], input=text, capture_output=True, text=True, check=False)
    found: dict[int, str] = {}
    for number, message in re.findall(r"<stdin>:(\d+):\d+: error: (.*)", done.stderr):
        found.setdefault(int(number) - 2, message)
    return found


def mnemonics(chip: str) -> list[str]:
    listed = subprocess.run(
        ["ldd", f"/usr/bin/{assembler(chip)[0]}"], capture_output=True, text=True, check=True
    ).stdout
    library = re.search(r"/\S*libLLVM\S*", listed)
    assert library, "the assembler has its own copy of LLVM"
    words = sorted({SUFFIX.sub("", w.decode()) for w in WORD.findall(Path(library[0]).read_bytes())})
    wrong = errors(words, chip)
    unknown = ("invalid instruction", "instruction not supported", "not supported")
    return [
        word for k, word in enumerate(words) if not wrong.get(k, "").startswith(unknown) and not INTERNAL.search(word)
    ]


def instances(names: list[str], chip: str) -> dict[str, str]:
    """An instruction for each name; the first ones that are tried fit most."""
    found: dict[str, str] = {}
    for begin, end in ((0, 60), (60, 400), (400, 10000)):
        tried = [(n, f"{n} {text}".strip()) for n in names if n not in found for text in operands(n)[begin:end]]
        wrong = errors([line for _, line in tried], chip)
        for k, (name, line) in enumerate(tried):
            if k not in wrong:
                found.setdefault(name, line)
    return found


def printed(lines: list[str], chip: str, folder: Path) -> dict[str, str]:
    """What the disassembler makes of them, by the names it prints; targets of branches are L."""
    source, made = folder / "all.s", folder / "all.o"
    source.write_text("L:\n" + "\n".join(lines) + "\n")
    subprocess.run([*assembler(chip), "-filetype=obj", str(source), "-o", str(made)], check=True)
    features = "" if chip.startswith("gfx9") else "+real-true16"
    found: dict[str, str] = {}
    for *_, text in disassemble(made.read_bytes(), triple="amdgcn-amd-amdhsa", chip=chip, features=features):
        name, *rest = text.split(" <")[0].split(None, 1)
        if re.match(r"s_(branch|cbranch|call|subvector_loop)", name):
            rest = [", ".join([*"".join(rest).split(", ")[:-1], "L"])]
        found.setdefault(SUFFIX.sub("", name), " ".join([name, *rest]))
    return found


if __name__ == "__main__":
    for chip in sys.argv[1:]:
        made = instances(mnemonics(chip), chip)
        lines = printed(list(made.values()), chip, Path("/tmp"))
        Path(__file__).with_name(f"{chip}.s").write_text("".join(lines[name] + "\n" for name in sorted(lines)))
