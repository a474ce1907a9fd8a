"""Every variable of the project: declared once, documented, read in one place."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import platformdirs
import pytest

from flydsl.base import settings
from flydsl.utils import env

ROOT = Path(__file__).parents[4]
CONTRACT = """FLYDSL_COMPILE_BACKEND FLYDSL_COMPILE_ARCH ARCH FLYDSL_RUNTIME_KIND FLYDSL_COMPILE_OPT_LEVEL COMPILE_ONLY
FLYDSL_RUNTIME_CACHE_DIR FLYDSL_RUNTIME_ENABLE_CACHE FLYDSL_RUNTIME_RUN_ONLY
FLYDSL_COMPILE_LLVM_PASS_PIPELINE FLYDSL_COMPILE_LLVM_PASS_PLUGINS FLYDSL_COMPILE_LLVM_CODEGEN_PASSES
FLYDSL_COMPILE_LLVM_CODEGEN_PLUGINS FLYDSL_COMPILE_LLVM_DIR FLYDSL_COMPILE_LLD
FLYDSL_DUMP_IR FLYDSL_DUMP_DIR FLYDSL_DEBUG_DUMP_ASM FLYDSL_DEBUG_PRINT_AFTER_ALL FLYDSL_DEBUG_PRINT_ORIGIN_IR
FLYDSL_DEBUG_AST_DIFF FLYDSL_DEBUG_ENABLE_DEBUG_INFO FLYDSL_DEBUG_ENABLE_VERIFIER FLYDSL_DEBUG_LOG_LEVEL
FLYDSL_DEBUG_SHOW_STACKTRACE FLYDSL_DEBUG_PLAIN_STARTUP FLYDSL_DISABLE_PLUGINS FLYDSL_TIMING FLYDSL_PROGRESS
"""


def test_every_variable_of_the_contract_is_declared_once() -> None:
    counts = Counter(variable for setting in settings.declared().values() for variable in setting.variables)
    assert set(CONTRACT.split()) <= set(counts)
    assert not [variable for variable, count in counts.items() if count > 1]


def test_every_setting_is_documented_with_its_default_and_meaning() -> None:
    page = (ROOT / "docs/reference/environment.md").read_text(encoding="utf-8")
    rows = [_row(name, setting) for name, setting in settings.declared().items()]
    missing = [row for row in rows if row not in page]
    assert not missing, "docs/reference/environment.md lacks:\n" + "\n".join(missing)
    documented = set(re.findall(r"^\| `([A-Z_]+)`[^|]*\| `env\.", page, re.MULTILINE))
    assert documented == {setting.variables[0] for setting in settings.declared().values()}


def test_settings_are_the_only_readers_of_the_environment() -> None:
    watches_it = "library_values.py"  # for functions of users that read it
    builds_plugins = "sdk/__init__.py"  # by the compiler that CXX names, as every build does
    known = ("settings.py", watches_it, builds_plugins)
    sources = [path for path in (ROOT / "packages").glob("flydsl-*/src/**/*.py") if not str(path).endswith(known)]
    readers = [str(path) for path in sources if re.search(r"os\.environ|getenv", path.read_text(encoding="utf-8"))]
    assert not readers


def test_a_default_backend_is_no_setting_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLYDSL_COMPILE_BACKEND", raising=False)
    assert (settings.compile.backend, settings.compile.is_set("backend")) == (settings.DEFAULT_BACKEND, False)
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "ACME")
    assert (settings.compile.backend, settings.compile.is_set("backend")) == ("acme", True)


def test_env_mirrors_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "Acme")
    assert env.compile.backend == "acme"
    assert (env.runtime, env.debug, env.plugins) == (
        settings.runtime,
        settings.debug,
        settings.plugins,
    )


@pytest.mark.parametrize("home", ["", "/tmp/somewhere", "  "])
def test_the_cache_folder_is_what_platformdirs_says(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLYDSL_RUNTIME_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", home)
    assert settings.runtime.cache_dir == platformdirs.user_cache_path("flydsl", appauthor=False)


def test_each_setting_that_changes_the_code_changes_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = {"FLYDSL_COMPILE_OPT_LEVEL": "1", "FLYDSL_DEBUG_ENABLE_DEBUG_INFO": "1"}
    for setting in settings.declared().values():
        variable = setting.variables[0]
        monkeypatch.delenv(variable, raising=False)
        before = settings.key_values()
        monkeypatch.setenv(variable, samples.get(variable, "1"))
        assert (settings.key_values() != before) == setting.in_key, variable
        monkeypatch.delenv(variable)


def test_a_group_lists_its_settings_by_name() -> None:
    assert set(settings.plugins.settings()) == {"disable"}
    assert settings.declared()["plugins.disable"] is settings.plugins.settings()["disable"]


def _row(name: str, setting: settings.Setting[object]) -> str:
    also = "".join(f" (also `{variable}`)" for variable in setting.variables[1:])
    in_key = "yes" if setting.in_key else ""
    return f"| `{setting.variables[0]}`{also} | `env.{name}` | {setting.shown} | {in_key} | {setting.meaning} |"
