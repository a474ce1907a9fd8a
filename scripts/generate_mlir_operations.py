"""Generator of the tables of `flydsl-compat`: operations and enumerations of MLIR's dialects.

Usage: python scripts/generate_mlir_operations.py [--check] [LLVM_PREFIX]. All is read from MLIR's definitions by
`llvm-tblgen`; operations with regions, successors or symbols are left out. With --check nothing is written, and the
exit code is 1 when a table is out of date.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "packages/flydsl-compat/src/flydsl/_mlir"
FILES = (
    *("Arith/IR/ArithOps", "Math/IR/MathOps", "Vector/IR/VectorOps", "LLVMIR/LLVMOps", "LLVMIR/LLVMIntrinsicOps"),
    "GPU/IR/GPUOps",
)
HEAD = "operation\tclass\targuments\tresult\tpure"
CLASS_HEAD = "class\tfunction"
ENUM_HEAD = "enumeration\tattribute\tcases"
_ATTRIBUTES = {
    **{"BoolAttr": "i1", "I1Attr": "i1", "I8Attr": "i8", "I32Attr": "i32", "I64Attr": "i64", "IndexAttr": "index"},
    **{"UnitAttr": "unit", "StrAttr": "str", "TypeAttr": "type", "DenseI32ArrayAttr": "i32s", "F64Attr": "f64"},
    **{"DenseI64ArrayAttr": "i64s", "I64ArrayAttr": "i64-array", "ArrayAttr": "array", "BoolArrayAttr": "i1-array"},
}
_WRAPPERS = ("OptionalAttr", "DefaultValuedAttr", "DefaultValuedOptionalAttr", "ConfinedAttr")
_VARIADIC = {"VariadicOfVariadic": "**", "Variadic": "*", "Optional": "?:"}
_OUTSIDE = ("Async", "Symbol", "CallOpInterface", "FunctionOpInterface", "IsTerminator", "Terminator")
# what MLIR's C++ works out, and its definitions do not say
_RESULTS = {
    **{"arith.cmpi": "bool:lhs", "arith.cmpf": "bool:lhs", "llvm.icmp": "bool:lhs", "llvm.fcmp": "bool:lhs"},
    **{"vector.extract": "at:source", "llvm.extractvalue": "at:container", "vector.reduction": "element:vector"},
    **{"llvm.extractelement": "element:vector", "llvm.atomicrmw": "=val", "llvm.call_intrinsic": "*?"},
    **{"llvm.inline_asm": "*?", "arith.constant": "*", "gpu.shuffle": "=value i1", "math.sincos": "=operand =operand"},
    **{"arith.select": "=true_value", "llvm.select": "=trueValue", "vector.shuffle": "shuffled:v1"},
}


class Definitions:
    """The records of a file of TableGen."""

    def __init__(self, prefix: Path, file: str) -> None:
        path = prefix / "include/mlir/Dialect" / f"{file}.td"
        line = [str(prefix / "bin/llvm-tblgen"), "--dump-json", f"-I{prefix / 'include'}", str(path)]
        self.records: dict[str, Any] = json.loads(subprocess.run(line, capture_output=True, check=True).stdout)

    def __getitem__(self, name: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.records[name["def"] if isinstance(name, dict) else name]
        return found

    def operations(self) -> list[dict[str, Any]]:
        """The records of operations."""
        return [self.records[name] for name in self.records["!instanceof"]["Op"]]


def main(arguments: list[str]) -> int:
    """Write the tables, or compare them."""
    paths = [argument for argument in arguments if argument != "--check"]
    prefix = Path(paths[0] if paths else "/usr/lib/llvm-22")
    rows: dict[str, str] = {}
    enumerations: dict[str, str] = {}
    for definitions in (Definitions(prefix, file) for file in FILES):
        for op in definitions.operations():
            if row := _row(definitions, op, enumerations):
                rows[row.partition("\t")[0]] = row
    tables = {
        FOLDER / "operations.tsv": "\n".join([HEAD, *(rows[name] for name in sorted(rows))]) + "\n",
        FOLDER / "rocdl_classes.tsv": "\n".join([CLASS_HEAD, *_rocdl_classes(prefix)]) + "\n",
        FOLDER / "enumerations.tsv": "\n".join([ENUM_HEAD, *(enumerations[n] for n in sorted(enumerations))]) + "\n",
    }
    if "--check" in arguments:
        return 0 if all(path.read_text() == text for path, text in tables.items()) else 1
    for path, text in tables.items():
        path.write_text(text)
    return 0


def _row(definitions: Definitions, op: Mapping[str, Any], enumerations: dict[str, str]) -> str:
    dialect = definitions[op["opDialect"]]["name"]
    traits = list(_traits(definitions, op["traits"]))
    if op["regions"]["args"] or op["successors"]["args"] or any(_is_outside(definitions, trait) for trait in traits):
        return ""
    arguments = []
    for constraint, name in op["arguments"]["args"]:
        kind = _kind(definitions, constraint, dialect, enumerations)
        if kind is None:
            if not _is_optional(definitions, constraint):
                return ""
            continue
        arguments.append(f"{name}{kind}")
    name = f"{dialect}.{op['opName']}"
    result = _RESULTS.get(name) or _result(definitions, op, traits)
    names = {trait["def"] for trait in traits}
    class_name = _class_name(op["!name"])
    return "\t".join([name, class_name, " ".join(arguments), result, "pure" if "Pure" in names else ""])


def _class_name(record: str) -> str:
    """The name of an operation's class: what follows the dialect's in the name of its record."""
    prefix, _, rest = record.partition("_")
    return rest if prefix and rest else record


def _rocdl_classes(prefix: Path) -> list[str]:
    """The classes of the `rocdl` dialect, with the functions of `fx.rocdl` for the same operations."""
    definitions = Definitions(prefix, "LLVMIR/ROCDLOps")
    own = (op for op in definitions.operations() if definitions[op["opDialect"]]["name"] == "rocdl")
    return sorted(f"{_class_name(op['!name'])}\t{op['opName'].replace('.', '_')}" for op in own)


def _traits(definitions: Definitions, traits: list[Any]) -> Iterator[dict[str, Any]]:
    """The traits, those in lists too."""
    for trait in traits:
        yield trait
        record = definitions[trait]
        if "TraitList" in record["!superclasses"]:
            yield from _traits(definitions, record["traits"])


def _is_outside(definitions: Definitions, trait: Mapping[str, Any]) -> bool:
    """Whether an operation with the trait is none that a kernel's thread performs."""
    record = definitions[trait]
    words = (trait["def"], str(record.get("cppInterfaceName", "")), str(record.get("trait", "")))
    return any(word.startswith(_OUTSIDE) for word in words)


