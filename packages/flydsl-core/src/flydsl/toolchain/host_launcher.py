"""The host launcher of a `@jit` function around its code object (fly_abi.h).

The host function is the `func.func` after `fly-rewrite-func-signature` and the Fly passes: its arguments are pointers,
packed structs, scalars and stream tokens, its body upstream operations and `gpu.launch_func`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING

from xdsl.dialects.arith import BitcastOp, ConstantOp
from xdsl.dialects.builtin import FunctionType, IntegerType, StringAttr, VectorType, i8
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.llvm import AllocaOp, LinkageAttr, LLVMPointerType, ZeroOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from flydsl.base.errors import CompileError
from flydsl.ir.emit import emit_generic
from flydsl.ir.fly.base import text_of
from flydsl.ir.gpu_ops import LaunchFuncOp
from flydsl.ir.tensor_map import EncodeTensorMapOp
from flydsl.passes.to_llvm.builder import array_type
from flydsl.passes.total_division import make_divisions_total
from flydsl.toolchain.data_object import data_object
from flydsl.toolchain.half_conversions import half_conversions
from flydsl.toolchain.launcher_text import (
    BY_VALUE,
    HOST_FUNCTION,
    IMAGE,
    IMAGE_ALIGNMENT,
    Launch,
    bits_type,
    launcher_module,
)
from flydsl.toolchain.protocol import FEW_SEGMENTS, CodegenTarget
from flydsl.toolchain.slots import Slot, SlotKind, slot_table, type_format
from flydsl.toolchain.tensor_map_text import TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES, TensorMap

if TYPE_CHECKING:
    from flydsl.toolchain.protocol import Toolchain

_VECTOR_PASS = "convert-vector-to-llvm"
_PASSES = (
    *("convert-scf-to-cf", _VECTOR_PASS, "convert-math-to-llvm", "convert-ub-to-llvm"),
    *("convert-arith-to-llvm", "convert-cf-to-llvm", "convert-func-to-llvm", "reconcile-unrealized-casts"),
)
"""Upstream passes that take a launcher's module to the LLVM dialect."""

_POINTER = LLVMPointerType()


@dataclass(frozen=True, slots=True)
class HostLauncher:
    """A launcher before code generation: MLIR text, the passes to run on it first, and the slots it takes."""

    text: str
    pipeline: str
    slots: tuple[Slot, ...]


class PendingLauncher:
    """A launcher that is compiled in a thread of its own while the device code is compiled elsewhere."""

    def __init__(self, launcher: HostLauncher, toolchain: Toolchain) -> None:
        self.slots = launcher.slots
        self._launcher, self._toolchain = launcher, toolchain
        self._object: bytes | Exception = b""
        self._thread = Thread(target=self._emit, name="flydsl-launcher")
        self._thread.start()

    def _emit(self) -> None:
        try:
            text, pipeline = self._launcher.text, self._launcher.pipeline
            # Level 0: optimising a launcher takes 10 ms and saves no measurable time of a call.
            self._object = self._toolchain.emit_host_object(text, CodegenTarget(opt_level=0), pipeline=pipeline)
        except Exception as error:
            self._object = error

    def finish(self, code: bytes) -> bytes:
        """The launcher's shared object with the code object `code` in it."""
        self._thread.join()
        host = self._object
        if isinstance(host, Exception):
            raise host
        image = data_object(code, IMAGE, like=host, alignment=IMAGE_ALIGNMENT)
        return self._toolchain.link([host, image, *half_conversions(host, self._toolchain)], args=FEW_SEGMENTS)


def begin_launcher(function: FuncOp, kernel_names: Sequence[str], toolchain: Toolchain) -> PendingLauncher:
    """Start to compile a launcher, for any processor of this machine's architecture."""
    return PendingLauncher(host_launcher(function, kernel_names), toolchain)


