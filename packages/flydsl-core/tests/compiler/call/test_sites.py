"""Call sites of a function: which stub serves a call, and when stubs are forgotten."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from flydsl.compiler.call.sites import Sites, container_stub
from flydsl.frontend.signature import Parameter

ANY = Parameter("p", "any")


class Site:
    """Stands for a site: serves calls that write nothing new."""

    native = None

    def __init__(self, written):
        self.written, self.plans = written, []

    def serves(self, pair, written, current):
        return written <= self.written

    def add(self, leaves, plan, held):
        self.plans.append((list(leaves), plan))

    def serve(self, *leaves):
        return ("launched", leaves)


class Reads:
    """Stands for what a function reads."""

    guards = ("a global",)
    unguarded = ""

    def checker(self):
        return "is_current"


READS = Reads()


def prepared(values, written=(), reads=READS, containers=False, files=None):
    leaves = [leaf for value in values for leaf in (value if isinstance(value, tuple) else (value,))]
    call = SimpleNamespace(parameters=[ANY] * len(values), passed_leaves=leaves, held=(), has_containers=containers)

    def make_site(miss, *, pair, is_current, replaced):
        assert is_current == "is_current"
        return Site(frozenset(written) | (replaced.written if replaced else frozenset()))

    return SimpleNamespace(
        call=call,
        plan=f"plan of {values}",
        written=frozenset(written),
        pair=None,
        current=None,
        dependencies=reads,
        files=files,
        is_current=reads.checker,
        make_site=make_site,
    )


def publish(sites, values, **kind):
    return sites.publish(prepared(values, **kind), values, lambda values: ("missed", values))


def test_all_is_forgotten_when_a_plugin_of_llvm_passes_was_touched():
    sites = Sites()
    publish(sites, (1,), files="as it was")
    publish(sites, ("a",), files="as it was")
    assert len(list(sites)) == 2
    publish(sites, (1,), files="touched")
    assert len(list(sites)) == 1


def test_calls_of_equal_types_share_a_site():
    sites = Sites()
    publish(sites, (1, 2))
    publish(sites, (3, 4))
    publish(sites, (1, "a"))
    assert [len(site.plans) for site in sites] == [2, 1]
    assert set(sites.stubs) == {(int, int), (int, str)}


def test_a_site_is_made_anew_to_report_more_written_tensors():
    sites = Sites()
    publish(sites, (1,), written=[0])
    publish(sites, (2,), written=[1])
    (site,) = sites
    assert site.written == {0, 1}
    assert [leaves for leaves, _ in site.plans] == [[2]]


def test_what_was_made_of_other_readings_is_forgotten():
    sites = Sites()
    publish(sites, (1,))
    publish(sites, ("a",), reads=Reads())
    assert set(sites.stubs) == {(str,)}


def test_each_call_is_a_miss_when_no_guard_sees_what_changes():
    reads = Reads()
    reads.unguarded = "the clock"
    sites = Sites()
    call = prepared((1,), reads=reads)
    call.is_current = lambda: None
    call.make_site = lambda miss, *, pair, is_current, replaced: Site(frozenset()) if is_current is None else None
    site = sites.publish(call, (1,), None)
    assert sites.stubs == {}
    assert site.plans == []
    assert sites.publish(call, (1,), None) is site


def test_clearing_forgets_all_stubs_in_the_dictionary_that_callers_hold():
    sites = Sites()
    stubs = sites.stubs
    publish(sites, (1,))
    sites.clear()
    assert stubs == {}
    assert sites.stubs is stubs
    assert list(sites) == []


def test_containers_are_told_apart_by_structure_behind_one_stub():
    sites = Sites()
    publish(sites, ((1, 2),), containers=True)
    publish(sites, ((1, "a"),), containers=True)
    assert set(sites.stubs) == {(tuple,)}
    stub = sites.stubs[(tuple,)]
    assert stub((3, 4)) == ("launched", (3, 4))
    assert stub((3, "b")) == ("launched", (3, "b"))
    assert stub((3,)) == ("missed", ((3,),))


@pytest.mark.parametrize("sites", [{}])
def test_a_container_of_unknown_structure_is_missed(sites):
    assert container_stub([ANY], sites, lambda values: values)([1]) == ([1],)


def test_derived_sites_are_forgotten_with_those_of_the_function():
    sites = Sites()
    derived = sites.derive()
    derived.publish(prepared((1,)), (1,), None)
    assert not sites.stubs
    sites.clear()
    assert not derived.stubs


class NativeSite(Site):
    """Stands for a site with a part of a reader."""

    @property
    def native(self):
        return self

    def serve_in(self, calls, types):
        calls[types] = self


class Calls(dict):
    """Stands for the reader's calls."""

    def launch(self, *values):
        site = self.get(tuple(map(type, values)))
        return NotImplemented if site is None else site.serve(*values)


@pytest.fixture
def calls(monkeypatch):
    found = Calls()
    monkeypatch.setattr("flydsl.compiler.call.sites.reader_calls", lambda: found)
    return found


def publish_natively(sites, values, **kind):
    call = prepared(values, **kind)
    call.make_site = lambda miss, **_: NativeSite(frozenset())
    sites.publish(call, values, lambda values: ("missed", values))


def test_calls_are_launched_natively_where_a_site_can(calls):
    sites = Sites()
    publish(sites, ("a",))
    assert sites.launch is None
    publish_natively(sites, (1, 2))
    assert sites.launch(3, 4) == ("launched", (3, 4))
    assert sites.launch("b") is NotImplemented
    publish_natively(sites, ((1, 2),), containers=True)
    assert set(calls) == {(int, int)}


def test_native_calls_are_forgotten_with_the_others(calls):
    sites = Sites()
    publish_natively(sites, (1,))
    sites.clear()
    assert (sites.launch, calls) == (None, {})
    publish_natively(sites, (1,))
    publish_natively(sites, ("a",), reads=Reads())
    assert set(calls) == {(str,)}
