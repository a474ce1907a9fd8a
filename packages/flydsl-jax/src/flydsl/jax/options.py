"""Options of kernel calls, checked against the parameters of the function."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from flydsl.base.errors import ArgumentError

if TYPE_CHECKING:
    from flydsl.compiler import JitFunction

Batchable = bool | Literal["sequential"]


@dataclass(frozen=True, slots=True)
class Options:
    """How a kernel function is called; `alignment` is in bytes by parameter."""

    outputs: tuple[str, ...] = ()
    aliases: tuple[tuple[int, int], ...] = ()
    static_layout: frozenset[str] = frozenset()
    alignment: tuple[tuple[str, int], ...] = ()
    has_side_effect: bool = False
    batchable: Batchable = False

    def laid_out(self, name: str, tensor: object) -> Any:
        """The tensor of a parameter, with the layout and the alignment that these options say."""
        from flydsl.compiler import from_dlpack

        alignment = dict(self.alignment).get(name)
        if name in self.static_layout:
            return from_dlpack(tensor, assumed_align=alignment)
        return tensor if alignment is None else from_dlpack(tensor, assumed_align=alignment).mark_layout_dynamic()


def make_options(
    function: JitFunction,
    outputs: Sequence[str],
    aliases: Mapping[int, int] | None,
    static_layout: bool | Collection[str],
    assumed_align: int | Mapping[str, int] | None,
    has_side_effect: bool,
    batchable: Batchable,
) -> Options:
    """The options as `jax_kernel` takes them; ArgumentError for what fits no parameter."""
    from flydsl.compiler import JitFunction

    if not isinstance(function, JitFunction):
        raise ArgumentError(
            f"a kernel of jax is a function decorated with @flyc.jit, found {type(function).__name__} {function!r}"
        )
    if isinstance(outputs, str) or not all(isinstance(one, str) for one in outputs):
        raise ArgumentError(f"{function.__name__}: outputs= is a tuple of names of parameters, found {outputs!r}")
    return _checked(
        function,
        tuple(outputs),
        tuple(sorted((aliases or {}).items())),
        static_layout if isinstance(static_layout, bool) else tuple(static_layout),
        tuple(assumed_align.items()) if isinstance(assumed_align, Mapping) else assumed_align,
        bool(has_side_effect),
        batchable,
    )


@lru_cache(maxsize=1024)
def _checked(
    function: JitFunction,
    outputs: tuple[str, ...],
    aliases: tuple[tuple[int, int], ...],
    static_layout: bool | tuple[str, ...],
    assumed_align: int | tuple[tuple[str, int], ...] | None,
    has_side_effect: bool,
    batchable: Batchable,
) -> Options:
    name = function.__name__
    if batchable not in (False, True, "sequential"):
        raise ArgumentError(f"{name}: batchable is False, True or 'sequential', found {batchable!r}")
    tensors = [parameter.name for parameter in function.parameters if parameter.kind in ("tensor", "any")]
    static = tensors if static_layout is True else static_layout or ()
    aligned = dict.fromkeys(tensors, assumed_align) if isinstance(assumed_align, int) else dict(assumed_align or ())
    for what, names in (("outputs", outputs), ("static_layout", static), ("assumed_align", aligned)):
        if unknown := [one for one in names if one not in tensors]:
            raise ArgumentError(
                f"{name}: {what}= names {unknown[0]!r}, and the tensors among its parameters are {listed(tensors)}"
            )
    targets = [target for _, target in aliases]
    if len(set(targets)) != len(targets):
        raise ArgumentError(f"{name}: aliases give one output to several inputs: {dict(aliases)!r}")
    return Options(
        outputs=outputs,
        aliases=aliases,
        static_layout=frozenset(static),
        alignment=tuple(sorted(aligned.items())),
        has_side_effect=has_side_effect,
        batchable=batchable,
    )


def listed(names: Iterable[str]) -> str:
    """Names for a message."""
    return ", ".join(map(repr, names)) or "none"
