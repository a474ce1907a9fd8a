"""Operations of xDSL that are completed when they are used are those that are defined at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from abc import ABCMeta
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from xdsl import irdl
from xdsl.context import Context
from xdsl.dialects import test as xdsl_test
from xdsl.dialects.builtin import Builtin, i32
from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, operand_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import PyRDLOpDefinitionError, VerifyException

from flydsl.base.startup.deferred_definitions import deferred_definitions, import_deferred, tell_by_inheritance

TEXT = """
func.func @f(%a: i32, %b: f32, %c: index, %m: memref<4x4xf32>, %v: vector<4xf32>, %p: i1) -> i32 {
  %0 = arith.addi %a, %a overflow<nsw> : i32
  %1 = arith.mulf %b, %b fastmath<fast> : f32
  %2 = arith.cmpi slt, %a, %0 : i32
  %3 = arith.select %2, %a, %0 : i32
  %4 = arith.extf %b : f32 to f64
  %5 = math.exp2 %1 fastmath<fast> : f32
  %6 = memref.load %m[%c, %c] : memref<4x4xf32>
  memref.store %6, %m[%c, %c] : memref<4x4xf32>
  %7 = vector.extract %v[1] : f32 from vector<4xf32>
  %8 = vector.broadcast %b : f32 to vector<4xf32>
  %9 = scf.for %i = %c to %c step %c iter_args(%s = %a) -> (i32) {
    %10 = arith.addi %s, %a : i32
    scf.yield %10 : i32
  }
  %11 = scf.if %p -> (i32) {
    scf.yield %a : i32
  } else {
    scf.yield %9 : i32
  }
  %12 = llvm.add %a, %11 {"overflowFlags" = #llvm.overflow<nsw>} : i32
  %13 = llvm.mlir.undef : !llvm.ptr
  %14 = ub.poison : i32
  cf.cond_br %p, ^bb1(%12 : i32), ^bb2
^bb1(%x: i32):
  func.return %x : i32
^bb2:
  cf.br ^bb1(%3 : i32)
}
"""
ANSWERS = """
import json, sys
if sys.argv[1] == "ours":
    from flydsl.compiler.stages.loading import load_frontend
    load_frontend()
from xdsl.dialects import arith, builtin, func, gpu, llvm, memref
from xdsl.ir import Attribute, Block, BlockArgument, Data, Operation, OpResult, ParametrizedAttribute, SSAValue
from xdsl.ir import TypeAttribute
hooked = "__subclasshook__" in vars(Attribute)
roots = [Attribute, Data, ParametrizedAttribute, TypeAttribute, Operation, SSAValue, OpResult, BlockArgument]
modules = (arith, builtin, func, gpu, llvm, memref)
classes = [c for module in modules for _, c in sorted(vars(module).items()) if isinstance(c, type)]
classes += [*roots, Block, int, object]
pairs = [(a, b) for a in classes for b in (*roots, builtin.IntegerType, builtin.ContainerType, arith.AddiOp)]
print(json.dumps([hooked, [(repr(a), repr(b), issubclass(a, b)) for a, b in pairs]]))
"""


REPORT = """
import json, sys
from importlib import import_module
NAMES = dict(arith="Arith", builtin="Builtin", cf="Cf", func="Func", gpu="GPU", llvm="LLVM", math="Math",
             memref="MemRef", scf="Scf", ub="UB", vector="Vector")
if sys.argv[1] == "deferred":
    from flydsl.base.startup.deferred_definitions import import_deferred
    import_deferred([f"xdsl.dialects.{name}" for name in NAMES])
    assert "xdsl.irdl.declarative_assembly_format_parser" not in sys.modules, "a format was parsed"
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser
from xdsl.irdl import IRDLOperation
from xdsl.ir import ParametrizedAttribute
dialects = [getattr(import_module(f"xdsl.dialects.{name}"), attribute) for name, attribute in NAMES.items()]
def described(op):
    if not issubclass(op, IRDLOperation):
        return op.name
    d = op.get_irdl_definition()
    groups = (d.operands, d.results, d.regions, d.successors)
    fields = [[name, str(type(one))] for group in groups for name, one in group]
    named = [[name, str(type(one))] for group in (d.properties, d.attributes) for name, one in group.items()]
    traits = sorted(str(type(trait)) for trait in op.traits)
    return [op.name, fields, named, traits, [str(type(o)) for o in d.options], d.assembly_format, sorted(vars(op))]
def parameters(attribute):
    if not issubclass(attribute, ParametrizedAttribute):
        return []
    return getattr(attribute.get_irdl_definition(), "parameters", [])
context = Context()
for dialect in dialects:
    context.load_dialect(dialect)
module = Parser(context, sys.stdin.read()).parse_module()
module.verify()
import io
from xdsl.printer import Printer
texts = [str(module), io.StringIO()]
Printer(texts[1], print_generic_format=True).print_op(module)
again = Parser(context, texts[0]).parse_module()
print(json.dumps({
    "operations": [described(op) for dialect in dialects for op in dialect.operations],
    "attributes": [[a.name, [[n, str(type(p.constr)), bool(p.converter)] for n, p in parameters(a)]]
                   for dialect in dialects for a in dialect.attributes],
    "text": texts[0], "generic": texts[1].getvalue(), "same": again.is_structurally_equivalent(module)}))
"""


def report(how: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", REPORT, how], input=TEXT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_dialects_are_as_without() -> None:
    deferred = report("deferred")
    assert deferred == report("at once")
    assert len(deferred["operations"]) > 200
    assert deferred["same"]


def pair_operation(text: str) -> type[IRDLOperation]:
    with deferred_definitions():

        @irdl.irdl_op_definition
        class PairOp(IRDLOperation):
            name = "test.pair"
            first = operand_def(i32)
            second = operand_def(i32)
            result = result_def(i32)
            assembly_format = text

            def verify_(self) -> None:
                if self.first is self.second:
                    raise VerifyException("the same value twice")

    return PairOp


def test_text_and_verifier_of_a_definition_inside() -> None:
    pair = pair_operation("$first `with` $second attr-dict `:` type($result)")
    context = Context()
    for dialect in (Builtin, xdsl_test.Test, Dialect("test2", [pair])):
        context.load_dialect(dialect)
    text = '%0, %1 = "test.op"() : () -> (i32, i32)\n%2 = test.pair %0 with %1 : i32'
    module = Parser(context, text).parse_module()
    module.verify()
    assert "%2 = test.pair %0 with %1 : i32" in str(module)
    values = xdsl_test.TestOp(result_types=[i32, i32]).results
    assert pair.create(operands=values, result_types=[i32]).verify() is None
    for operands, reason in (
        ([values[0], values[0]], "the same value twice"),
        ([values[0]], "Expected 2 operands"),
        ([values[0], values[1], values[1]], "Expected 2 operands"),
    ):
        with pytest.raises(VerifyException, match=reason):
            pair.create(operands=operands, result_types=[i32]).verify()


def test_a_wrong_format_is_an_error_at_its_first_use() -> None:
    pair = pair_operation("$first `with` $third")
    values = xdsl_test.TestOp(result_types=[i32, i32]).results
    op = pair.create(operands=values, result_types=[i32])
    for _ in range(2):
        with pytest.raises(PyRDLOpDefinitionError, match="parsing of the assembly format"):
            str(op)


def test_a_class_is_complete_for_its_first_instance_in_each_of_many_threads() -> None:
    values = xdsl_test.TestOp(result_types=[i32, i32]).results
    for _ in range(20):
        pair, begin = pair_operation("$first `with` $second attr-dict `:` type($result)"), threading.Barrier(8)

        def work(pair: Any = pair, begin: threading.Barrier = begin) -> bool:
            begin.wait()
            op = pair.create(operands=values, result_types=[i32])
            op.verify()
            assert op.first is values[0]
            return "test.pair %" in str(op) and " with %" in str(op) and pair.parse != Operation.parse

        with ThreadPoolExecutor(8) as pool:
            assert all(done.result() for done in [pool.submit(work) for _ in range(8)])


def test_a_wrong_definition_is_an_error_at_its_first_use() -> None:
    with deferred_definitions():

        @irdl.irdl_op_definition
        class WrongOp(IRDLOperation):
            name = "test.wrong"
            number = 3

    for _ in range(2):
        with pytest.raises(PyRDLOpDefinitionError, match="number is neither a function"):
            WrongOp.create()


def test_traits_are_known_without_an_instance() -> None:
    class Base(IRDLOperation):
        traits = traits_def(Pure())

    with deferred_definitions():

        @irdl.irdl_op_definition
        class BothOp(Base):
            name = "test.both"
            traits = traits_def(IsTerminator())

        @irdl.irdl_op_definition
        class InheritedOp(Base):
            name = "test.inherited"

        @irdl.irdl_op_definition
        class NoneOp(IRDLOperation):
            name = "test.none"

    for _ in range(2):
        assert set(BothOp.traits) == {Pure(), IsTerminator()}
        assert (set(InheritedOp.traits), set(NoneOp.traits)) == ({Pure()}, set())
        for op in (BothOp, InheritedOp, NoneOp):
            assert op.create().get_irdl_definition().traits == op.traits


def test_a_class_that_makes_its_instances_otherwise_is_complete_at_once() -> None:
    with deferred_definitions():

        @irdl.irdl_op_definition
        class CountedOp(IRDLOperation):
            name = "test.counted"
            only = operand_def(i32)

            def __post_init__(self) -> None:
                self.count = 1

    value = xdsl_test.TestOp(result_types=[i32]).results[0]
    assert CountedOp.create(operands=[value]).only is value


def test_definitions_outside_are_xdsls_own() -> None:
    with deferred_definitions(), deferred_definitions():
        assert irdl.irdl_op_definition is not irdl.operations.irdl_op_definition
    assert irdl.irdl_op_definition is irdl.operations.irdl_op_definition


def test_an_import_that_fails_leaves_nothing_behind() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_deferred(["flydsl.ir.no_such_module"])
    assert irdl.irdl_op_definition is irdl.operations.irdl_op_definition


def subclasses(who: str) -> tuple[bool, list[Any]]:
    """Whether it is by inheritance, and which classes are subclasses of which, in a new process."""
    done = subprocess.run([sys.executable, "-c", ANSWERS, who], capture_output=True, text=True, check=True)
    hooked, found = json.loads(done.stdout)
    return hooked, found


def test_xdsl_tells_the_same_in_a_process_of_ours() -> None:
    (was_hooked, before), (is_hooked, after) = subclasses("theirs"), subclasses("ours")
    assert (was_hooked, is_hooked) == (False, True)
    assert before == after
    assert {True, False} == {answer for _, _, answer in after}


class Root(metaclass=ABCMeta):  # noqa: B024
    """An abstract class."""


class Left(Root):
    """One of them."""


class Right(Root):
    """Another."""


class Other:
    """None of them."""


def test_a_class_that_is_registered_counts() -> None:
    tell_by_inheritance(Root)
    tell_by_inheritance(Root)  # once is enough
    classes: tuple[Any, ...] = (Root, Left, Right, Other)
    told = {(a, b) for a in classes for b in classes[:3] if issubclass(a, b)}
    assert told == {(Root, Root), (Left, Root), (Left, Left), (Right, Root), (Right, Right)}
    assert isinstance(Left(), Root)
    assert not isinstance(Other(), Root)
    assert Left.register(Other) is Other
    assert isinstance(Other(), Left)
    assert isinstance(Other(), Root)
    assert not isinstance(Other(), Right)
    assert isinstance(Left(), Root)
    Right.register(int)
    assert issubclass(int, Root)


PLAIN = """
import dataclasses, sys
before = dataclasses._process_class
import flydsl.compiler
from flydsl.compiler.stages.loading import load_frontend
load_frontend()
from xdsl.ir import Attribute
from flydsl.plugins.compile_backend import GPUTarget
own = [type(vars(GPUTarget)[name]).__name__ for name in ("__init__", "__eq__", "__hash__")]
print(own, "__subclasshook__" in vars(Attribute), dataclasses._process_class is before)
"""


@pytest.mark.parametrize(("plain", "kind"), [("0", "_Deferred"), ("1", "function")])
def test_a_setting_imports_as_python_does(plain: str, kind: str) -> None:
    environment = {**os.environ, "FLYDSL_DEBUG_PLAIN_STARTUP": plain}
    done = subprocess.run([sys.executable, "-c", PLAIN], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{[kind] * 3} {plain == '0'} True"
