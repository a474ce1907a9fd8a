"""Pictures of what a kernel works with, printed and in files."""

from __future__ import annotations

from pathlib import Path

import pytest

import flydsl.expr as fx


def test_each_kind_has_its_pictures(emitted, capsys: pytest.CaptureFixture[str]) -> None:
    def use() -> None:
        atom = fx.make_mma_atom(fx.UniversalFMA(fx.Float32))
        copy = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
        fx.utils.print_typst(fx.make_layout((4, 2), (2, 1)))
        fx.utils.print_typst(atom)
        fx.utils.print_typst(fx.make_tiled_mma(atom, fx.make_layout((2, 3, 1), (3, 1, 0))))
        fx.utils.print_typst(
            fx.make_tiled_copy_tv(copy, fx.make_layout((2, 2), (2, 1)), fx.make_layout((1, 2), (1, 1)))
        )

    emitted(use)
    documents = capsys.readouterr().out.split("#set page")[1:]
    assert [document.count("#table(") for document in documents] == [1, 3, 3, 2]
    assert '"T5 V0"' in documents[2]
    assert '"T3 V1"' in documents[3]


def test_a_file_has_one_header_and_a_page_for_each_picture(emitted, tmp_path: Path) -> None:
    file = tmp_path / "pictures.typ"

    def use() -> None:
        for extent in (2, 3):
            fx.utils.print_typst(fx.make_layout(extent, 1), file=file, color=lambda index: "#102030")

    emitted(use)
    text = file.read_text()
    assert (text.count("#set page"), text.count("#pagebreak()"), text.count("#102030")) == (1, 1, 5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda n: 3, "draws layouts, MMA atoms, tiled MMAs and tiled copies, found 3"),
        (lambda n: fx.make_layout((2, 2, 2), (1, 2, 4)), "layouts of one or two modes"),
        (lambda n: fx.make_layout((n, 2), (2, 1)), "only static layouts have a picture"),
    ],
)
def test_what_has_no_picture_is_refused(emitted, make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        emitted(lambda n: fx.utils.print_typst(make(n)), fx.Int32)
