"""The names that kernels written elsewhere import are there; others are errors that say what to write."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

LLVM = """AddOp AtomicBinOp.add AtomicBinOp.fadd AtomicBinOp.xchg AtomicOrdering.acquire AtomicOrdering.monotonic
    AtomicOrdering.release AtomicRMWOp BitcastOp ConstantOp FPExtOp FPTruncOp FenceOp GEPOp InlineAsmOp IntToPtrOp
    IntegerOverflowFlags LoadOp MulOp PointerType.get PtrToIntOp StoreOp ZExtOp bitcast call_intrinsic extractvalue
    inline_asm intr_expect inttoptr load mlir_poison ptrtoint"""
IN_USE = {
    "dialects._arith_ops_gen": "MulFOp",
    "dialects.arith": "AddIOp BitcastOp ConstantOp ExtSIOp IndexCastOp MulIOp SelectOp",
    "dialects.builtin": "UnrealizedConversionCastOp",
    "dialects.fly": "copy_atom_call_ssa extract_aligned_pointer_as_index mma_atom_call_ssa",
    "dialects.gpu": "AsyncTokenType.get",
    "dialects.llvm": LLVM,
    "dialects.memref": "extract_aligned_pointer_as_index",
    "dialects.vector": "BitCastOp bitcast extract from_elements load store",
    "extras.types": "VectorType.get f32 i16 i32 i64 i8",
    "ir": """ArrayAttr.get Attribute.parse Context Context.__exit__ F32Type.get FloatType IndexType
        IndexType.get IntegerAttr.get IntegerType IntegerType.get_signless MemRefType Type Type.parse Value VectorType
        VectorType.get""",
}
"""By module, what 36 files of kernels use; `rocdl` and `fly_rocdl` are tested with their backend."""
WRONG = [
    ("dialects.llvm", "Loadop", "did you mean LoadOp"),
    ("dialects.llvm", "CallOp", "flydsl.expr.extern.ffi"),
    ("dialects.llvm", "GlobalOp", "fx.SharedAllocator"),
    ("dialects.arith", "ConstOp", "ConstantOp"),
    ("dialects.gpu", "LaunchFuncOp", r"launch\(grid="),
    ("dialects.scf", "if_", "write `if"),
    ("dialects.scf", "while_", "while"),
    ("dialects.memref", "AllocOp", "fx.SharedAllocator"),
    ("dialects.vector", "transfer_read", "vector.load"),
    ("dialects.fly", "MakeLayoutOp", "fx.MakeLayout|fx"),
    ("dialects.fly_rocdl", "Nothing", "fx.rocdl"),
    ("dialects.func", "FuncOp", "write a function of Python"),
    ("dialects.builtin", "ModuleOp", "has no 'ModuleOp'"),
    ("extras.types", "i33", "parse it"),
    ("ir", "Module", "FLYDSL_DUMP_IR"),
    ("passmanager", "PassManager", "llvm_pass_pipeline"),
    ("_mlir_libs", "_mlirDialectsFly", "llvm_options"),
    ("dialects", "cf", "control flow"),
    ("", "execution_engine", "flyc.compile"),
]


def module(name: str) -> Any:
    return import_module(f"flydsl._mlir.{name}".rstrip("."))


@pytest.mark.parametrize("name", IN_USE)
def test_every_name_in_use_is_there(name: str) -> None:
    for path in IN_USE[name].split():
        found = module(name)
        for attribute in path.split("."):
            found = getattr(found, attribute)
        assert found is not None


@pytest.mark.parametrize(("where", "name", "hint"), WRONG, ids=[f"{where}.{name}" for where, name, _ in WRONG])
def test_a_name_that_is_not_there_is_an_error_that_says_what_to_write(where: str, name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=hint):
        getattr(module(where), name)
    with pytest.raises(ImportError, match=hint):
        exec(f"from {module(where).__name__} import {name}")


def test_names_are_listed() -> None:
    assert {"LoadOp", "load", "AtomicOrdering", "PointerType"} <= set(dir(module("dialects.llvm")))
    assert {"F32Type", "IntegerType", "ArrayAttr"} <= set(dir(module("ir")))


def test_importing_all_of_it_imports_no_compiler() -> None:
    names = ", ".join(f"flydsl._mlir.{name}" for name in IN_USE)
    code = f"import {names}, sys; print([m for m in sys.modules if m.partition('.')[0] in ('xdsl', 'mlir', 'numpy')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
