"""Calls whose code is loaded, and the stubs that launch calls like them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from flydsl.base.dlpack import DeviceKind
from flydsl.base.location import locating
from flydsl.cache.guards import Guard, checker, split
from flydsl.compiler.call.bound_call import BoundCall, tensors_begin_anywhere
from flydsl.compiler.call.native_site import native_site, reader
from flydsl.compiler.call.stub import Plan, Site, make_site
from flydsl.compiler.stages.artifact import Loaded
from flydsl.compiler.stages.failures import at_launch
from flydsl.plugins.active.selection import ActivePair
from flydsl.plugins.device_runtime import DeviceRuntime
from flydsl.runtime.kernel import check_launch
from flydsl.runtime.retained import retainer

if TYPE_CHECKING:
    from flydsl.cache.dependencies import Dependencies
    from flydsl.compiler.options.llvm_pass_settings import FileStates
    from flydsl.compiler.stages.pipeline import Traced


class PreparedCall(NamedTuple):
    """One call whose code is loaded, with the plan that launches it; `trace` makes the module of its code again."""

    call: BoundCall
    plan: Plan
    loaded: Loaded
    runtime: DeviceRuntime
    pair: ActivePair
    dependencies: Dependencies
    """What the function read when its code was made."""
    trace: Callable[[], Traced]
    files: FileStates | None = None
    """The plugins whose passes made its code, as they were then."""

    def is_current(self) -> Callable[[], bool] | None:
        """What tells whether calls like this one may use its code still; None when nothing can change it."""
        dependencies, files = self.dependencies, self.files
        checker = dependencies.checker() if dependencies.guards and not dependencies.unguarded else None
        if files is None or checker is None:
            return checker if files is None else files.is_current
        return lambda: checker() and files.is_current()

    def guards(self) -> tuple[tuple[Guard, ...], Callable[[], bool] | None]:
        """The same as guards that compare identities, and what tells the rest."""
        plain, others = split(self.dependencies.guards)
        files, rest = self.files, checker(others) if others else None
        if files is None or rest is None:
            return plain, rest if files is None else files.is_current
        return plain, lambda: rest() and files.is_current()

    def launch(self, site: Site) -> None:
        """Launch this call by its own plan, through the stub of a site for calls like it."""
        site.stub(*self.call.passed_leaves, self.plan, held=self.call.held)

    @property
    def current(self) -> Callable[[], int] | None:
        """What tells the device of calls like this one: of several the current one, when no tensor is on any."""
        placed = any(device.kind != DeviceKind.CPU for device in self.call.devices())
        return None if placed or self.runtime.device_count() < 2 else self.runtime.current_ordinal

    @property
    def written(self) -> frozenset[int]:
        """Positions of the leaves that some kernel writes."""
        return frozenset(self.loaded.artifact.written)

    def make_site(
        self,
        miss: Callable[[tuple[Any, ...]], None],
        *,
        pair: ActivePair | None = None,
        is_current: Callable[[], bool] | None = None,
        replaced: Site | None = None,
    ) -> Site:
        """A site for calls like this one, and like those of the site that it replaces.

        `miss` takes the arguments of a call that no plan serves; `pair` and `is_current` are asked at each call.
        The site keeps no argument alive but containers without their leaves, and values that are part of the code.
        """
        runtime, trace, build = self.runtime, self.trace, self.call.leaves.builder(self.call.count)
        check_leaves = self.call.check()

        def check(leaves: tuple[Any, ...]) -> None:
            with locating():
                check_leaves(leaves)

        missed = miss if not self.call.has_containers else lambda leaves: miss(build(leaves))

        def misaligned(leaves: tuple[Any, ...]) -> None:
            with tensors_begin_anywhere():  # one code serves them all: those of other places would replace each other's
                missed(leaves)

        def fail(code: int) -> None:
            with at_launch(trace):
                check_launch(code, runtime)

        written = self.written | (replaced.written if replaced is not None else frozenset())
        site = make_site(
            self.call,
            written,
            pair=pair,
            is_current=is_current,
            current=self.current or (replaced.current if replaced is not None else None),
            miss=missed,
            misaligned=misaligned,
            check=check,
            fail=fail,
            within=runtime.launch_within if runtime.checks_extents else None,
            retain=retainer(runtime),
        )
        if runtime.checks_extents or reader() is None:
            return site
        guards, rest = ((), None) if is_current is None else self.guards()
        return site._replace(native=native_site(self.call, site, fail=fail, is_current=rest, guards=guards))
