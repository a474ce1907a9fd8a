"""Bitcode files in the text of pass pipelines."""

from __future__ import annotations

import pytest

from flydsl.compiler.link_utils import _append_link_lib_options_to_attach_targets, _format_link_lib_options


def test_files_are_options() -> None:
    assert _format_link_lib_options(["a.bc"]) == "l=a.bc"
    assert _format_link_lib_options(["a.bc", "/b/c.bc"]) == "l=a.bc l=/b/c.bc"
    assert _format_link_lib_options([]) == ""


@pytest.mark.parametrize("path", ["", "a b.bc", "a,b.bc", "{a}.bc", 'a".bc', "a'.bc", "a\n.bc"])
def test_paths_that_would_end_the_option_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match="Cannot pass external bitcode path"):
        _format_link_lib_options(["right.bc", path])


def test_options_go_into_the_braces_of_each_attach_target() -> None:
    fragments = ["canonicalize", "acme-attach-target{chip=a9 O=2}", "gpu.module(other-attach-target)"]
    changed, found = _append_link_lib_options_to_attach_targets(fragments, "l=a.bc")
    assert found
    assert changed == [
        *("canonicalize", "acme-attach-target{chip=a9 O=2 l=a.bc}", "gpu.module(other-attach-target{l=a.bc})"),
    ]
    assert _append_link_lib_options_to_attach_targets(["cse"], "l=a.bc") == (["cse"], False)
