"""Reports of machine code as text and JSON, alone or against another build (`flydsl compile --report`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from flydsl.base.errors import ArgumentError
from flydsl.plugins.code_report import Counts, KernelReport

FORMAT = "flydsl-code-report-1"
_TITLES = {
    "instructions": "instructions",
    "registers": "registers",
    "spills": "spills",
    "memory": "bytes of memory",
    "occupancy": "waves by limit",
    "widest": "widest access, bits",
    "conflicts": "bank conflicts",
}


def report_text(target: str, reports: Sequence[KernelReport]) -> str:
    """One block of lines a kernel."""
    return "\n".join("\n".join(_kernel_lines(target, report)) for report in reports)


def comparison_text(target: str, reports: Sequence[KernelReport], before: Sequence[KernelReport]) -> str:
    """What changed from `before`, kernel by kernel; equal counts are left out.

    Kernels are matched by name; where each build has one, these are compared whatever they are called.
    """
    earlier = {report.name: report for report in before}
    if len(reports) == 1 == len(before):
        earlier = {reports[0].name: before[0]}
    lines = [line for report in reports for line in _changes(target, report, earlier.get(report.name))]
    gone = [name for name in earlier if name not in {report.name for report in reports}]
    return "\n".join([*lines, *(f"{name}: gone" for name in gone)]) + "\n"


def report_json(target: str, reports: Sequence[KernelReport]) -> str:
    """The reports as a JSON document that `read_json` takes."""
    document = {"format": FORMAT, "target": target, "kernels": [report.to_json() for report in reports]}
    return json.dumps(document, indent=2) + "\n"


def read_json(file: Path) -> list[KernelReport]:
    """The reports in a file that `flydsl compile --report --json` wrote."""
    try:
        document = json.loads(file.read_text())
        if document["format"] != FORMAT:
            raise ValueError(document["format"])
        return [KernelReport.from_json(kernel) for kernel in document["kernels"]]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ArgumentError(
            f"{file} is no report of machine code: write one with `flydsl compile --report --json -o FILE`"
        ) from error


def _kernel_lines(target: str, report: KernelReport) -> Iterator[str]:
    yield f"{report.name} for {target}"
    for group, counts in report.groups():
        yield f"  {_TITLES[group]:<20} {_listed(group, counts)}"
    for note in report.notes:
        yield f"  note: {note}"
    yield ""


def _listed(group: str, counts: Counts) -> str:
    text = ", ".join(f"{name} {count}" for name, count in counts.items())
    return f"{sum(counts.values())} ({text})" if group == "instructions" else text


def _changes(target: str, report: KernelReport, before: KernelReport | None) -> Iterator[str]:
    if before is None:
        yield f"{report.name} for {target}: new, {report.total} instructions"
        return
    old, new = _flat(before), _flat(report)
    changed = [key for key in {**old, **new} if old.get(key, 0) != new.get(key, 0)]
    if not changed:
        yield f"{report.name} for {target}: no count changed"
        return
    yield f"{report.name} for {target}"
    for group, name in changed:
        was, now = old.get((group, name), 0), new.get((group, name), 0)
        yield f"  {_TITLES[group] + ': ' + name:<40} {was:>7} -> {now:<7} {now - was:+}"


def _flat(report: KernelReport) -> dict[tuple[str, str], int]:
    """Every count by group and name, with the sum of the instructions first."""
    counts = {(group, name): count for group, counts in report.groups() for name, count in counts.items()}
    return {("instructions", "all"): report.total, **counts}
