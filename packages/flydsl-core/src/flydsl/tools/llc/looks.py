"""The code at points of code generation, for `fly-llc --print-before` and `--print-after`.

The toolchain shows the code around passes that it inserts: one of LLVM's own is inserted that leaves every function as
it is which does not ask for it by an attribute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from flydsl.base.errors import SettingError
from flydsl.toolchain.llvm_passes import parse_machine_passes
from flydsl.toolchain.protocol import CodegenPoint, MachinePass

_NEUTRAL = {True: "fentry-insert", False: "safe-stack"}
"""Passes without effect, over machine code and over LLVM IR."""


class Looks:
    """Requests for passes without effect, and the code that is recorded before each."""

    def __init__(self, points: Sequence[CodegenPoint], before: Sequence[str], after: Sequence[str]) -> None:
        self._points = points
        self._aliases = {alias for point in points for alias in point.aliases}
        self._selection = next((i for i, point in enumerate(points) if point.is_machine_pass), len(points))
        asked = [("before", point) for point in before] + [("after", point) for point in after]
        self._names = [self._name(where, point) for where, point in asked]
        self._codes: list[str] = []

    @property
    def requests(self) -> list[MachinePass]:
        """To come behind all other requests."""
        return [self._request(name) for name in self._names]

    def record(self, stage: str, code: str) -> None:
        """Keep the code of a stage: what a compilation calls, in the order of the requests."""
        if stage.endswith("_before"):
            self._codes.append(code)

    def texts(self) -> Iterator[str]:
        """The code at each point, under its name."""
        for name, code in zip(self._names, self._codes[len(self._codes) - len(self._names) :], strict=False):
            yield f"; code at {name}\n{code}"

    def _name(self, where: str, point: str) -> str:
        """The point as requests have it; SettingError for one that code generation does not have."""
        if point in self._aliases:
            return point
        known = {known.name for known in self._points if known.name and not known.is_analysis}
        if point.partition("#")[0] not in known:
            close = get_close_matches(point, [*known, *self._aliases], 3)
            hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "--list-points shows them all"
            raise SettingError(f"--print-{where} {point}: code generation for this target has no such point; {hint}")
        return f"{where}:{point}"

    def _request(self, name: str) -> MachinePass:
        (request,) = parse_machine_passes(f"{_NEUTRAL[True]}@{name}")
        return request if self._is_machine_code(request) else request._replace(name=_NEUTRAL[False])

    def _is_machine_code(self, request: MachinePass) -> bool:
        """Whether instruction selection is over at a point."""
        if not request.where:
            return True
        index = next((i for i, point in enumerate(self._points) if point.name == request.point), len(self._points))
        return index > self._selection or (index == self._selection and request.where == "after")
