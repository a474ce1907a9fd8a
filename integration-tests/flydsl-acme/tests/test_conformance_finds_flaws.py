"""The conformance suite fails where it should: plugins with one flaw each, and the checks that find it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

FLAWS = {
    # Backends
    "Random": {
        "the_same_input_gives_the_same_bytes_and_key",
        "threads_that_compile_at_once_get_the_same_bytes",
        "code_objects_are_shown_as_text_and_always_the_same",
    },
    "OneCodeForAll": {"each_target_has_its_own_key_and_bytes"},
    "KnowsEverything": {"an_unknown_architecture_is_refused_by_name"},
    "OutOfOrder": {"the_pipeline_runs_the_fly_passes_first_and_in_order"},
    "TakesRubbish": {
        "text_that_is_no_module_is_a_compile_error",
        "bytes_that_are_no_code_object_cannot_be_disassembled",
    },
    "Borrowed": {"what_its_classes_are_made_of_is_required"},
    "OnlyOne": {"each_resolution_gives_a_fresh_instance"},
    # Runtimes
    "ForgetsFrees": {"freeing_twice_is_an_error_that_says_so"},
    "SetsTooMuch": {"a_part_is_copied_and_set_alone", "copies_of_nothing_do_nothing"},
    "CountsSeconds": {"time_between_events_grows_and_is_in_milliseconds"},
    "OneStream": {"streams_and_events_have_handles_of_their_own"},
    "AnyDevice": {"a_device_that_is_not_there_is_an_error", "calls_with_a_device_that_is_not_there_are_errors"},
    "MovingTable": {"the_table_speaks_this_abi_and_stays_where_it_is"},
    "Wordless": {"the_status_is_an_answer_with_a_reason"},
    "StatusFails": {"the_status_is_an_answer_with_a_reason"},
    "StatusIsNothing": {"the_status_is_an_answer_with_a_reason"},
    "NoUnload": {"no_function_of_the_table_is_a_null_pointer"},
    # Launches
    "NeverWaits": {"threads_of_a_block_wait_for_each_other"},
    "NeverRefuses": {"a_block_that_is_too_large_is_an_error_and_the_process_goes_on"},
    "OnlyLogsAndSaysSo": set(),
    # Adaptors
    "OneSignature": {"the_signature_tells_all_that_the_description_tells"},
    "ClaimsAll": {"it_claims_nothing_else"},
}
"""Class of broken_plugins.py -> exactly the checks that fail, of those that appear in this file."""

WIDE_FLAWS = {
    "MakesNothing": {"a_code_object_is_bytes"},
    "MakesText": {"a_code_object_is_bytes"},
    "WordyWarps": {"a_target_says_what_code_is_made_for"},
    "NoThreads": {"a_target_says_what_code_is_made_for"},
    "NamesNothing": {"the_native_files_and_libraries_it_names_are_there"},
    "LosesLibrary": {"the_native_files_and_libraries_it_names_are_there"},
    "Unhashable": {"tensors_of_all_shapes_are_described"},
    "NumpyShape": {"tensors_of_all_shapes_are_described"},
    "Misnamed": {"factories_make_what_the_manifest_names"},
    "DropsLastByte": {"what_is_copied_in_comes_out", "a_part_is_copied_and_set_alone"},
    "ShiftsWork": {"work_of_a_stream_is_done_in_order"},
    "LosesBlocks": {"vectors_of_any_length_are_added", "every_thread_knows_where_it_is"},
    "OnlyLogs": {"vectors_of_any_length_are_added", "threads_of_a_block_wait_for_each_other"},
    "InBytes": {"a_contiguous_tensor_is_row_major_in_elements"},
    "OffByOne": {"tensors_of_all_shapes_are_described"},
    "WrongType": {"dtypes_are_those_of_dlpack"},
}
"""The same for flaws that other checks find too."""


@pytest.fixture(scope="module")
def failed() -> dict[str, set[str]]:
    """The checks that failed, by class."""
    checks = {check for found in (*FLAWS.values(), *WIDE_FLAWS.values()) for check in found}
    options = ["-q", "-rf", "--tb=no", "-p", "no:cacheprovider", "--import-mode=importlib", "-k", " or ".join(checks)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "COLUMNS": "300"}
    command = [sys.executable, "-m", "pytest", *options, str(HERE / "broken_plugins.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    found: dict[str, set[str]] = {}
    for name, check in re.findall(r"^FAILED \S*::Test(\w+)::test_(\w+)", done.stdout, re.MULTILINE):
        found.setdefault(name, set()).add(check)
    return found


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_found_by_its_own_checks_only(flaw: str, failed: dict[str, set[str]]) -> None:
    assert failed.get(flaw, set()) == FLAWS[flaw]


@pytest.mark.parametrize("flaw", WIDE_FLAWS)
def test_a_wide_flaw_is_found(flaw: str, failed: dict[str, set[str]]) -> None:
    assert failed[flaw] >= WIDE_FLAWS[flaw]


def test_every_broken_plugin_is_expected_here() -> None:
    names = set(re.findall(r"\bTest(\w+)", (HERE / "broken_plugins.py").read_text()))
    assert names == FLAWS.keys() | WIDE_FLAWS.keys()
