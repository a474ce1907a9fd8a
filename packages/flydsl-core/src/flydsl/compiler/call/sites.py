"""The call sites of one function: stubs by the Python types of the arguments."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flydsl.base.process.fork_locks import new_lock
from flydsl.compiler.call.container import flat
from flydsl.compiler.call.native_site import reader_calls

if TYPE_CHECKING:
    from flydsl.cache.dependencies import Dependencies
    from flydsl.compiler.call.native_site import NativeSite
    from flydsl.compiler.call.prepared_call import PreparedCall
    from flydsl.compiler.call.stub import Site
    from flydsl.compiler.options.llvm_pass_settings import FileStates
    from flydsl.frontend.signature import Parameter
    from flydsl_reader import Calls as ReaderCalls

Stub = Callable[..., None]
Miss = Callable[[tuple[Any, ...]], None]


class Sites:
    """What serves the calls of one function. `stubs` is read without a lock, at each call."""

    def __init__(self) -> None:
        self._derived: weakref.WeakSet[Sites] = weakref.WeakSet()
        self.stubs: dict[tuple[type, ...], Stub] = {}
        self.launch: Callable[..., object] | None = None
        """The native reader's part, where some site has one: it gives NotImplemented for calls of other types."""
        self._calls: ReaderCalls | None = None
        self._sites: dict[Any, Site] = {}
        self._dependencies: Dependencies | None = None
        self._files: FileStates | None = None
        self._lock = new_lock()

    def publish(self, prepared: PreparedCall, values: tuple[Any, ...], miss: Miss) -> Site:
        """Serve calls like `prepared`, with the arguments `values`; the site that launches them.

        A site is made anew when it has to report more written tensors, or to look which device is current. All are,
        when what the function reads, or a plugin of its LLVM passes, has changed. When no guard can notice that, each
        call is a miss.
        """
        call, types, dependencies = prepared.call, tuple(map(type, values)), prepared.dependencies
        key = flat(call.parameters, values)[0] if call.has_containers else types
        is_current = prepared.is_current()
        with self._lock:
            if dependencies is not self._dependencies or prepared.files != self._files:
                self._forget()
                self._dependencies, self._files = dependencies, prepared.files
            site = self._sites.get(key)
            if site is None or not site.serves(prepared.pair, prepared.written, prepared.current):
                site = prepared.make_site(miss, pair=prepared.pair, is_current=is_current, replaced=site)
                self._sites[key] = site
            if not dependencies.unguarded:
                site.add(call.passed_leaves, prepared.plan, call.held)
                stub = site.serve if not call.has_containers else container_stub(call.parameters, self._sites, miss)
                self.stubs[types] = stub
                if not call.has_containers and site.native is not None:
                    self._serve_natively(types, site.native)
            return site

    def derive(self) -> Sites:
        """Sites of other calls of the function, forgotten with these."""
        sites = Sites()
        self._derived.add(sites)
        return sites

    def __iter__(self) -> Iterator[Site]:
        return iter(self._sites.values())

    def clear(self) -> None:
        """Forget all stubs."""
        with self._lock:
            self._forget()
        for sites in list(self._derived):
            sites.clear()

    def _serve_natively(self, types: tuple[type, ...], native: NativeSite) -> None:
        if self._calls is None:
            self._calls = reader_calls()
        if self._calls is not None:
            native.serve_in(self._calls, types)
            self.launch = self._calls.launch

    def _forget(self) -> None:
        if self._calls is not None:
            self._calls.clear()
        self.launch = None
        self._sites.clear()
        self.stubs.clear()


def container_stub(parameters: Sequence[Parameter], sites: Mapping[Any, Site], miss: Miss) -> Stub:
    """A stub for calls with containers: it hands their leaves to the stub of the site of their structure."""

    def stub(*args: Any) -> None:
        key, leaves = flat(parameters, args)
        site = sites.get(key)
        return miss(args) if site is None else site.serve(*leaves)

    return stub
