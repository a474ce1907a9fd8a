"""A code object's disassembly and metadata in, `KernelReport`s of its kernels out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flydsl.base.errors import CompileError
from flydsl.plugins import KernelReport, widest_accesses
from flydsl_rocm.features import Feature
from flydsl_rocm.report.bank_conflicts import predicted_conflicts
from flydsl_rocm.report.instructions import CLASSES, Listed, access_of, class_of, listing
from flydsl_rocm.report.metadata import KernelMetadata, kernels_of
from flydsl_rocm.report.occupancy import waves_by_lds, waves_by_registers
from flydsl_rocm.target import RocmTarget


def code_reports(code: bytes, text: str, kernels: Sequence[str], target: RocmTarget) -> tuple[KernelReport, ...]:
    """Of `kernels`, in this order; `text` is the disassembly of `code`."""
    known, bodies = kernels_of(code), dict(_functions(text))
    for name in kernels:
        if name not in known or name not in bodies:
            raise CompileError(f"the code object has no kernel {name!r}; it has {', '.join(known) or 'none'}")
    return tuple(_report(known[name], bodies[name], target) for name in kernels)


def _functions(text: str) -> Iterator[tuple[str, list[Listed]]]:
    """The instructions of each function, by the label it starts with."""
    name, body = "", list[Listed]()
    for one in listing(text):
        if one.label and not one.label.startswith("L_"):
            if body:
                yield name, body
            name, body = one.label, []
        body.append(one)
    if body:
        yield name, body


def _report(kernel: KernelMetadata, body: list[Listed], target: RocmTarget) -> KernelReport:
    classes = [class_of(one.name) for one in body]
    registers = {"VGPR": kernel.vgprs - kernel.agprs if kernel.agprs else kernel.vgprs, "SGPR": kernel.sgprs}
    if Feature.ACCUMULATION_REGISTERS in target.features:
        registers["AGPR"] = kernel.agprs
    return KernelReport(
        name=kernel.name,
        instructions={kind: classes.count(kind) for kind in CLASSES},
        registers=registers,
        spills={"VGPR": kernel.vgpr_spills, "SGPR": kernel.sgpr_spills},
        memory={"LDS": kernel.lds, "scratch": kernel.scratch},
        occupancy={"registers": waves_by_registers(kernel, target), "LDS": waves_by_lds(kernel, target)},
        widest=widest_accesses(access_of(one.name) for one in body),
        conflicts=_conflicts(kernel, body, target),
        notes=tuple(_notes(kernel, body)),
    )


def _conflicts(kernel: KernelMetadata, body: list[Listed], target: RocmTarget) -> dict[str, int]:
    if kernel.block is None:
        return {}
    banks = 64 if Feature.LDS_BANKS_64 in target.features else 32
    found = predicted_conflicts(body, kernel.wave, kernel.block, banks)
    if not found.known + found.unknown:
        return {}
    return {"passes": found.conflicts, "known accesses": found.known, "unknown accesses": found.unknown}


def _notes(kernel: KernelMetadata, body: list[Listed]) -> Iterator[str]:
    if kernel.block is not None and any(access_of(one.name) and one.name.startswith("ds_") for one in body):
        yield (
            "bank conflicts are predicted from addresses that follow from thread numbers, for one execution of each "
            "access by all lanes of a block's first wave."
        )
    if kernel.dynamic_stack:
        yield "the stack's size is only known at run time: scratch is what is known before."
    if any(one.name.startswith(("s_swappc", "s_call")) for one in body):
        yield "it calls functions, whose instructions are not counted."
