"""Names of `flydsl.compiler.kernel_function`: what a context of a compilation has there."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from flydsl.backend.language import current

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Block, Operation


class KernelsModule:
    """The module of the kernels that were traced so far."""

    def __init__(self, block: Block) -> None:
        self.block = block

    @property
    def operations(self) -> list[TopLevelOperation]:
        """Its operations in order, the functions of kernels among them."""
        return [TopLevelOperation(operation) for operation in self.block.ops]


class TopLevelOperation:
    """An operation of the module; what is set in `attributes` is set on it."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        self.name = self.OPERATION_NAME = operation.name

    @property
    def attributes(self) -> MutableMapping[str, Attribute]:
        """Its attributes by name, such as `rocdl.waves_per_eu` of a kernel's function."""
        return self.operation.attributes


def gpu_module_body() -> KernelsModule:
    """The module of the kernels of the running trace."""
    return KernelsModule(current().session.device)
