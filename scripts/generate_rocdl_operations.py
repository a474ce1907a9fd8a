"""Generator of `flydsl_rocm/rocdl_operations.tsv`: the operations of MLIR's `rocdl` dialect, and chips that have them.

Usage: python scripts/generate_rocdl_operations.py [--check] [LLVM_PREFIX]. Signatures are those of MLIR's and LLVM's
definitions, read by `llvm-tblgen`; a chip has an operation when `llc` makes an instruction of it. With --check nothing
is written, and the exit code is 1 when the table is out of date.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from flydsl_rocm.target import TARGETS

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "packages/flydsl-rocm/src/flydsl_rocm/rocdl_operations.tsv"
CHIPS = tuple(TARGETS)
_RELATIVES = {
    "gfx9-4-generic": "gfx942",
    **dict.fromkeys(("gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"), "gfx1100"),
    "gfx1200": "gfx1201",
}
"""Chips with no operation that a relative lacks: only those of the relative are tried."""
HEAD = "name\targuments\tresult\tpure\tchips"
_MATRIX = {
    "mfma.scale": "a b c cbsz blgp opselA scaleA opselB scaleB",
    "mfma": "a b c cbsz abid blgp",
    "smfmac": "a b c index cbsz abid",
}
_POINTERS = {"ROCDLBufferLDS": "p3", "ROCDLGlobalBuffer": "p1", "ROCDLBufferRsrc": "p8", "LLVM_AnyPointer": "p*"}
_SUMMARIES = {
    "integer or LLVM dialect-compatible vector of integer": "i*",
    "32-bit float or LLVM dialect-compatible vector of 32-bit float": "f32*",
    "16-bit float or LLVM dialect-compatible vector of 16-bit float": "f16*",
    "bfloat16 type or LLVM dialect-compatible vector of bfloat16 type": "bf16*",
    "floating point LLVM type or LLVM dialect-compatible vector of floating point LLVM type": "f*",
}
# Immediates other than 0 that an instruction needs to exist at all.
_IMMEDIATES = {"size": 4, "dppCtrl": 0x111, "rowMask": 15, "bankMask": 15, "id": -1}
_OPERANDS = ":#!"
_TRIPLE = {"llc": "--mtriple", "llvm-mc": "--triple"}
_VECTORS = ("8", "16", "2", "4", "", "3", "6")
_ANY = ("v8bf16", "i32", "f32", "v2i32", "v4i16", "v3i32", "v4i32", "v8i16", "i64", "v8i32")


class Definitions:
    """The records of a file of TableGen."""

    def __init__(self, prefix: Path, file: str) -> None:
        line = [
            str(prefix / "bin/llvm-tblgen"),
            "--dump-json",
            f"-I{prefix / 'include'}",
            str(prefix / "include" / file),
        ]
        self.records: dict[str, Any] = json.loads(subprocess.run(line, capture_output=True, check=True).stdout)

    def __getitem__(self, name: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.records[name["def"] if isinstance(name, dict) else name]
        return found

    def of_class(self, name: str) -> list[str]:
        """The names of the records of a class."""
        return list(self.records["!instanceof"][name])


def main(arguments: list[str]) -> int:
    """Write the table, or compare it."""
    paths = [argument for argument in arguments if argument != "--check"]
    text = "\n".join([HEAD, *_rows(Path(paths[0] if paths else "/usr/lib/llvm-22"))]) + "\n"
    if "--check" not in arguments:
        TABLE.write_text(text)
        return 0
    return 0 if TABLE.read_text() == text else 1


def _rows(prefix: Path) -> list[str]:
    mlir = Definitions(prefix, "mlir/Dialect/LLVMIR/ROCDLOps.td")
    llvm = Definitions(prefix, "llvm/IR/Intrinsics.td")
    names = sorted((n for n in mlir.of_class("Op") if n.startswith("ROCDL")), key=lambda n: mlir[n]["opName"])
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda name: _row(prefix, mlir, llvm, mlir[name]), names))


def _row(prefix: Path, mlir: Definitions, llvm: Definitions, op: dict[str, Any]) -> str:
    name = op["opName"]
    arguments = _matrix_arguments(name, llvm) or list(_arguments(mlir, llvm, op))
    result = _result(mlir, llvm, op, arguments)
    if name == "make.buffer.rsrc":
        result = "p8"
    traits = {trait["def"] for trait in op["traits"]}
    having: set[str] = set()
    for chip in sorted(CHIPS, key=_RELATIVES.__contains__):
        may_have = _RELATIVES[chip] in having if chip in _RELATIVES else _may_have(chip, name)
        if may_have and _has(prefix, chip, name, tuple(arguments), result):
            having.add(chip)
    listed = "all" if len(having) == len(CHIPS) else " ".join(chip for chip in CHIPS if chip in having)
    return "\t".join([name, " ".join(arguments), result, "pure" if "Pure" in traits else "", listed])


def _may_have(chip: str, name: str) -> bool:
    """Whether a search is worth it: matrix instructions are of one family of chips or the other."""
    is_cdna = chip.startswith("gfx9")
    return not name.startswith("wmma.") if is_cdna else not name.startswith(("mfma.", "smfmac."))


def _arguments(mlir: Definitions, llvm: Definitions, op: dict[str, Any]) -> Iterator[str]:
    """Operands as `name:type`, attributes as `name=type`, those with a default as `name?type`.

    Operands that must be constants are `name!type`, and `name#type` if they may be left out.
    """
    kinds = [(name, _constraint(mlir, constraint)) for constraint, name in op["arguments"]["args"]]
    kinds = [(name, kind) for name, kind in kinds if kind]
    immediates = _immediates(llvm, op["opName"]) if _is_alike(llvm, op["opName"], len(kinds)) else set()
    for index, (name, kind) in enumerate(kinds):
        if kind.startswith(":") and index in immediates:
            kind = ("#" if name == "aux" else "!") + kind[1:].replace("*", "i32")
        yield f"{name}{kind}"


def _is_alike(llvm: Definitions, name: str, count: int) -> bool:
    """Whether the intrinsic has as many parameters as the operation has arguments."""
    key = "int_amdgcn_" + name.replace(".", "_")
    return key in llvm.records and len(llvm[key]["ParamTypes"]) == count


def _immediates(llvm: Definitions, name: str) -> set[int]:
    properties = _intrinsic(llvm, name)["IntrProperties"]
    return {llvm[prop]["ArgNo"] - 1 for prop in properties if "ImmArg" in llvm[prop]["!superclasses"]}


def _constraint(mlir: Definitions, constraint: Any) -> str:
    record = mlir[constraint]
    classes = record["!superclasses"]
    if "OpVariable" in classes and "constraint" in record:
        return _constraint(mlir, record["constraint"])
    if "OptionalAttr" in classes:
        return ""
    if "DefaultValuedAttr" in classes:
        return "?" + record["baseAttr"]["def"].removesuffix("Attr").lower()
    if "AttrConstraint" in classes:
        return "=" + constraint["def"].removesuffix("Attr").lower()
    return ":" + _type(record, constraint["def"])


def _type(record: dict[str, Any], name: str) -> str:
    if name in _POINTERS:
        return _POINTERS[name]
    if vector := re.fullmatch(r"ROCDL_V(\d+)(\w+)Type", name):
        return f"v{vector[1]}{vector[2].lower()}"
    if "LLVM_PointerInAddressSpace" in record["!superclasses"]:
        return "p" + record["summary"].rpartition(" ")[2]
    if "ROCDL_ConcretePair" in record["!superclasses"]:
        return "{i32,i32}"
    if name == "LLVM_AnyFloat":
        return "f"
    return "*" if name == "LLVM_Type" else _SUMMARIES.get(record["summary"], name.lower())


def _matrix_arguments(name: str, llvm: Definitions) -> list[str]:
    """Those of a matrix instruction, which MLIR takes as a list: LLVM has their types, `name#type` is an immediate."""
    family = next((family for family in _MATRIX if name.startswith(family + ".")), None)
    if family is None:
        return []
    intrinsic, immediates = _intrinsic(llvm, name), _immediates(llvm, name)
    types = [_llvm_type(kind) for kind in intrinsic["ParamTypes"]]
    named = zip(_MATRIX[family].split(), types, strict=True)
    return [f"{arg}{'#' if index in immediates else ':'}{kind}" for index, (arg, kind) in enumerate(named)]


def _intrinsic(llvm: Definitions, name: str) -> dict[str, Any]:
    return llvm["int_amdgcn_" + name.replace(".", "_")]


def _llvm_type(kind: dict[str, str]) -> str:
    found = re.fullmatch(r"llvm_(\w+)_ty", kind["def"])
    if found is None or found[1].startswith("any"):
        return "*"
    return {"float": "f32", "double": "f64"}.get(found[1], found[1])


def _result(mlir: Definitions, llvm: Definitions, op: dict[str, Any], arguments: list[str]) -> str:
    """Its type, `=name` for that of an operand, `*` when a caller must name it, nothing for none."""
    results = [_constraint(mlir, constraint).lstrip(":") for constraint, _ in op["results"]["args"]]
    if not results:
        return ""
    if results[0].rstrip("*") and not results[0].endswith("*") and results[0] != "f":
        return results[0]
    operands = [argument.partition(":")[0] for argument in arguments if ":" in argument]
    for trait in op["traits"]:
        record = mlir[trait]
        if "AllTypesMatch" in record["!superclasses"] and "res" in record["values"]:
            return f"={next(value for value in record['values'] if value != 'res')}"
    name = op["opName"]
    if "int_amdgcn_" + name.replace(".", "_") not in llvm.records:
        return "i32"
    intrinsic = _intrinsic(llvm, name)
    kinds = [_llvm_type(kind) for kind in intrinsic["RetTypes"]]
    if kinds and kinds[0] != "*":
        return kinds[0]
    same = [
        operand
        for operand, kind in zip(operands, [k for k in intrinsic["ParamTypes"] if _llvm_type(k) != "i1"], strict=False)
        if "LLVMMatchType" in llvm[kind]["!superclasses"] and llvm[kind].get("Number") == 0
    ]
    if name.startswith("wmma."):
        return "*" if "bf16f32" in name else "=c"
    return f"={same[0]}" if same else _of_one_type(results[0], operands)


def _of_one_type(result: str, operands: list[str]) -> str:
    return f"={operands[0]}" if result in ("f", "f*") and operands else "*"


def _has(prefix: Path, chip: str, name: str, arguments: tuple[str, ...], result: str) -> bool:
    """Whether some choice of the types that are open gives code."""
    operands = {words[0]: words[2] for words in map(_words, arguments) if words[1] in _OPERANDS}
    return any(_compiles(prefix, chip, name, arguments, types) for types in _choices(name, operands, result))


def _words(argument: str) -> tuple[str, str, str]:
    match = re.fullmatch(r"(\w+)([:#!=?])(.+)", argument)
    assert match is not None, argument
    return match[1], match[2], match[3]


def _choices(name: str, operands: dict[str, str], result: str) -> Iterator[tuple[tuple[str, str], ...]]:
    """Types by operand, and of the result by an empty name. `a` and `b` of a matrix instruction have one type, but
    for those of 32 rows and 16 columns."""
    kinds = {key: kind for key, kind in {**operands, "": result}.items() if key != "b"}
    open_ = {key: _alternatives(key, kind) for key, kind in kinds.items() if kind[-1:] == "*" or kind == "f"}
    for choice in itertools.product(*open_.values()):
        types = {**operands, "": result, **dict(zip(open_, choice, strict=True))}
        if "b" in operands and operands["a"] == operands["b"]:
            types["b"] = "v8i32" if "32x16x128" in name else types["a"]
        if result.startswith("="):
            types[""] = types[result[1:]]
        yield tuple(types.items())


def _alternatives(name: str, kind: str) -> list[str]:
    if kind == "p*":
        return ["p1", "p8"]
    if name == "rsrc":
        return ["v4i32"]
    if kind == "*":
        if name in ("offset", "soffset", "aux", "src1", "src2", "cmp"):
            return ["i32"]
        if name == "a":
            return ["v8i32"]
        return ["f32", "i32"] if name else list(_ANY)
    if kind in ("f", "f*"):
        return ["f32"]
    element = kind.removesuffix("*")
    elements = ["i32", "i16"] if element == "i" else [element]
    return [f"v{count}{part}" if count else part for part in elements for count in _VECTORS]


def _compiles(
    prefix: Path, chip: str, name: str, arguments: tuple[str, ...], types: tuple[tuple[str, str], ...]
) -> bool:
    """Whether there is code, which the assembler takes too: LLVM's selection does not ask for each feature."""
    ir = _llvm_ir(prefix, name, arguments, types)
    quiet = {"LLVM_DISABLE_SYMBOLIZATION": "1"}  # of a backtrace, which takes seconds
    for program in ("llc", "llvm-mc"):
        kind = "asm" if program == "llc" else "obj"
        line = [
            str(prefix / "bin" / program),
            f"{_TRIPLE[program]}=amdgcn-amd-amdhsa",
            f"--mcpu={chip}",
            f"--filetype={kind}",
        ]
        if ir is None:
            return False
        done = subprocess.run([*line, "-o", "-"], input=ir, capture_output=True, check=False, env=quiet)
        ir = done.stdout if done.returncode == 0 else None
    return ir is not None


