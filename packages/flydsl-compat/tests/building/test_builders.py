"""Builders of operations: MLIR verifies what they insert; wrong calls are errors that name the arguments."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.building.builders import operation_function
from flydsl._mlir.building.operations import by_function
from flydsl._mlir.dialects import arith, gpu, llvm, math, vector
from flydsl._mlir.extras import types as T
from flydsl.base.errors import FrontendError


def signatures(dialect: str) -> list[Any]:
    """The operations whose operands are all of one type, which is that of the result."""
    simple = (s for s in by_function(dialect).values() if s.result.startswith("=") and " " not in s.result)
    return [s for s in simple if all(a.kind in (":", "?") for a in s.arguments)]


OTHER_TYPES = (
    *(
        "select",
        "cond",
        "expect",
        "vp",
        "constrained",
        "insert",
        "atomic",
        "powi",
        "vector",
        "ldexp",
        "fptoi",
        "convert",
    ),
    *(
        "subgroup",
        "fpowi",
        "ssa_copy",
        "annotation",
        "ptrmask",
        "launder",
        "strip",
        "cttz",
        "ctlz",
        "abs",
        "shufflevector",
    ),
    *("freeze", "invariant", "threadlocal", "maskedload", "expandload", "with_", "matrix", "reduce", "shuffle", "step"),
)


@pytest.mark.parametrize("dialect", ["arith", "llvm", "math"])
def test_mlir_accepts_every_operation_on_operands_of_one_type(emitted: Any, dialect: str) -> None:
    chosen = [s for s in signatures(dialect) if not any(word in s.name for word in OTHER_TYPES)]
    assert len(chosen) > 25
    refused = []
    for signature in chosen:
        function = operation_function(signature, signature.name)
        operands = [a for a in signature.arguments if a.is_operand]

        def use(*values: Any, function: Any = function, count: int = len(operands)) -> None:
            function(*values[:count])

        for dtype in (fx.Int32, fx.Float32):
            try:
                emitted(use, *[dtype] * len(operands)).verify()
                break
            except AssertionError:
                pass
        else:
            refused.append(signature.name)
    assert refused == []


def test_memory_operations(emitted: Any) -> None:
    def use(pointer: Any, i: fx.Int32, x: fx.Float32) -> None:
        loaded = llvm.LoadOp(T.vector(4, T.f32()), pointer, alignment=16, volatile_=True, nontemporal=True)
        assert isinstance(loaded.result, fx.Vector)
        assert llvm.load(T.i32(), pointer, invariant=True, alignment=None).dtype is fx.Int32
        llvm.StoreOp(x, pointer, alignment=4, nontemporal=True, volatile_=False)
        llvm.StoreOp(loaded, pointer)
        moved = llvm.GEPOp(pointer.type, pointer, [i], [-(2**31)], T.f32(), None).result
        moved = llvm.getelementptr(pointer.type, moved, [], [3], T.f32(), llvm.GEPNoWrapFlags.inbounds)
        number = llvm.PtrToIntOp(T.i64(), moved).result
        assert isinstance(number, fx.Int64)
        llvm.IntToPtrOp(ir.Type.parse("!llvm.ptr<3>"), number)
        old = llvm.AtomicRMWOp(
            llvm.AtomicBinOp.fadd, pointer, x, llvm.AtomicOrdering.monotonic, syncscope="agent", alignment=4
        ).result
        assert isinstance(old, fx.Float32)
        llvm.FenceOp(llvm.AtomicOrdering.release, syncscope="workgroup")
        llvm.FenceOp(llvm.AtomicOrdering.acquire)

    found = emitted(use, "!llvm.ptr<1>", fx.Int32, fx.Float32)
    found.verify()
    load, _, store = found.lines[:3]
    assert "alignment = 16 : i64" in load
    assert "volatile_" in load
    assert "volatile_" not in store
    atomic = next(line for line in found.lines if "atomicrmw" in line)
    assert "bin_op = 11 : i64" in atomic
    assert 'syncscope = "agent"' in atomic


def test_alias_scopes_are_attributes_from_text(emitted: Any) -> None:
    scope = '#llvm.alias_scope<id = "a", domain = <id = "d">>'

    def use(pointer: Any) -> None:
        llvm.LoadOp(T.f32(), pointer, alias_scopes=ir.Attribute.parse(f"[{scope}]"))

    found = emitted(use, "!llvm.ptr")
    found.verify()
    assert scope in found.lines[0]


def test_assembly_intrinsics_and_structs(emitted: Any) -> None:
    def use(x: fx.Int32, f: fx.Float32) -> None:
        pair = llvm.inline_asm(
            ir.Type.parse("!llvm.struct<(i32, i32)>"), [x, f], "two $0, $1", "=v,=v,v,v", has_side_effects=True
        )
        first = llvm.extractvalue(T.i32(), pair, [0])
        assert isinstance(first, fx.Int32)
        assert isinstance(llvm.extractvalue(pair, [1]), fx.Int32)
        assert isinstance(llvm.InlineAsmOp(T.i32(), [first], "", "=v,0").result, fx.Int32)
        llvm.inline_asm(None, [], "s_nop 0", "", has_side_effects=True)
        llvm.inline_asm(ir.Type.parse("!llvm.void"), [x], "s_nop 1", "v", has_side_effects=True)
        rcp = llvm.call_intrinsic(T.f32(), "llvm.amdgcn.rcp.f32", [f], [], [])
        assert isinstance(rcp, fx.Float32)
        lane = [x, x, fx.Int32(0x111), 15, 15, fx.Boolean(True)]
        llvm.call_intrinsic(T.i32(), "llvm.amdgcn.update.dpp.i32", lane, [], [])
        llvm.call_intrinsic(None, "llvm.amdgcn.s.barrier", [], [], [])

    found = emitted(use, fx.Int32, fx.Float32)
    found.verify()
    assert found.names.count("llvm.inline_asm") == 4
    assert "has_side_effects" in found.lines[0]


def test_arithmetic_of_the_llvm_dialect(emitted: Any) -> None:
    def use(x: fx.Int32, f: fx.Vector, p: fx.Boolean) -> None:
        assert isinstance(llvm.AddOp(x, 3, llvm.IntegerOverflowFlags(0)).result, fx.Int32)
        llvm.MulOp(x, x, llvm.IntegerOverflowFlags.nsw | llvm.IntegerOverflowFlags.nuw)
        assert isinstance(llvm.ZExtOp(T.i64(), x).result, fx.Int64)
        wide = llvm.FPExtOp(T.vector(2, T.f32()), f).result
        assert wide.dtype is fx.Float32
        llvm.FPTruncOp(T.vector(2, T.bf16()), wide)
        llvm.BitcastOp(T.i32(), f)
        llvm.bitcast(T.vector(2, T.i16()), x)
        llvm.ConstantOp(T.i32(), ir.IntegerAttr.get(T.i32(), 5))
        assert llvm.mlir_constant(T.f32(), 1.5).dtype is fx.Float32
        assert llvm.mlir_poison(T.vector(4, T.f32())).shape == (4,)
        assert isinstance(llvm.intr_expect(p, fx.Boolean(True)), fx.Boolean)
        assert llvm.icmp(llvm.ICmpPredicate.slt, x, 4).dtype is fx.Boolean
        llvm.fadd(wide, wide, fastmath_flags=None) if False else llvm.fadd(wide, wide, fastmathFlags="fast")

    found = emitted(use, fx.Int32, fx.Vector.make_type(2, fx.Float16), fx.Boolean)
    found.verify()
    text = "\n".join(found.lines)
    assert "#llvm.overflow<nsw, nuw>" in text or "#llvm.overflow<nsw,nuw>" in text
    assert "#llvm.fastmath<fast>" in text


def test_vectors(emitted: Any) -> None:
    def use(x: fx.Float32, v: fx.Vector) -> None:
        made = vector.from_elements(ir.VectorType.get([2], T.f32()), [x, x])
        assert made.shape == (2,)
        assert isinstance(vector.extract(v, dynamic_position=[], static_position=[3]), fx.Float32)
        assert vector.ExtractOp(v, [], [0]).result.dtype is fx.Float32
        assert vector.bitcast(T.vector(8, T.bf16()), v).dtype is fx.BFloat16
        assert vector.BitCastOp(T.vector(4, T.i32()), v).result.dtype is fx.Int32
        assert vector.broadcast(T.vector(4, T.f32()), x).shape == (4,)
        assert vector.reduction(vector.CombiningKind.ADD, v).dtype is fx.Float32
        assert vector.shuffle(v, made, [0, 5, 1]).shape == (3,)
        assert vector.insert(x, v, [], [2]).shape == (4,)

    emitted(use, fx.Float32, fx.Vector.make_type(4, fx.Float32)).verify()


def test_arithmetic(emitted: Any) -> None:
    def use(x: fx.Int32, f: fx.Float32, v: fx.Vector) -> None:
        index = arith.IndexCastOp(T.index(), x).result
        assert isinstance(arith.index_cast(T.i32(), index), fx.Int32)
        assert isinstance(arith.SelectOp(x < 3, f, 2.0).result, fx.Float32)
        assert isinstance(arith.ConstantOp(T.i64(), ir.IntegerAttr.get(T.i64(), 7)).result, fx.Int64)
        assert arith.constant(T.vector(4, T.f32()), 0.5).shape == (4,)
        assert isinstance(arith.cmpi(arith.CmpIPredicate.eq, x, 3), fx.Boolean)
        assert isinstance(arith.CmpFOp(arith.CmpFPredicate.OLT, f, 3).result, fx.Boolean)
        assert arith.cmpf("olt", v, v).shape == (4,)
        assert arith.mulf(2.0, v).shape == (4,)
        assert isinstance(arith.addf(f, f, fastmath=arith.FastMathFlags.contract), fx.Float32)
        assert isinstance(math.fma(f, f, 1.0), fx.Float32)
        assert isinstance(math.Exp2Op(f).result, fx.Float32)
        assert isinstance(gpu.thread_id(gpu.Dimension.x), fx.Index)
        assert isinstance(gpu.block_dim("y"), fx.Index)
        gpu.barrier()

    found = emitted(use, fx.Int32, fx.Float32, fx.Vector.make_type(4, fx.Float32))
    text = "\n".join(found.lines)
    assert "#arith.fastmath<contract>" in text
    assert "predicate = 4 : i64" in text  # olt


def test_shuffles_have_two_results(emitted: Any) -> None:
    def use(x: fx.Int32) -> list[Any]:
        return gpu.ShuffleOp(x, 1, 32, gpu.ShuffleMode.XOR).results

    value, valid = emitted(use, fx.Int32).result
    assert (type(value), type(valid)) == (fx.Int32, fx.Boolean)


def test_an_operation_shows_what_it_is(emitted: Any) -> None:
    def use(x: fx.Int32, pointer: Any) -> None:
        added = arith.AddIOp(x, x)
        assert (added.name, len(added.operands), repr(added)) == ("arith.addi", 2, "<arith.addi>")
        assert "overflowFlags" in added.attributes
        assert isinstance(arith.muli(added, added), fx.Int32)
        with pytest.raises(FrontendError, match=r"llvm.store has 0 results, not one"):
            llvm.StoreOp(x, pointer).result

    emitted(use, fx.Int32, "!llvm.ptr")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: arith.addi(x), r"called with 1 values; it is AddIOp\(lhs, rhs, overflowFlags=None\)"),
        (lambda x: arith.addi(x, x, sign=True), "called with 2 values, sign="),
        (lambda x: arith.extsi(x), r"needs the type of its result first: ExtSIOp\(type, in\)"),
        (
            lambda x: arith.addi(x, "3"),
            "arith.addi: rhs: an operand is a value of the language, an SSA value or a number; found '3'",
        ),
        (lambda x: arith.cmpi("less", x, x), "arith.CmpIPredicate has eq, ne, .*; found 'less'"),
        (lambda x: llvm.extractvalue(T.i32(), x, 0), "a list is needed, found 0"),
        (lambda x: vector.from_elements(T.vector(1, T.i32()), x), "takes a list as elements"),
        (lambda x: arith.extsi("f99", x), "f99"),
        (lambda x: llvm.load(x, x), "llvm.load: alignment: an attribute is an integer known while tracing"),
        (lambda x: vector.load(T.i32(), x, [0]), "takes a tensor or pointer of the language"),
    ],
)
def test_wrong_calls_are_errors_that_name_the_arguments(emitted: Any, call: Any, message: str) -> None:
    with pytest.raises((FrontendError, ValueError), match=message):
        emitted(call, fx.Int32)


def test_no_value_is_asked_for_attributes_that_it_lacks(emitted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer, which looks for similar names, costs ten times as much as the operation."""
    monkeypatch.setattr("flydsl.expr.tracing.unsupported.meant", lambda *_: pytest.fail("an unknown attribute"))

    def use(x: fx.Int32, f: fx.Float32, pointer: Any) -> None:
        llvm.AddOp(x, 3, llvm.IntegerOverflowFlags(0))
        arith.mulf(f, 2.0)
        vector.from_elements(T.vector(2, T.f32()), [f, f])
        llvm.StoreOp(f, pointer)
        tensor = fx.make_rmem_tensor(4, fx.Float32)
        vector.store(vector.load(T.vector(4, T.f32()), tensor, [0]), tensor, [0])

    emitted(use, fx.Int32, fx.Float32, "!llvm.ptr")
