"""Tracing: a Fly module with the host code and a gpu.func for each kernel launched."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import FunctionType
from typing import Any

from xdsl.dialects import builtin, func, gpu
from xdsl.ir import Attribute, Block, Region

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.int_tuple import IntTuple
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.numbers.literals import known_number
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numeric import Index, Int32, Numeric, as_numeric
from flydsl.expr.tracing import context
from flydsl.expr.values.emitter import Emitter, TargetInfo
from flydsl.frontend.control.pytree import constant_key, flatten, static_attributes, structure
from flydsl.frontend.control.undefined import Undefined
from flydsl.frontend.control.visibility import check_visible
from flydsl.frontend.diagnostics import located
from flydsl.frontend.externals import bitcode_attributes, declare_externals, emit_call, external_type
from flydsl.frontend.launch.clusters import cluster_size
from flydsl.frontend.launch.launch_limits import check_launch
from flydsl.frontend.launch.launch_modes import launch_modes
from flydsl.frontend.rewriting.source import function_source
from flydsl.frontend.signature import ArgSpec, Parameter, wrong_constexpr
from flydsl.ir.gpu_ops import LAUNCH_BLOCK, GPUFuncOp, GPUModuleOp
from flydsl.ir.location import to_attribute

_KERNELS = "kernels"


def trace_function(
    function: FunctionType, specs: Mapping[str, ArgSpec], target: TargetInfo, fast_math: int = 0
) -> tuple[builtin.ModuleOp, tuple[str, ...]]:
    """The module of a @jit function called with arguments of `specs`, and the names of the kernels it launches.

    `fast_math` are the flags that float operations of kernels have at first.
    """
    session = Session(target, fast_math)
    try:
        with located():
            session.trace_host(function, specs)
    except BaseException:
        session.restore_emptied()
        raise
    unfilled = session.restore_emptied()
    if unfilled is not None:
        unfilled.fail()
    return session.module, tuple(session.kernel_names)


class Session:
    """The module under construction during one trace."""

    def __init__(self, target: TargetInfo, fast_math: int = 0) -> None:
        self.target, self.fast_math = target, fast_math
        self.kernel_names: list[str] = []
        self.emptied: list[tuple[Any, str]] = []  # attributes of objects that `filled_attributes` emptied
        self.device, self._host = Block(), Block()
        self._known: dict[Any, str] = {}
        self._externals: dict[str, Attribute] = {}  # the types of external functions by symbol
        self._bitcode: dict[bytes, None] = {}
        self._dynamic_shared: dict[str, int | None] = {}  # of each kernel, None where it uses none
        self._blocks: dict[str, tuple[int, ...] | None] = {}  # what each kernel states, None where only launches do
        self.module = builtin.ModuleOp(Region(self._host), attributes={"gpu.container_module": builtin.UnitAttr()})

    def restore_emptied(self) -> Undefined | None:
        """Attributes that regions filled are None again; returns one that is missed (`filled_attributes`)."""
        if not self.emptied:
            return None
        from flydsl.frontend.control.filled_attributes import restore_emptied  # few programs have any

        return restore_emptied(self)

    def trace_host(self, function: FunctionType, specs: Mapping[str, ArgSpec]) -> None:
        """Trace the host function into `func.func`."""
        body = Block()
        emitter = Emitter(body, self.target, "host", self)
        with context.tracing(emitter):
            values = {name: _add_argument(body, spec) for name, spec in specs.items()}
            types = list(body.arg_types)
            if _call(function, values) is not None:
                raise _returned(function, f"{function.__name__} returns a value, and a @jit function returns nothing")
            emitter.op("func.return")
        if not self.kernel_names:
            self._add_empty_kernel()
        check_visible(body)
        symbol = builtin.StringAttr(function.__name__)
        host = func.FuncOp.create(
            properties={"sym_name": symbol, "function_type": builtin.FunctionType.from_lists(types, [])},
            regions=[Region(body)],
        )
        if self.kernel_names:
            declare_externals(self.device, self._externals)
            self._host.add_op(
                GPUModuleOp.create(
                    properties={"sym_name": builtin.StringAttr(_KERNELS)},
                    attributes=bitcode_attributes(self._bitcode),
                    regions=[Region(self.device)],
                )
            )
        self._host.add_op(host)

    def launch(
        self,
        kernel: Any,
        arguments: Mapping[str, Any],
        grid: Any,
        block: Any,
        shared_bytes: Any,
        stream: Any,
        cluster: Any = None,
        *,
        cooperative: bool = False,
        use_pdl: bool = False,
        attributes: Mapping[str, Attribute] | None = None,
        launch_attributes: Mapping[str, Attribute] | None = None,
    ) -> None:
        """Trace `kernel` for these arguments (once for equal ones) and emit its launch into the host function.

        `attributes` are further ones of the kernel's function, `launch_attributes` of the launch.
        """
        host = context.current()
        if host.kind != "host":
            raise FrontendError(f"kernel {kernel.__name__} is launched inside a kernel; launch it from a @jit function")
        if host.fast_math:
            raise FrontendError(
                f"kernel {kernel.__name__!r} is launched inside of fx.fastmath(...), whose flags do not reach kernels; "
                "write `with fx.fastmath(...)` in the kernel, and launch outside of it"
            )
        modes = launch_modes(self.target, kernel.__name__, cooperative=cooperative, use_pdl=use_pdl)
        grids, blocks = _three("grid", grid), _three("block", block)
        typed = _typed_arguments(kernel.parameters, arguments)
        operands = [value for leaf in flatten(typed)[0] for value in _extract(leaf)]
        clusters = cluster_size(self.target, grids, cluster)
        known = {"gpu.known_cluster_size": host.integers(clusters, 32)} if clusters else {}
        name = self._kernel_name(kernel, typed, _block_size(kernel, blocks), {**(attributes or {}), **known})
        size = _shared_size(kernel.__name__, shared_bytes, self._dynamic_shared[name])
        check_launch(self.target, name, grids, blocks, shared_bytes, self._dynamic_shared[name])
        sizes = [Index(extent).ir_value() for extent in (*grids, *blocks, *map(Index, clusters))]
        shared = [] if size is None else [size.ir_value()]
        token = None if stream is None else stream.ir_value()
        tokens = [] if token is None else [token]
        segments = [len(tokens), *([1] * 6), *([len(clusters) // 3] * 3), len(shared), len(operands), 0]
        host.op(
            "gpu.launch_func",
            [*tokens, *sizes, *shared, *operands],
            [gpu.AsyncTokenType()] if tokens else [],
            properties={
                "kernel": builtin.SymbolRefAttr(_KERNELS, [name]),
                "operandSegmentSizes": host.integers(segments, 32),
            },
            attributes={**(launch_attributes or {}), **modes, **self._promised_block(name, blocks)},
        )

    def _promised_block(self, kernel: str, launched: Sequence[Numeric]) -> dict[str, Attribute]:
        """The block size that the launch has to have, where the kernel states one and only the launch tells its own."""
        promised = self._blocks[kernel]
        if promised is None:
            return {}
        if all(size.is_static for size in launched):
            return {}  # compared when the kernel was traced
        return {LAUNCH_BLOCK: context.current().integers(promised, 32)}

    def call_external(self, symbol: str, operands: Sequence[Any], result: Attribute | None, bitcode: bytes) -> Any:
        """Call the function `symbol`, which `bitcode` or a device library defines, in the kernel that is traced."""
        type_ = external_type([operand.type for operand in operands], result)
        if self._externals.setdefault(symbol, type_) != type_:
            raise FrontendError(
                f"external function {symbol!r} is called with type {type_}, and with {self._externals[symbol]} before"
            )
        if bitcode:
            self._bitcode[bitcode] = None
        return emit_call(context.current(), symbol, operands, result)

    def _add_empty_kernel(self) -> None:
        """A kernel that is never launched: targets build no code object without one."""
        name, body = "empty_0", Block()
        emitter = Emitter(body, self.target, "kernel", self)
        with context.tracing(emitter):
            emitter.op("gpu.return")
        self._add_kernel(name, body, {}, None)

    def _kernel_name(
        self,
        kernel: Any,
        arguments: Mapping[str, Any],
        block: tuple[int, ...] | None,
        attributes: Mapping[str, Attribute],
    ) -> str:
        key = _specialisation(kernel, arguments, block)
        key = None if key is None else (*key, frozenset(attributes.items()))
        if key is not None and key in self._known:
            return self._known[key]
        name = f"{kernel.name or kernel.__name__}_{len(self.kernel_names)}"
        self._trace_kernel(kernel, name, arguments, block, attributes)
        if key is not None:
            self._known[key] = name
        return name

    def _trace_kernel(
        self,
        kernel: Any,
        name: str,
        arguments: Mapping[str, Any],
        block: tuple[int, ...] | None,
        attributes: Mapping[str, Attribute],
    ) -> None:
        leaves, rebuild = flatten(arguments)
        types = [value.type for leaf in leaves for value in _extract(leaf)]
        body = Block(arg_types=types)
        passed = iter(body.args)
        inside = [
            leaf.__construct_from_ir_values__([next(passed) for _ in values]) if (values := _extract(leaf)) else leaf
            for leaf in leaves
        ]
        emitter = Emitter(body, self.target, "kernel", self)
        emitter.block_size, emitter.fast_math = block, self.fast_math
        with context.tracing(emitter), located():
            if _call(kernel.rewritten, rebuild(inside)) is not None:
                raise _returned(
                    kernel.__wrapped__, f"kernel {kernel.__name__} returns a value, and a kernel returns nothing"
                )
            emitter.op("gpu.return")
            check_visible(body)
        self._dynamic_shared[name] = emitter.dynamic_shared_bytes
        stated = emitter.block_size  # by the launch, or by an algorithm that the kernel uses
        self._blocks[name] = None if stated is None else (*stated, 1, 1)[:3]
        size = {} if stated is None else {"gpu.known_block_size": emitter.integers(stated, 32)}
        self._add_kernel(name, body, {**size, **attributes}, kernel.__wrapped__)

    def _add_kernel(
        self, name: str, body: Block, attributes: Mapping[str, Attribute], function: FunctionType | None
    ) -> None:
        self.kernel_names.append(name)
        source = None if function is None else function_source(function)
        self.device.add_op(
            GPUFuncOp.create(
                properties={"function_type": builtin.FunctionType.from_lists(list(body.arg_types), [])},
                attributes={"sym_name": builtin.StringAttr(name), "gpu.kernel": builtin.UnitAttr(), **attributes},
                regions=[Region(body)],
                location=to_attribute(source and source.location(source.tree)),
            )
        )


def _add_argument(block: Block, spec: ArgSpec) -> Any:
    """Add the arguments of `spec` to `block`; returns the value that wraps them."""
    return spec.traced_value([block.insert_arg(kind, len(block.args)) for kind in spec.ir_types()])


def _typed_arguments(parameters: Sequence[Parameter], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with annotated scalars converted; a Python number without annotation is a compile-time constant."""
    for parameter in parameters:
        if parameter.kind == "constexpr":
            _check_known(parameter, arguments[parameter.name])
    kinds = {parameter.name: parameter for parameter in parameters}
    return {name: _typed_argument(kinds[name], value) for name, value in arguments.items()}


