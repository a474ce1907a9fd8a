"""Words that plugins add to modules of the core: in the key of code that reads them, whichever pair it is for."""

from __future__ import annotations

from flydsl.plugins.active.portions import is_covered, portion_digest, portion_of, words_among
from flydsl.testing.fakes import FakeBackend, fake_backend
from flydsl.testing.sandbox import PluginSandbox


def test_words_of_plugins_are_portions(isolated_plugins: PluginSandbox) -> None:
    added = fake_backend(expr_namespaces={"fakeword": "m:w"}, words={"flydsl.compiler.from_fake": "m:f"})
    isolated_plugins.register(added)
    assert portion_of("flydsl.expr.fakeword.inner") == "word fakeword"
    assert portion_of("flydsl.expr.math") == ""
    assert is_covered("flydsl.expr.fakeword", frozenset({"flydsl"}))
    assert words_among({"fakeword", "from_fake", "math"}) == {"word fakeword", "word from_fake"}


def test_the_digest_is_that_of_all_who_add_the_word(isolated_plugins: PluginSandbox) -> None:
    def digest(*versions: str) -> str:
        isolated_plugins.install()
        for index, version in enumerate(versions):
            words = {"fakeword": "flydsl.testing.fakes:FakeBackend"}
            isolated_plugins.register(
                fake_backend(f"f{index}", factory=FakeBackend, expr_namespaces=words, version=version)
            )
        return portion_digest("word fakeword")

    first = digest("1.0")
    assert digest("1.0") == first
    assert len({first, digest("2.0"), digest("1.0", "1.0"), digest()}) == 4