def host_launcher(function: FuncOp, kernel_names: Sequence[str]) -> HostLauncher:
    """The launcher of `function`, which is left unchanged.

    `kernel_names` are the kernels to load from the code object; every launch must name one of them.
    """
    arguments = [_slot(function, i, value.type) for i, value in enumerate(function.body.block.args)]
    slots = slot_table(arguments)
    host = function.clone()
    _replace_types(host)
    _replace_narrow_floats(host)
    state = host.body.block.insert_arg(_POINTER, 0)
    launches = _replace_launches(host, state, list(kernel_names))
    maps = _replace_tensor_maps(host, state)
    _check_body(host)
    make_divisions_total(host)
    host.properties = {
        "sym_name": StringAttr(HOST_FUNCTION),
        "sym_visibility": StringAttr("private"),
        "function_type": FunctionType.from_lists([argument.type for argument in host.body.block.args], []),
    }
    host.attributes = {"llvm.linkage": LinkageAttr("internal")}
    text = emit_generic(host)
    return HostLauncher(launcher_module(slots, launches, kernel_names, text, maps), _pipeline(text), slots)


def _pipeline(host: str) -> str:
    """The passes for a launcher of the host function `host`; the one for vectors takes 1 ms to make its patterns."""
    passes = _PASSES if '"vector.' in host else (name for name in _PASSES if name != _VECTOR_PASS)
    return f"builtin.module({','.join(passes)})"


def _slot(function: FuncOp, index: int, value_type: Attribute) -> tuple[SlotKind, str]:
    if value_type.name == "gpu.async.token":
        return "stream", text_of(_POINTER)
    if value_type.name == "fly.ptr":
        return "pointer", text_of(_POINTER)
    text = text_of(value_type)
    if value_type.name == "llvm.ptr":
        return "pointer", text
    try:
        type_format(text)
    except CompileError as error:
        raise CompileError(f"argument {index} of {function.sym_name.data!r}: {error}") from None
    return ("struct" if value_type.name == "llvm.struct" else "scalar"), text


def _replace_types(host: FuncOp) -> None:
    """Device pointers and streams are plain pointers on the host."""
    for op in host.walk():
        values: list[SSAValue] = list(op.results)
        values.extend(argument for region in op.regions for block in region.blocks for argument in block.args)
        for value in values:
            if value.type.name in ("gpu.async.token", "fly.ptr"):
                Rewriter.replace_value_with_new_type(value, _POINTER)


def _replace_narrow_floats(host: FuncOp) -> None:
    """Take and hand on narrow floats as their bits; arithmetic on them sees floats."""
    block = host.body.block
    for argument in block.args:
        bits = _bits(argument.type)
        if bits is None:
            continue
        computed = [use for use in argument.uses if not isinstance(use.operation, LaunchFuncOp)]
        if computed:
            value = BitcastOp.create(operands=[argument], result_types=[argument.type])
            assert block.first_op is not None
            _insert_before(value, block.first_op)
            for use in computed:
                use.operation.operands[use.index] = value.results[0]
        Rewriter.replace_value_with_new_type(argument, bits)
    for op in list(host.walk()):
        if isinstance(op, LaunchFuncOp):
            for index, operand in enumerate(op.operands):
                if (bits := _bits(operand.type)) is not None:
                    cast = BitcastOp.create(operands=[operand], result_types=[bits])
                    _insert_before(cast, op)
                    op.operands[index] = cast.results[0]


def _bits(value_type: Attribute) -> Attribute | None:
    """The integer type with the bits of a narrow float or a vector of them; None for other types."""
    text = text_of(value_type)
    bits = bits_type(text)
    if bits == text:
        return None
    integer = IntegerType(8 if "i8" in bits else 16)
    return VectorType(integer, value_type.get_shape()) if isinstance(value_type, VectorType) else integer


def _insert_before(op: Operation, successor: Operation) -> None:
    block = successor.parent_block()
    assert block is not None
    block.insert_op_before(op, successor)


