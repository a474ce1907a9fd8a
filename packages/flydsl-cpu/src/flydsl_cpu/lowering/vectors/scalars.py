"""Scalarisation of straight-line loop bodies on short vectors.

LLVM's loop vectoriser takes scalars only. When every thread accesses its own vector next to that of the thread
before, scalar accesses of neighbouring iterations become loads and stores of the machine's full width.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from xdsl.dialects import arith, llvm, ub, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from flydsl.backend.ir import element_bits
from flydsl.backend.llvm import LLVMBuilder, raw_operation
from flydsl.backend.rewriting import block_ops, operands_of, position
from flydsl_cpu.dialect import LDEXP
from flydsl_cpu.lowering.analysis.linear_forms import LinearForms
from flydsl_cpu.lowering.analysis.operations import replace_inside, take_out

_MAX_LANES, _MAX_OPERATIONS = 256, 6000
_COMBINE: dict[str, type[Operation]] = {
    "add": arith.AddiOp,
    "addf": arith.AddfOp,
    "mul": arith.MuliOp,
    "mulf": arith.MulfOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
    "maxnumf": arith.MaxnumfOp,
    "minnumf": arith.MinnumfOp,
    "maximumf": arith.MaximumfOp,
    "minimumf": arith.MinimumfOp,
    "maxsi": arith.MaxSIOp,
    "minsi": arith.MinSIOp,
    "maxui": arith.MaxUIOp,
    "minui": arith.MinUIOp,
}
"""What a `vector.reduction` of each kind applies to two lanes; sums and products of floats end in `f`."""
_FLOAT_COMBINES = frozenset(op for name, op in _COMBINE.items() if name.endswith("f"))


def has_neighbouring_vectors(body: Block, forms: LinearForms, innermost: int) -> bool:
    """Whether vector accesses are contiguous over the innermost counter and all operations can be split."""
    vectors = work = 0
    for op in block_ops(body):
        lanes = max((lane_count(v.type) for v in (*operands_of(op), *op.results)), default=0)
        if op.regions or not (lanes == 0 or _can_split(op)) or lanes > _MAX_LANES:
            return False
        work += max(1, lanes)
        vectors += lanes > 0
        if lanes and isinstance(op, llvm.LoadOp | llvm.StoreOp):
            type_ = op.results[0].type if isinstance(op, llvm.LoadOp) else op.operands[0].type
            form = forms.of(op.operands[-1])
            size = element_bits(type_) // 8
            if innermost in form.unknown or form.coefficients.get(innermost) != size:
                return False
    return bool(vectors) and work <= _MAX_OPERATIONS


def split_vectors(body: Block) -> None:
    """Replace all vector operations of `body` by scalar ones."""
    splitter = _Splitter()
    for op in list(body.ops):
        if any(lane_count(v.type) for v in (*operands_of(op), *op.results)):
            splitter.split(op)
    for op in splitter.done:
        take_out(op)


class _Splitter:
    """The lanes of every vector value so far."""

    def __init__(self) -> None:
        self._values: dict[SSAValue, list[SSAValue]] = {}
        self.done: list[Operation] = []
        self.build: LLVMBuilder

    def split(self, op: Operation) -> None:
        self.build = LLVMBuilder.before_op(op)
        made = _SPLITTERS.get(type(op), _elementwise)(self, op)
        for result in op.results:
            if lane_count(result.type):
                self._values[result] = made
            else:
                assert op.parent is not None
                replace_inside(op.parent, result, made[0])
        self.done.append(op)

    def lanes(self, value: SSAValue) -> list[SSAValue]:
        """The scalars of a vector; those of a vector from outside the loop are extracted."""
        if value not in self._values:
            self._values[value] = [extracted(self.build, value, i) for i in range(lane_count(value.type))]
        return self._values[value]


def extracted(build: LLVMBuilder, value: SSAValue, index: int) -> SSAValue:
    """One lane of a vector."""
    assert isinstance(value.type, VectorType)
    properties = {"static_position": position(index)}
    return build.value(vector.ExtractOp, (value,), value.type.element_type, properties)


def _elementwise(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    type_ = op.results[0].type
    assert isinstance(type_, VectorType)
    columns = [splitter.lanes(v) if lane_count(v.type) else [v] * lane_count(type_) for v in op.operands]
    return [
        splitter.build.create(type(op), row, (type_.element_type,), op.attributes, properties=op.properties).results[0]
        for row in zip(*columns, strict=True)
    ]


def _constant(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    assert isinstance(op, arith.ConstantOp)
    attribute = op.value
    assert isinstance(attribute, DenseIntOrFPElementsAttr)
    values = list(attribute.get_values())
    values = values * lane_count(op.result.type) if len(values) == 1 else values
    known: dict[object, SSAValue] = {}
    for index, value in enumerate(values):
        if repr(value) not in known:
            known[repr(value)] = scalar_constant(splitter.build, op, index)
    return [known[repr(value)] for value in values]


def scalar_constant(build: LLVMBuilder, op: arith.ConstantOp, index: int) -> SSAValue:
    """One lane of a constant."""
    attribute, type_ = op.value, op.result.type
    assert isinstance(attribute, DenseIntOrFPElementsAttr)
    assert isinstance(type_, VectorType)
    value = list(attribute.get_values())[index]
    scalar = _scalar_attribute(value, type_.element_type)
    return build.value(arith.ConstantOp, (), type_.element_type, {"value": scalar})


def _scalar_attribute(value: object, type_: Attribute) -> Attribute:
    return FloatAttr(value, type_) if isinstance(value, float) else IntegerAttr(value, type_)  # type: ignore[call-overload, no-any-return]


def _poison(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    type_ = op.results[0].type
    assert isinstance(type_, VectorType)
    return [splitter.build.value(ub.PoisonOp, (), type_.element_type, op.properties)] * lane_count(type_)


def _load(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    assert isinstance(op, llvm.LoadOp)
    type_ = op.results[0].type
    assert isinstance(type_, VectorType)
    build, element = splitter.build, type_.element_type
    lanes = range(lane_count(type_))
    return [build.load(build.gep(op.ptr, (i,), element), element, _alignment(op, element, i)) for i in lanes]


def _store(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    assert isinstance(op, llvm.StoreOp)
    build = splitter.build
    for i, value in enumerate(splitter.lanes(op.value)):
        build.store(value, build.gep(op.ptr, (i,), value.type), _alignment(op, value.type, i))
    return []


def _alignment(op: llvm.LoadOp | llvm.StoreOp, element: Attribute, index: int) -> int:
    size = element_bits(element) // 8
    declared = op.alignment.value.data if op.alignment is not None else size
    return gcd(declared, size) if index else declared


def _extract(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    return [splitter.lanes(op.operands[0])[_position(op)]]


def _insert(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    lanes = list(splitter.lanes(op.operands[1]))
    lanes[_position(op)] = op.operands[0]
    return lanes


def _broadcast(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    return [op.operands[0]] * lane_count(op.results[0].type)


def _elements(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    return list(op.operands)


def _slice(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    offset, size = _first(op, "offsets"), _first(op, "sizes")
    return splitter.lanes(op.operands[0])[offset : offset + size]


def _insert_slice(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    part, whole = splitter.lanes(op.operands[0]), list(splitter.lanes(op.operands[1]))
    offset = _first(op, "offsets")
    whole[offset : offset + len(part)] = part
    return whole


def _shuffle(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    assert isinstance(op, vector.ShuffleOp)
    lanes = [*splitter.lanes(op.operands[0]), *splitter.lanes(op.operands[1])]
    return [lanes[i] for i in op.mask.get_values()]


def _reduce(splitter: _Splitter, op: Operation) -> list[SSAValue]:
    """One after the other, which is the order of MLIR's own lowering."""
    assert isinstance(op, vector.ReductionOp)
    combine = _combine_of(op)
    assert combine is not None
    properties = {"fastmath": op.fastmath} if combine in _FLOAT_COMBINES and op.fastmath is not None else {}
    total, *rest = [*op.operands[1:], *splitter.lanes(op.operands[0])]
    for lane in rest:
        total = splitter.build.value(combine, (total, lane), lane.type, properties)
    return [total]


