"""The gpu operations that frame kernels, in MLIR 22's own syntax: module, function, return, launch and thread indexes.

xDSL has them in generic form only; name, kernel mark and block size of a function are discardable attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects import gpu
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IndexType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, OpTraits, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

_KERNEL = "gpu.kernel"
_BLOCK_SIZE = "gpu.known_block_size"
LAUNCH_FLAGS = "fly.launch_flags"
"""The attribute of a launch operation that says how it is made: flags of the launcher ABI."""
LAUNCH_BLOCK = "fly.launch_block"
"""The attribute of a launch operation with the block size that its kernel is made for, where only the launch tells."""
_HEAD = ("sym_name", "function_type", _KERNEL)


class GPUModuleOp(gpu.ModuleOp):
    """`gpu.module @name attributes {...} { ... }`: what is compiled into one code object."""

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        region = parser.parse_region()
        if not region.blocks:
            region.add_block(Block())
        return cls.create(
            properties={"sym_name": name}, attributes=attributes.data if attributes else {}, regions=[region]
        )


class GPUFuncOp(Operation):
    """`gpu.func @name(%arg: type) kernel attributes {...} { ... }`."""

    name = "gpu.func"
    traits = OpTraits(lambda: (IsolatedFromAbove(), SymbolOpInterface()))

    @property
    def sym_name(self) -> StringAttr:
        """The function's name, as the symbol table wants it."""
        found = self.get_attr_or_prop("sym_name")
        if not isinstance(found, StringAttr):
            raise VerifyException("gpu.func needs the attribute 'sym_name'")
        return found

    @property
    def function_type(self) -> FunctionType:
        """Types of arguments and results."""
        found = self.get_attr_or_prop("function_type")
        if not isinstance(found, FunctionType):
            raise VerifyException("gpu.func needs the property 'function_type'")
        return found

    @property
    def body(self) -> Region:
        """The blocks."""
        return self.regions[0]

    @property
    def is_kernel(self) -> bool:
        """True for functions that are launched."""
        return _KERNEL in self.attributes

    @property
    def known_block_size(self) -> tuple[int, ...] | None:
        """Threads of a block along x, y and z, when promised."""
        found = self.attributes.get(_BLOCK_SIZE)
        return tuple(map(int, found.get_values())) if isinstance(found, DenseArrayBase) else None

    def verify_(self) -> None:
        self.sym_name  # noqa: B018 (raises when missing)
        if len(self.regions) != 1:
            raise VerifyException("gpu.func has one region")
        inputs = self.function_type.inputs.data
        if (block := self.body.first_block) is not None and tuple(block.arg_types) != tuple(inputs):
            raise VerifyException("the entry block of gpu.func must have the arguments of its function type")
        if self.is_kernel and self.function_type.outputs.data:
            raise VerifyException("a kernel returns nothing")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            block = self.body.first_block
            printer.print_list(block.args if block else (), printer.print_block_argument)
        if outputs := self.function_type.outputs.data:
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(outputs, printer.print_attribute)
        if self.is_kernel:
            printer.print_string(" kernel")
        printer.print_op_attributes(self.attributes, reserved_attr_names=_HEAD, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, False, False)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        outputs: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->"):
            outputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        kernel = parser.parse_optional_keyword("kernel") is not None
        found = parser.parse_optional_attr_dict_with_keyword()
        others = dict(found.data) if found else {}
        if "known_block_size" in others:
            others[_BLOCK_SIZE] = others.pop("known_block_size")
        attributes: dict[str, Attribute] = {"sym_name": name}
        if kernel:
            attributes[_KERNEL] = UnitAttr()
        region = parser.parse_region(arguments)
        type_ = FunctionType.from_lists([argument.type for argument in arguments], outputs)
        return cls.create(properties={"function_type": type_}, attributes=attributes | others, regions=[region])


class GPUReturnOp(Operation):
    """`gpu.return`."""

    name = "gpu.return"
    traits = OpTraits(lambda: (IsTerminator(),))

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list(self.operand_types, printer.print_attribute)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        unresolved = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        if not unresolved:
            return cls.create()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.create(operands=parser.resolve_operands(unresolved, types, position))


