"""What is printed of the attempts of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flydsl.tools.trying.processes import Place


def show(reports: Mapping[str, Mapping[str, Any]], place: Place) -> int:
    """Print a line for each file, each function that fails and each finding, then the counts; 1 if any failed."""
    width = max(map(len, reports))
    outcomes: list[Mapping[str, str]] = []
    for name, report in reports.items():
        functions: Mapping[str, Mapping[str, str]] = report["functions"]
        outcomes += functions.values()
        if report["import"]:
            print(f"{name:<{width}}  import fails: {report['import']}")
            continue
        done = [function for function, outcome in functions.items() if not outcome["failed"]]
        verb = "runs" if place.runs else "compiles"
        print(f"{name:<{width}}  imports; {verb} {', '.join(done) or 'nothing'}")
        for function, outcome in functions.items():
            if outcome["failed"]:
                print(f"{'':<{width}}  {function} {outcome['failed']}: {outcome['reason']}")
    imported = sum(not report["import"] for report in reports.values())
    print(f"{imported} of {len(reports)} files can be imported, {_counts(outcomes, place)}")
    return int(imported < len(reports) or any(outcome["failed"] for outcome in outcomes))


def _counts(outcomes: list[Mapping[str, str]], place: Place) -> str:
    count, kinds = len(outcomes), [outcome["failed"] for outcome in outcomes]
    compiled = count - kinds.count("fails")
    text = f"{compiled} of {count} functions compile"
    if not place.runs:
        return text
    checked = [outcome for outcome in outcomes if outcome["checked"]]
    right = sum(not outcome["failed"] for outcome in checked)
    return f"{text}, {right} of {len(checked)} that are checked are right, {kinds.count('found')} have findings"
