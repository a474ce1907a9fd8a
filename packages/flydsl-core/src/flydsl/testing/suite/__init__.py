"""The conformance suite: a plugin's test file is one line.

    TestAcme = conformance("flydsl_acme.plugin", targets=("acme1", "acme2"))

Every backend, runtime and adaptor that the plugin declares is tested. Nothing here knows the name of a plugin: tests
ask for capabilities (`flydsl.testing.capabilities`), and what a plugin lacks it declares, with a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flydsl.testing.capabilities import Capabilities, Capability
from flydsl.testing.suite.adaptor import AdaptorSuite
from flydsl.testing.suite.bench import Bench
from flydsl.testing.suite.compile import CompileSuite
from flydsl.testing.suite.launch import LaunchSuite
from flydsl.testing.suite.manifest import ManifestSuite
from flydsl.testing.suite.numbers import NumberSuite
from flydsl.testing.suite.runtime import RuntimeSuite
from flydsl.testing.suite.subject import Subject
from flydsl.testing.suite.suite import Suite
from flydsl.testing.suite.tensors import Tensors
from flydsl.testing.suite.threads import ThreadSuite

__all__ = ["Tensors", "conformance"]


def conformance(
    plugin: str,
    *,
    backend: str = "",
    runtime: str = "",
    adaptor: str = "",
    targets: Sequence[str] = (),
    devices: Sequence[str] = (),
    fixtures: Sequence[str] = (),
    tensors: Tensors | str | None = None,
    beside: Sequence[str] = (),
    without: Mapping[str, str] | None = None,
    known: Mapping[str, str] | None = None,
) -> type[Suite]:
    """The tests for the hooks of the module `plugin`, as a class to bind to a name that pytest collects.

    `backend`, `runtime` and `adaptor` name one of several that are declared. `targets` are architectures to compile for
    (default: the backend's default). `devices` are architectures to run on: the tests of the runtime and of launches
    run once for each, on a device that has it (default: the `targets` of a plugin without a backend of its own, else
    the current device only); one that no device has is a failure. `fixtures` are pytest's, used by each test before the
    plugin is: such as one that gives simulated devices. `tensors` makes tensors for the adaptor: a `Tensors`, or the
    name of a module with the functions of the array API. `beside` are modules of other plugins that are needed, such as
    the backend of a runtime. `without` maps a missing capability to the reason. `known` are deviations: tests
    that fail, as pytest names them (`test_x`, or `test_x[case]` for one case), each with the reason; one that passes is
    a failure.
    """
    capabilities = Capabilities(without or {})
    if len(targets) < 2:
        capabilities = capabilities.without(Capability.SEVERAL_TARGETS, "the test file names less than two")
    subject = Subject.of_plugin(
        plugin,
        beside=beside,
        names={"backend": backend, "runtime": runtime, "adaptor": adaptor},
        targets=tuple(targets) or ("",),
        devices=tuple(devices),
        fixtures=tuple(fixtures),
        tensors=Tensors.of_module(tensors) if isinstance(tensors, str) else tensors,
        capabilities=capabilities,
        known=dict(known or {}),
    )
    parts: tuple[type, ...] = (ManifestSuite, *_parts(subject))
    made = type("Conformance", parts, {"bench": Bench(subject)})
    for name, reason in subject.known.items():
        if not hasattr(made, name.partition("[")[0]):
            raise ValueError(f"known deviation {name!r} is no test of this plugin: give the name as pytest prints it")
        if not (isinstance(reason, str) and reason.strip()):
            raise ValueError(f"known deviation {name!r} has no reason, found {reason!r}")
    return made


def _parts(subject: Subject) -> Iterator[type[Suite]]:
    """The suites for what there is to test."""
    if "backend" in subject.own:
        yield CompileSuite
    if "runtime" in subject.own:
        yield RuntimeSuite
    if subject.backend is not None and subject.runtime is not None and subject.own & {"backend", "runtime"}:
        yield LaunchSuite
        yield NumberSuite
        yield ThreadSuite
    if "adaptor" in subject.own:
        yield AdaptorSuite