def _is_optional(definitions: Definitions, constraint: Any) -> bool:
    classes = definitions[constraint]["!superclasses"]
    return any(word in classes for word in ("OptionalAttr", "DefaultValuedAttr", "DefaultValuedOptionalAttr"))


def _kind(definitions: Definitions, constraint: Any, dialect: str, enumerations: dict[str, str]) -> str | None:
    """`:` an operand, `?:` one that may be left out, `*` several, `**` several lists; `=type` an attribute, `?type` one
    that may be left out; None for an attribute of a kind that is left out."""
    record = definitions[constraint]
    classes = record["!superclasses"]
    if "OpVariable" in classes and "constraint" in record:
        return _kind(definitions, record["constraint"], dialect, enumerations)
    for word, mark in _VARIADIC.items():
        if word in classes:
            return mark
    if "TypeConstraint" in classes and "AttrConstraint" not in classes:
        return ":"
    if "Property" in classes:
        named = _enumeration(definitions, record.get("attrForm") or record["enum"], dialect, enumerations)
        return None if named is None else f"?{named}" + ("" if "attrForm" in record else "!")
    mark = "="
    while any(word in classes for word in _WRAPPERS):
        mark = mark if "ConfinedAttr" in classes else "?"
        constraint = record["baseAttr"]
        record = definitions[constraint]
        classes = record["!superclasses"]
    if constraint["def"] == "UnitAttr":
        mark = "?"
    plain = _ATTRIBUTES.get(constraint["def"])
    if plain is None and ("EnumAttr" in classes or "EnumAttrInfo" in classes):
        plain = _enumeration(definitions, constraint, dialect, enumerations)
    if plain is None:
        storage = str(record.get("storageType", "")).strip()
        plain = "array" if storage.endswith("::ArrayAttr") else "any"
    return mark + plain


def _enumeration(definitions: Definitions, name: Any, dialect: str, enumerations: dict[str, str]) -> str | None:
    """The name of an enumeration, whose row is added: its attribute's text with `{}` for the case, and its cases."""
    record = definitions[name]
    form = str(record.get("bitwidth") and f"i{record['bitwidth']}")
    if "enum" in record:
        dots = record["assemblyFormat"].startswith("`<`")
        form = f"#{record['attrName']}<{{}}>" if dots else f"#{dialect}<{record['mnemonic']} {{}}>"
        record = definitions[record["enum"]]
    cases = [definitions[case] for case in record["enumerants"]]
    flags = "|" if any("BitEnum" in word for word in record["!superclasses"]) else "="
    listed = " ".join(f"{case['symbol']}{flags}{case['value']}:{case['str']}" for case in cases)
    full = f"{dialect}.{record['className']}"
    enumerations[full] = f"{full}\t{form}\t{listed}"
    return str(record["className"])


def _result(definitions: Definitions, op: Mapping[str, Any], traits: list[dict[str, Any]]) -> str:
    """Its type, `=name` for that of an operand, `*` when a caller must name it, nothing for none."""
    results = op["results"]["args"]
    if not results:
        return ""
    operands = [name for constraint, name in op["arguments"]["args"] if _is_operand(definitions, constraint)]
    if len(results) > 1:
        return "*" * len(results)
    if {"SameOperandsAndResultType"} & {trait["def"] for trait in traits} and operands:
        return f"={operands[0]}"
    for trait in traits:
        record = definitions[trait]
        if "AllTypesMatch" in record["!superclasses"] and results[0][1] in record["values"]:
            named = [value for value in record["values"] if value in operands]
            if named:
                return f"={named[0]}"
    kind = definitions[results[0][0]]
    builder = re.search(r"get(I\d+|Index)Type|getIntegerType\((\d+)\)", str(kind.get("builderCall", "")))
    if "Optional" in kind["!superclasses"]:
        return "*?"
    return "*" if builder is None else (builder[1] or f"i{builder[2]}").lower()


def _is_operand(definitions: Definitions, constraint: Any) -> bool:
    record = definitions[constraint]
    if "OpVariable" in record["!superclasses"] and "constraint" in record:
        return _is_operand(definitions, record["constraint"])
    return "TypeConstraint" in record["!superclasses"] and "AttrConstraint" not in record["!superclasses"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
