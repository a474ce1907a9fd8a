"""The text of manifests: equal for equal choices, and of this process alone where something has no name."""

from __future__ import annotations

from functools import partial

from flydsl.plugins.code.manifest_text import callable_text, manifest_text, only_here, reasons_of
from flydsl.testing.fakes import FakeBackend, fake_backend


class Other(FakeBackend):
    """Another class of one file."""


def text(**fields: object) -> str:
    return manifest_text(fake_backend(**fields))


def test_each_choice_shows() -> None:
    texts = [
        text(),
        text(factory=Other),
        text(factory=FakeBackend),
        text(factory="m:One"),
        text(factory="m:Two"),
        text(factory=partial(FakeBackend, "a")),
        text(factory=partial(FakeBackend, "b")),
        text(passes={"a": "m:A", "b": "m:B"}),
        text(passes={"b": "m:B", "a": "m:A"}),
        text(passes={"a": "m:Other", "b": "m:B"}),
        text(dialects=("m:D",)),
        text(expr_namespaces={"w": "m:w"}),
        text(tensor_alignment=16),
        text(warp_functions="m:f"),
        text(words={"flydsl.compiler.w": "m:w"}),
    ]
    assert len(set(texts)) == len(texts)
    assert text(factory=Other) == texts[1]
    assert not any(map(reasons_of, texts))


def test_what_has_no_name_has_a_text_of_this_process() -> None:
    one, two = lambda: Other(), lambda: Other()
    assert callable_text(one) == callable_text(one) != callable_text(two)
    assert "imported as" in reasons_of(callable_text(one))[0]
    assert reasons_of(text(factory=partial(FakeBackend, one)))


def test_reasons_are_read_again() -> None:
    assert reasons_of(f"abc{only_here('because')}; {only_here('and so')}") == ["because", "and so"]
    assert reasons_of("a+b") == []