@cache
def _llvm_ir(prefix: Path, name: str, arguments: tuple[str, ...], types: tuple[tuple[str, str], ...]) -> bytes | None:
    """LLVM IR of a kernel that stores the operation's result; None when the types are not those of the operation."""
    by_name = {key: _mlir_type(kind) for key, kind in types if kind}
    lines, operands, parameters, attributes = [], [], [], []
    for short, kind, type_ in map(_words, arguments):
        if kind in "#!":
            value = f"<{{value = {_IMMEDIATES.get(short, 0)} : i32}}>"
            lines.append(f'    %{short} = "llvm.mlir.constant"() {value} : () -> i32')
        elif kind == ":":
            parameters.append(f"%{short}: {by_name[short]}")
        else:
            attributes.append(f"{short} = {_attribute(short, type_)}")
        if kind in _OPERANDS:
            operands.append(short)
    result = by_name.get("", "()")
    listed, taken = ", ".join(f"%{operand}" for operand in operands), ", ".join(by_name[o] for o in operands)
    head = "%r = " if "" in by_name else ""
    lines.append(f'    {head}"rocdl.{name}"({listed}) {{{", ".join(attributes)}}} : ({taken}) -> {result}')
    if head:
        lines.append(f'    "llvm.store"(%r, %out) : ({result}, !llvm.ptr<1>) -> ()')
    body = "\n".join(lines)
    signature = ", ".join([*parameters, "%out: !llvm.ptr<1>"])
    text = f"llvm.func @k({signature}) attributes {{rocdl.kernel}} {{\n{body}\n    llvm.return\n}}\n"
    line = [str(prefix / "bin/mlir-translate"), "--mlir-to-llvmir"]
    done = subprocess.run(line, input=text.encode(), capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def _attribute(name: str, kind: str) -> str:
    value = _IMMEDIATES.get(name, 0)
    return ("true" if value else "false") if kind == "i1" else f"{value} : {kind}"


def _mlir_type(kind: str) -> str:
    if kind == "{i32,i32}":
        return "!llvm.struct<(i32, i32)>"
    if kind.startswith("p"):
        return f"!llvm.ptr<{kind[1:]}>" if kind != "p0" else "!llvm.ptr"
    vector = re.fullmatch(r"v(\d+)(\w+)", kind)
    return f"vector<{vector[1]}x{vector[2]}>" if vector else kind


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