def _typed_argument(parameter: Parameter, value: Any) -> Any:
    if parameter.scalar is not None:
        return _annotated(parameter.scalar, value)
    return known_integer(value) if isinstance(value, IntTuple) and parameter.kind == "constexpr" else value


def _check_known(parameter: Parameter, value: Any) -> None:
    if isinstance(value, Numeric) and not value.is_static:
        raise FrontendError(
            f"parameter {parameter.name!r} of the kernel is annotated with fx.Constexpr, and its value is {value!r}, "
            "known only at run time; annotate the parameter of the @jit function with fx.Constexpr too, or this one "
            "with its type"
        )
    if wrong := wrong_constexpr(parameter, value):
        raise FrontendError(f"parameter {parameter.name!r} of the kernel: {wrong}")


def _annotated(kind: Any, value: Any) -> Numeric:
    return kind.wrap(kind(known_number(value)).ir_value())  # type: ignore[no-any-return]


def _extract(leaf: Any) -> list[Any]:
    if isinstance(leaf, type) or (isinstance(leaf, Numeric) and leaf.is_static):
        return []
    extract = getattr(leaf, "__extract_to_ir_values__", None)
    return extract() if extract is not None else []


def _specialisation(kernel: Any, arguments: Mapping[str, Any], shape: Any) -> Any:
    """The key of a specialisation of a kernel, which it keeps alive; None when a static argument is not hashable."""
    parts: list[Any] = [kernel, shape, structure(arguments), static_attributes(arguments)]
    for leaf in flatten(arguments)[0]:
        values = _extract(leaf)
        parts.append((type(leaf), *(value.type for value in values)) if values else (type(leaf), _static_key(leaf)))
    try:
        hash(tuple(parts))
    except TypeError:
        return None
    return tuple(parts)


