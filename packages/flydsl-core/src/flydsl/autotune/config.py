"""Candidates of a search: keyword arguments of the tuned function, and options of the compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from flydsl.base.errors import ArgumentError

Keywords: TypeAlias = dict[str, object]
Hook: TypeAlias = Callable[[Keywords], object]

_OPTIONS = ("num_warps", "waves_per_eu", "maxnreg")


class Config:
    """One candidate: keyword arguments by name, `num_warps` among them if given, and hints for the compiler.

    `pre_hook` gets the keyword arguments of the call before each measured run.
    """

    __slots__ = ("kwargs", "maxnreg", "num_warps", "pre_hook", "waves_per_eu")

    def __init__(
        self,
        *,
        num_warps: int | None = None,
        waves_per_eu: int | None = None,
        maxnreg: int | None = None,
        pre_hook: Hook | None = None,
        **kwargs: object,
    ) -> None:
        self.kwargs: Keywords = kwargs
        self.num_warps, self.waves_per_eu, self.maxnreg, self.pre_hook = num_warps, waves_per_eu, maxnreg, pre_hook

    def all_kwargs(self) -> Keywords:
        """The keyword arguments that the tuned function is called with."""
        return {**self.kwargs, **({} if self.num_warps is None else {"num_warps": self.num_warps})}

    def compiler_opts(self) -> dict[str, int]:
        """The compile hints of its calls."""
        options = {"waves_per_eu": self.waves_per_eu, "maxnreg": self.maxnreg}
        return {name: value for name, value in options.items() if value is not None}

    def to_dict(self) -> Keywords:
        """Everything but the hook, in one dictionary."""
        return {**self.all_kwargs(), **self.compiler_opts()}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Config:
        """What `to_dict` gave; ArgumentError for anything else."""
        if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data) or "pre_hook" in data:
            raise ArgumentError(f"a configuration is a dictionary of names to values without a hook, found {data!r}")
        return cls(**data)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        options = {name: getattr(self, name) for name in _OPTIONS if getattr(self, name) is not None}
        return f"Config({', '.join(f'{name}={value!r}' for name, value in {**self.kwargs, **options}.items())})"