def _combine_of(op: vector.ReductionOp) -> type[Operation] | None:
    is_float = isinstance(op.results[0].type, AnyFloat)
    return _COMBINE.get(f"{op.kind.data.value}{'f' if is_float and op.kind.data.value in ('add', 'mul') else ''}")


_SPLITTERS: dict[type[Operation], Callable[[_Splitter, Operation], list[SSAValue]]] = {
    arith.ConstantOp: _constant,
    llvm.LoadOp: _load,
    llvm.StoreOp: _store,
    ub.PoisonOp: _poison,
    vector.BroadcastOp: _broadcast,
    vector.ExtractOp: _extract,
    vector.InsertOp: _insert,
    vector.ReductionOp: _reduce,
    vector.ShuffleOp: _shuffle,
    raw_operation("vector.extract_strided_slice"): _slice,
    raw_operation("vector.from_elements"): _elements,
    raw_operation("vector.insert_strided_slice"): _insert_slice,
}


def _can_split(op: Operation) -> bool:
    types = [v.type for v in (*operands_of(op), *op.results) if isinstance(v.type, VectorType)]
    if any(len(t.shape) != 1 for t in types) or any(element_bits(t.element_type) < 8 and _in_memory(op) for t in types):
        return False
    if isinstance(op, vector.ExtractOp):
        return len(op.operands) == 1 and not isinstance(op.results[0].type, VectorType)
    if isinstance(op, vector.InsertOp):
        return len(op.operands) == 2 and not isinstance(op.operands[0].type, VectorType)
    if isinstance(op, vector.BroadcastOp):
        return not isinstance(op.operands[0].type, VectorType)
    if isinstance(op, vector.ReductionOp):
        return _combine_of(op) is not None
    if type(op) in _SPLITTERS:
        return not isinstance(op, arith.ConstantOp) or isinstance(op.value, DenseIntOrFPElementsAttr)
    return is_elementwise(op)


def is_elementwise(op: Operation) -> bool:
    """Whether each lane of the results is made of the same lane of the operands."""
    if type(op) in _SPLITTERS or not op.results:
        return False
    types = [v.type for v in (*operands_of(op), *op.results) if isinstance(v.type, VectorType)]
    if any(len(t.shape) != 1 for t in types) or len({t.shape for t in types}) > 1:
        return False
    return isinstance(op, llvm.BitcastOp | LDEXP) or op.name.partition(".")[0] in ("arith", "math")


def _in_memory(op: Operation) -> bool:
    return isinstance(op, llvm.LoadOp | llvm.StoreOp)


def lane_count(type_: Attribute) -> int:
    """Elements of a vector, 0 for other types."""
    return type_.element_count() if type(type_) is VectorType else 0  # quicker than isinstance


def _position(op: Operation) -> int:
    attribute = op.properties["static_position"]
    assert isinstance(attribute, DenseArrayBase)
    return int(attribute.get_values()[0])


def _first(op: Operation, name: str) -> int:
    attribute = op.get_attr_or_prop(name)
    value = attribute.data[0]  # type: ignore[union-attr]
    return int(value.value.data)