class LaunchFuncOp(gpu.LaunchFuncOp):
    """`gpu.launch_func async [deps] @module::@kernel blocks in (x, y, z) threads in (x, y, z) args(...)`."""

    @property
    def launch_flags(self) -> int:
        """How the launch is made, as the launcher ABI has it."""
        found = self.attributes.get(LAUNCH_FLAGS)
        return found.value.data if isinstance(found, IntegerAttr) else 0

    @property
    def promised_block(self) -> tuple[int, ...] | None:
        """The block size that the launch must have, when it has to be compared."""
        found = self.attributes.get(LAUNCH_BLOCK)
        return tuple(map(int, found.get_values())) if isinstance(found, DenseArrayBase) else None

    def print(self, printer: Printer) -> None:
        if self.results:
            printer.print_string(" async")
        if self.asyncDependencies:
            printer.print_string(" ")
            with printer.in_square_brackets():
                printer.print_list(self.asyncDependencies, printer.print_ssa_value)
        printer.print_string(" ")
        printer.print_attribute(self.kernel)
        clusters = [v for v in (self.clusterSizeX, self.clusterSizeY, self.clusterSizeZ) if v is not None]
        for word, sizes in (
            ("clusters", clusters),
            ("blocks", [self.gridSizeX, self.gridSizeY, self.gridSizeZ]),
            ("threads", [self.blockSizeX, self.blockSizeY, self.blockSizeZ]),
        ):
            if sizes:
                printer.print_string(f" {word} in ")
                with printer.in_parens():
                    printer.print_list(sizes, printer.print_ssa_value)
        self._print_tail(printer)

    def _print_tail(self, printer: Printer) -> None:
        if not isinstance(kind := self.gridSizeX.type, IndexType):
            printer.print_string(" : ")
            printer.print_attribute(kind)
        if self.dynamicSharedMemorySize is not None:
            printer.print_string(" dynamic_shared_memory_size ")
            printer.print_ssa_value(self.dynamicSharedMemorySize)
        if self.kernelOperands:
            printer.print_string(" args(")
            printer.print_list(self.kernelOperands, lambda value: _print_typed(printer, value))
            printer.print_string(")")
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        is_async = parser.parse_optional_keyword("async") is not None
        token = gpu.AsyncTokenType()
        dependencies = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(token)
        )
        kernel = parser.parse_attribute()
        if not isinstance(kernel, SymbolRefAttr):
            parser.raise_error("expected the symbol of a kernel")
        clusters = _parse_sizes(parser, "clusters") if parser.parse_optional_keyword("clusters") else []
        parser.parse_keyword("blocks")
        blocks = _parse_sizes(parser, "blocks")
        parser.parse_keyword("threads")
        threads = _parse_sizes(parser, "threads")
        kind = parser.parse_type() if parser.parse_optional_punctuation(":") else IndexType()
        sizes = [parser.resolve_operand(size, kind) for size in (*blocks, *threads, *clusters)]
        shared = [parser.parse_operand(i32)] if parser.parse_optional_keyword("dynamic_shared_memory_size") else []
        arguments: list[SSAValue] = []
        if parser.parse_optional_keyword("args"):
            arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_typed(parser))
        attributes = parser.parse_optional_attr_dict()
        cluster = len(clusters) // 3
        segments = [len(dependencies or ()), *[1] * 6, *[cluster] * 3, len(shared), len(arguments), 0]
        return cls.create(
            operands=[*(dependencies or ()), *sizes, *shared, *arguments],
            result_types=[token] if is_async else [],
            properties={"kernel": kernel, "operandSegmentSizes": DenseArrayBase.from_list(i32, segments)},
            attributes=attributes,
        )


class _DimensionSyntax(Operation):
    """`gpu.op x`: an index along one dimension."""

    def print(self, printer: Printer) -> None:
        dimension = self.properties.get("dimension")
        if not isinstance(dimension, gpu.DimensionAttr):
            raise VerifyException(f"{self.name} needs the property 'dimension'")
        printer.print_string(f" {dimension.data.value}")
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        dimension = gpu.DimensionAttr(parser.parse_str_enum(gpu.DimensionEnum))
        attributes = parser.parse_optional_attr_dict()
        return cls.create(result_types=[IndexType()], properties={"dimension": dimension}, attributes=attributes)


class ThreadIdOp(_DimensionSyntax, gpu.ThreadIdOp):
    """`gpu.thread_id x`."""


class BlockIdOp(_DimensionSyntax, gpu.BlockIdOp):
    """`gpu.block_id x`."""


class BlockDimOp(_DimensionSyntax, gpu.BlockDimOp):
    """`gpu.block_dim x`."""


class GridDimOp(_DimensionSyntax, gpu.GridDimOp):
    """`gpu.grid_dim x`."""


class GlobalIdOp(_DimensionSyntax, gpu.GlobalIdOp):
    """`gpu.global_id x`."""


class BarrierOp(gpu.BarrierOp):
    """`gpu.barrier`."""

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls.create(attributes=parser.parse_optional_attr_dict())


GPU_OPERATIONS: tuple[type[Operation], ...] = (
    GPUModuleOp,
    GPUFuncOp,
    GPUReturnOp,
    LaunchFuncOp,
    ThreadIdOp,
    BlockIdOp,
    BlockDimOp,
    GridDimOp,
    GlobalIdOp,
    BarrierOp,
)
"""Operations that take the place of xDSL's."""


def _parse_sizes(parser: Parser, what: str) -> list[UnresolvedOperand]:
    parser.parse_keyword("in")
    sizes = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
    if len(sizes) != 3:
        parser.raise_error(f"expected three sizes of {what}, found {len(sizes)}")
    return sizes


def _parse_typed(parser: Parser) -> SSAValue:
    value = parser.parse_unresolved_operand()
    parser.parse_punctuation(":")
    return parser.resolve_operand(value, parser.parse_type())


def _print_typed(printer: Printer, value: SSAValue) -> None:
    printer.print_ssa_value(value)
    printer.print_string(" : ")
    printer.print_attribute(value.type)
