"""Branches and loops that a program builds by hand, with blocks that it fills at insertion points.

branch = scf.IfOp(condition, [T.f32()], hasElse=True)
with ir.InsertionPoint(branch.then_block):
    scf.YieldOp([a])
with ir.InsertionPoint(branch.else_block):
    scf.YieldOp([b])
branch.results[0]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import Block as IRBlock
from xdsl.ir import Region

from flydsl._mlir.building.values import raw, type_of, wrapped
from flydsl.backend.language import current
from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from xdsl.ir import Operation as IROperation


class Block(IRBlock):
    """A block whose arguments are values of the language."""

    @staticmethod
    def create_at_start(parent: Blocks, arg_types: Sequence[object] = (), arg_locs: object = None) -> Block:
        """A new block in front of the others of a region, with arguments of these types."""
        block = _block(arg_types)
        parent.region.insert_block(block, 0)
        return block

    @property
    def arguments(self) -> list[Any]:
        """What the block begins with."""
        return [wrapped(value) for value in self.args]


def _block(types: Sequence[object] = ()) -> Block:
    return Block(arg_types=[type_of(one) for one in types])


class Blocks:
    """The blocks of a region."""

    def __init__(self, region: Region) -> None:
        self.region = region

    @property
    def blocks(self) -> Blocks:
        """The blocks themselves, which are asked through their region."""
        return self

    def append(self, *types: object, **_: object) -> Block:
        """A new block at the end, with arguments of these types."""
        block = _block(types)
        self.region.add_block(block)
        return block

    def __getitem__(self, index: int) -> IRBlock:
        return self.region.blocks[index]

    def __len__(self) -> int:
        return len(self.region.blocks)


class RegionOp:
    """An operation with blocks; its results are values of the language."""

    operation: IROperation

    @property
    def results(self) -> list[Any]:
        """All results."""
        return [wrapped(value) for value in self.operation.results]

    results_ = results

    @property
    def regions(self) -> list[Blocks]:
        """Its regions in order."""
        return [Blocks(region) for region in self.operation.regions]

    @property
    def result(self) -> Any:
        """Its only result; FrontendError when it has none or several."""
        if len(self.operation.results) != 1:
            raise FrontendError(f"{self.operation.name} has {len(self.operation.results)} results, not one")
        return self.results[0]


class IfOp(RegionOp):
    """`IfOp(condition, result types, hasElse=False)`: its blocks end with a `YieldOp`."""

    def __init__(
        self,
        cond: Any,
        results_: Sequence[object] | None = None,
        *,
        hasElse: bool = False,  # noqa: N803 - MLIR's name
        has_else: bool = False,
        **_: object,
    ) -> None:
        types = [type_of(one) for one in results_ or ()]
        has_else = has_else or hasElse or bool(types)
        self.then_block, self._else = _block(), _block()
        self._has_else = has_else
        if not has_else:
            with current().inside(self._else):
                current().op("scf.yield", [])
        regions = [Region(block) for block in (self.then_block, self._else)]
        self.operation = current().op("scf.if", [raw(cond)], types, regions=regions)

    @property
    def else_block(self) -> Block | None:
        """The block of the other path; None without one."""
        return self._else if self._has_else else None


class ForOp(RegionOp):
    """`ForOp(lower, upper, step, initial values)`: `induction_variable` and `inner_iter_args` are what `body` sees."""

    def __init__(
        self, lower_bound: Any, upper_bound: Any, step: Any, iter_args: Sequence[Any] | None = None, **_: object
    ) -> None:
        given = [raw(value) for value in (lower_bound, upper_bound, step) if not isinstance(value, int)]
        kind = given[0].type if given else type_of("index")
        bounds = [raw(value, kind) for value in (lower_bound, upper_bound, step)]
        inits = [raw(value) for value in iter_args or ()]
        types = [value.type for value in inits]
        self.body = _block([kind, *types])
        self.operation = current().op("scf.for", [*bounds, *inits], types, regions=[Region(self.body)])

    @property
    def induction_variable(self) -> Any:
        """The number of the iteration."""
        return wrapped(self.body.args[0])

    @property
    def inner_iter_args(self) -> list[Any]:
        """The values that the iteration begins with."""
        return [wrapped(value) for value in self.body.args[1:]]


class WhileOp(RegionOp):
    """`WhileOp(result types, initial values)`, with the regions `before`, which tests, and `after`, the loop's body.

    Each gets a block by `loop.before.blocks.append(*types)` or `ir.Block.create_at_start(loop.before, types)`;
    `before` ends with a `ConditionOp`, `after` with a `YieldOp`.
    """

    def __init__(self, results_: Sequence[object], inits: Sequence[Any], **_: object) -> None:
        self.before, self.after = Blocks(Region()), Blocks(Region())
        types = [type_of(one) for one in results_]
        regions = [self.before.region, self.after.region]
        self.operation = current().op("scf.while", [raw(value) for value in inits], types, regions=regions)


class ConditionOp:
    """`ConditionOp(condition, values)`: the end of a test; while it is true `values` go to the body, then out."""

    def __init__(self, condition: Any, args: Sequence[Any] = (), **_: object) -> None:
        self.operation = current().op("scf.condition", [raw(condition), *(raw(value) for value in args)])


def condition(condition: Any, args: Sequence[Any] = (), **_: object) -> ConditionOp:
    """As `ConditionOp`."""
    return ConditionOp(condition, args)


class YieldOp:
    """`YieldOp(values)`: the end of a block."""

    def __init__(self, results_: Sequence[Any] = (), **_: object) -> None:
        self.operation = current().op("scf.yield", [raw(value) for value in results_])


def yield_(results_: Sequence[Any] = (), **_: object) -> YieldOp:
    """As `YieldOp`."""
    return YieldOp(results_)
