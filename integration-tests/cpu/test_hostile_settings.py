"""Values that no setting expects: a program works, or an error names the variable; the nightly has all of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from support.hostile_settings import Attempt, attempts, problem_of, variables

SOME = (
    *(Attempt("FLYDSL_COMPILE_ARCH", b"\xff\xfe"), Attempt("FLYDSL_COMPILE_LLVM_CODEGEN_PASSES", b"nowhere")),
    *(Attempt("FLYDSL_COMPILE_LLVM_PASS_PIPELINE", b"no such pass"), Attempt("FLYDSL_COMPILE_LLVM_DIR", b"/dev/full")),
    *(Attempt("FLYDSL_COMPILE_LLVM_PASS_PLUGINS", b"~no-such-user/x"), Attempt("FLYDSL_DUMP_DIR", b"/dev/null/x")),
    *(Attempt("FLYDSL_RUNTIME_CACHE_DIR", b"~nobody/x"), Attempt("FLYDSL_RUNTIME_CACHE_REMOTE_KEY_FILE", b"/dev/null")),
)
"""Values that a look at all of them found."""


def test_every_variable_has_its_values() -> None:
    assert {attempt.variable for attempt in attempts()} == set(variables())
    assert len(set(attempts())) == len(attempts())


@pytest.mark.parametrize("half", [0, 1])
def test_a_program_works_or_is_told_the_variable(half: int) -> None:
    with ThreadPoolExecutor(2) as threads:
        problems = list(threads.map(problem_of, SOME[half::2]))
    assert [problem for problem in problems if problem] == []