def _static_key(leaf: Any) -> Any:
    if isinstance(leaf, StructuredValue):
        return leaf.payload
    value = leaf.value if isinstance(leaf, Numeric) else leaf
    is_exact = value is None or isinstance(value, int | float | str | bytes | type | Enum)
    # objects of the user's may be equal and differ all the same
    return constant_key(value) if is_exact else (id(value), value)


def _returned(function: FunctionType, message: str) -> FrontendError:
    """The error for a function that returns a value, at its first statement that does."""
    source = function_source(function)
    inner = {id(node) for part in ast.walk(source.tree) if _is_function(part, source.tree) for node in ast.walk(part)}
    returns = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Return) and node.value is not None and id(node) not in inner
    ]
    location = source.location(min(returns, key=lambda node: node.lineno)) if returns else None
    return FrontendError(f"{message}; write to a tensor", location=location)


def _is_function(node: ast.AST, around: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node is not around


def _call(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Call with arguments by name, except for those that go by position only."""
    count = function.__code__.co_posonlyargcount
    return function(*list(arguments.values())[:count], **dict(list(arguments.items())[count:]))


def _three(what: str, sizes: Any) -> tuple[Any, Any, Any]:
    """Up to three extents as scalars; missing ones are 1."""
    parts = list(sizes) if isinstance(sizes, tuple | list | IntTuple) and not _is_leaf(sizes) else [sizes]
    if not 1 <= len(parts) <= 3:
        raise FrontendError(f"{what} has 1 to 3 extents, found {len(parts)}; fold the others into one of them")
    scalars, least = [as_numeric(part) for part in parts], 0 if what == "grid" else 1  # no blocks: nothing runs
    for scalar in scalars:
        if scalar.dtype.is_float or (scalar.is_static and scalar.value < least):
            raise FrontendError(f"{what} has extents of at least {least}, found {scalar!r}; {_extent_advice(scalar)}")
        if scalar.is_static and scalar.value >= 1 << 31:
            raise FrontendError(f"{what} has extents below 2**31, found {scalar!r}; spread them over x, y and z")
    one = Int32.wrap(1)
    return tuple((*scalars, one, one)[:3])  # type: ignore[return-value]


def _extent_advice(scalar: Numeric) -> str:
    return "divide with //, which gives an integer" if scalar.dtype.is_float else "skip a launch that has nothing to do"


def _shared_size(kernel: str, requested: Any, used: int | None) -> Int32 | None:
    """The dynamic shared memory of a launch in bytes: `requested`, else the size that the kernel's allocators use."""
    if requested is None:
        if used == 0:
            raise FrontendError(
                f"kernel {kernel!r} uses dynamic shared memory; launch it with smem=, its size in bytes"
            )
        return None if used is None else Int32.wrap(used)
    size = as_numeric(requested)
    if size.dtype.is_float or (size.is_static and not 0 <= size.value < 1 << 31):
        raise FrontendError(f"smem is a number of bytes from 0 to 2**31 - 1, found {size!r}")
    if size.is_static and used is not None and size.value < used:
        raise FrontendError(f"kernel {kernel!r} allocates {used} bytes of dynamic shared memory, and smem is {size!r}")
    return Int32(size)


def _is_leaf(value: Any) -> bool:
    return isinstance(value, IntTuple) and value.is_leaf


def _block_size(kernel: Any, blocks: Sequence[Numeric]) -> tuple[int, ...] | None:
    """The static extents of a block, from the launch or the kernel's declaration; None if they are dynamic."""
    launched = tuple(int(size.value) for size in blocks) if all(size.is_static for size in blocks) else None
    declared = kernel.known_block_size
    if declared is None:
        return launched
    declared = (*declared, 1, 1)[:3]
    if launched is not None and launched != declared:
        raise FrontendError(
            f"kernel {kernel.__name__!r} has known_block_size {declared}, launched with block {launched}"
        )
    return declared
