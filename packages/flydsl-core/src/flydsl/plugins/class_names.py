"""Classes of frameworks by their names: which tensors an adaptor claims, said without importing anything."""

from __future__ import annotations

from typing import Any


class ClassNames:
    """A predicate of classes: those of the names 'module:Class', and all that are derived from one of them.

    'package.*:Class' is a class of that name in any module of the package. As the `claims` of a manifest, names can be
    remembered between processes; to ask a function, its module has to be imported.
    """

    __slots__ = ("_modules", "names")

    def __init__(self, *names: str) -> None:
        self.names = names
        self._modules: dict[str, list[str]] = {}
        for name in names:
            module, _, own = name.partition(":")
            parts = [*module.removesuffix(".*").split("."), own]
            if not all(map(str.isidentifier, parts)):
                raise ValueError(f"ClassNames: {name!r} is not 'module:Class' or 'package.*:Class'")
            self._modules.setdefault(own, []).append(module)

    def __call__(self, cls: type[object]) -> bool:
        return any(self._is_one(base.__module__, base.__name__.rpartition(".")[2]) for base in cls.__mro__)

    def _is_one(self, module: Any, name: str) -> bool:
        return any(
            module == own or (own.endswith(".*") and f"{module}.".startswith(own[:-1]))
            for own in self._modules.get(name, ())
        )

    def __eq__(self, other: object) -> bool:
        return self.names == other.names if isinstance(other, ClassNames) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        return f"ClassNames({', '.join(map(repr, self.names))})"
