"""What is noted besides texts: doubts, and conditions that are only settled when everything is read."""

from __future__ import annotations

from types import SimpleNamespace

from flydsl.cache.dependency_record import DependencyRecord
from flydsl.cache.guards import Guard, checker


def no_text(guard: Guard) -> str | None:
    return None


def test_a_doubt_is_unguarded_and_says_where() -> None:
    findings = DependencyRecord()
    findings.place = "file.py:3"
    assert findings.mark_uncacheable("'x' of 'f'", "it is unknown") == "?"
    assert findings.doubts == ["'x' of 'f': it is unknown"]
    assert findings.unguarded == ["'x' of 'f' (file.py:3): it is unknown"]


def test_what_is_watched_is_a_doubt_with_a_guard() -> None:
    answers = [1]
    findings = DependencyRecord()
    findings.watched("x", "it may change", lambda: answers[0])
    assert findings.doubts
    assert not findings.unguarded
    assert checker(findings.guards)()
    answers[0] = 2
    assert not checker(findings.guards)()


def test_a_condition_is_a_doubt_when_one_of_its_attributes_is_read() -> None:
    for attributes, computes, count in ((set(), False, 0), ({"now"}, False, 1), ({"day"}, False, 0), (set(), True, 1)):
        findings = DependencyRecord()
        findings.unless(frozenset({"now", "today"}), "x", "the clock may be read")
        findings.attributes, findings.computes = attributes, computes
        findings.finish(no_text)
        assert len(findings.doubts) == count


def test_a_new_object_at_each_read_is_compared_by_text() -> None:
    class Fresh:
        value = 1000.5

        @property
        def x(self) -> float:
            return float(str(self.value))

    owner, findings = Fresh(), DependencyRecord()
    findings.guard("attribute", owner, "x", owner.x)
    findings.finish(lambda guard: str(guard.owner.x))
    assert not findings.doubts
    assert checker(findings.guards)()
    owner.value = 7.5
    assert not checker(findings.guards)()


def test_another_value_at_each_read_is_a_doubt() -> None:
    counts = iter(range(99))

    class Fresh:
        @property
        def x(self) -> int:
            return 1000 + next(counts)

    owner, findings = Fresh(), DependencyRecord()
    findings.guard("attribute", owner, "x", owner.x)
    findings.finish(lambda guard: str(guard.owner.x))
    assert "each read of it gives another int" in findings.unguarded[0]


def test_stable_guards_stay_as_they_are() -> None:
    owner, findings = SimpleNamespace(x=[]), DependencyRecord()
    findings.guard("attribute", owner, "x", owner.x)
    before = list(findings.guards)
    findings.finish(no_text)
    assert findings.guards == before


def test_a_signature_is_watched_by_what_it_is_made_of_where_the_class_says_so() -> None:
    class Signed:
        name = "old"

        def __cache_signature__(self) -> tuple[str]:
            return (self.name,)

    class Named(Signed):
        __cache_attributes__ = ("name",)

    for cls, kind in ((Signed, "signature"), (Named, "attribute")):
        findings, value = DependencyRecord(), cls()
        findings.guard_signature(value, value.__cache_signature__())
        assert [guard.kind for guard in findings.guards] == [kind]
        assert checker(findings.guards)()
        value.name = "new"
        assert not checker(findings.guards)()