def _replace_launches(host: FuncOp, state: SSAValue, kernel_names: list[str]) -> list[Launch]:
    """Make each launch a call of the function that its `Launch` describes."""
    launches: list[Launch] = []
    for op in list(host.walk()):
        if not isinstance(op, LaunchFuncOp):
            continue
        name = _kernel_name(op)
        if name not in kernel_names:
            raise CompileError(f"kernel {name!r} is launched but is not in the code object, which has {kernel_names!r}")
        extents, shared, arguments = _extents(op), op.dynamicSharedMemorySize, list(op.kernelOperands)
        launch = Launch(
            function=f"{HOST_FUNCTION}_launch_{len(launches)}",
            kernel=kernel_names.index(name),
            extents=tuple(text_of(extent.type) for extent in extents),
            has_shared=shared is not None,
            arguments=tuple(_passed_type(argument) for argument in arguments),
            flags=op.launch_flags,
            block=op.promised_block,
        )
        stream = _stream(op)
        call = CallOp(launch.function, [state, stream, *extents, *([shared] if shared else []), *arguments], [])
        Rewriter.replace_op(op, call, [stream] * len(op.results))
        launches.append(launch)
    return launches


def _passed_type(argument: SSAValue) -> str:
    return BY_VALUE if isinstance(argument.owner, EncodeTensorMapOp) else text_of(argument.type)


def _replace_tensor_maps(host: FuncOp, state: SSAValue) -> list[TensorMap]:
    """Make each tensor map a place on the stack, which is filled where the map is made."""
    maps: list[TensorMap] = []
    for op in list(host.walk()):
        if not isinstance(op, EncodeTensorMapOp):
            continue
        if any(not isinstance(use.operation, CallOp) for use in op.results[0].uses):
            raise CompileError(
                "a tensor map can only be handed to kernels: make it in the branch that launches them, or before it"
            )
        found = TensorMap(f"{HOST_FUNCTION}_map_{len(maps)}", op.rank, text_of(op.operands[0].type), op.recipe)
        maps.append(found)
        place = _tensor_map_place(host)
        _insert_before(CallOp(found.function, [state, place, *op.operands], []), op)
        Rewriter.replace_op(op, [], [place])
    return maps


def _tensor_map_place(host: FuncOp) -> SSAValue:
    """Memory for one map, for the time of a call."""
    first = host.body.block.first_op
    assert first is not None
    one = ConstantOp.from_int_and_width(1, 32)
    place = AllocaOp(one, array_type(TENSOR_MAP_BYTES, i8), alignment=TENSOR_MAP_ALIGNMENT)
    _insert_before(one, first)
    _insert_before(place, first)
    return place.results[0]


def _kernel_name(op: LaunchFuncOp) -> str:
    nested = op.kernel.nested_references.data
    return (nested[-1] if nested else op.kernel.root_reference).data


def _extents(op: LaunchFuncOp) -> list[SSAValue]:
    """Grid, block and, when there is one, cluster."""
    cluster = [size for size in (op.clusterSizeX, op.clusterSizeY, op.clusterSizeZ) if size is not None]
    return [op.gridSizeX, op.gridSizeY, op.gridSizeZ, op.blockSizeX, op.blockSizeY, op.blockSizeZ, *cluster]


def _stream(op: LaunchFuncOp) -> SSAValue:
    """The stream that a launch depends on; null, the caller's, when it names none. A launch's token is its stream."""
    streams = list(op.asyncDependencies)
    if len(streams) > 1:
        raise CompileError(f"a launch of {_kernel_name(op)!r} depends on {len(streams)} streams, one is possible")
    if streams:
        return streams[0]
    null = ZeroOp.create(result_types=[_POINTER])
    _insert_before(null, op)
    return null.results[0]


def _check_body(host: FuncOp) -> None:
    for op in host.walk():
        if op.name.startswith(("fly.", "gpu.")):
            raise CompileError(f"operation {op.name!r} cannot run on the host: it is left in the host function")
