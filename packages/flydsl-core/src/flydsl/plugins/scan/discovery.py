"""Discovery of plugins: each loads alone, and a broken one is set aside with its reason."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from types import ModuleType

from flydsl.base import settings
from flydsl.base.errors import DuplicateNameError, IncompatiblePluginError, text_of
from flydsl.base.origin import normalised_name
from flydsl.base.references import is_reference, resolve_reference
from flydsl.base.wording import did_you_mean
from flydsl.plugins.code.imported_code import CORE
from flydsl.plugins.entry_points import EntryPoint, find_entry_points, installed_distributions
from flydsl.plugins.manifests import Manifest
from flydsl.plugins.scan.hooks import manifests_of
from flydsl.plugins.scan.installed import Found, remembered
from flydsl.plugins.scan.known_manifests import KnownManifests
from flydsl.plugins.tables import LONG_S, Quarantined, Slow, Tables


def discover() -> Tables:
    """The tables of all installed plugins that FLYDSL_DISABLE_PLUGINS does not name."""
    entries, installed = remembered(settings.runtime.digest_memo, _scan)
    problem = clash(installed)
    if problem:
        warnings.warn(problem, RuntimeWarning, stacklevel=2)
    disabled = settings.plugins.disable
    known = {entry.name.lower() for entry in entries}
    unknown = [name for name in disabled if name != "*" and name.lower() not in known]
    if unknown:
        names, there = ", ".join(map(repr, unknown)), ", ".join(sorted(known)) or "none"
        meant = "".join(map(partial(did_you_mean, known=known), unknown))
        message = f"FLYDSL_DISABLE_PLUGINS names {names}, installed plugins: {there}{meant}"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    manifests = KnownManifests(settings.runtime.digest_memo)
    tables = discover_entry_points(entries, disabled=disabled, known=manifests)
    manifests.keep()
    return replace(tables, distributions=installed)


def _scan() -> Found:
    installed = installed_distributions()
    return Found(find_entry_points(installed=installed), installed)


def discover_entry_points(
    entries: Sequence[EntryPoint], disabled: Iterable[str] = (), known: KnownManifests | None = None
) -> Tables:
    """The tables of `entries`, of which some may be `known`; never raises for what a plugin does."""
    known = KnownManifests() if known is None else known
    left_out = frozenset(name.lower() for name in disabled)
    names: set[str] = set()
    tables = Tables()
    owners = frozenset(normalised_name(entry.distribution) for entry in entries)
    for entry in sorted(entries, key=_precedence):
        if "*" in left_out or entry.name.lower() in left_out:
            tables = replace(tables, disabled=(*tables.disabled, entry))
            continue
        began = perf_counter()
        try:
            if entry.name in names:
                raise ValueError(f"another plugin is called {entry.name!r} already")
            tables = _with_plugin(tables, entry, known, owners)
            names.add(entry.name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a stranger's module does, the others load
            broken = Quarantined(entry, _explained(error, entry))
            tables = replace(tables, quarantined=(*tables.quarantined, broken))
        seconds = perf_counter() - began
        if seconds > LONG_S:
            tables = replace(tables, slow=(*tables.slow, Slow(entry, seconds)))
    return tables


def clash(installed: Mapping[str, str]) -> str:
    """Why the `flydsl` namespace is not ours alone, or an empty string; `installed` as of `installed_distributions`."""
    owner = installed.get("flydsl")
    if owner is None or not _has_modules(owner):
        return ""
    return (
        f"a distribution named 'flydsl' is installed ({owner}) and owns the same files as flydsl-core: "
        "run 'pip uninstall flydsl', then reinstall flydsl-core and its plugins"
    )


def _has_modules(metadata: str) -> bool:
    """Whether a distribution has modules of `flydsl`: one that only claims a version for other programs has none."""
    try:
        record = (Path(metadata) / "RECORD").read_text(encoding="utf-8")
    except OSError:
        return True  # nothing is known of its files
    return any(line.startswith("flydsl/") for line in record.splitlines())


def _explained(error: BaseException, entry: EntryPoint) -> BaseException:
    """The error of a plugin, or that it was made for another version of the core, which explains any error."""
    from flydsl.plugins.scan.requirements import unmet_requirement  # here: a good start does without

    unmet = unmet_requirement(entry.distribution)
    if not unmet or isinstance(error, IncompatiblePluginError):
        return error
    explained = IncompatiblePluginError(f"{unmet} ({text_of(error)})")
    explained.__cause__ = error
    return explained


def _with_plugin(tables: Tables, entry: EntryPoint, known: KnownManifests, owners: frozenset[str]) -> Tables:
    manifests = known.of(entry)
    if manifests is None:
        plugin = resolve_reference(entry.module) if is_reference(entry.module) else import_module(entry.module)
        manifests = [_completed(manifest, entry) for manifest in manifests_of(plugin)]
        _refuse_archive(plugin)
        known.note(entry, plugin, manifests)
    for manifest in manifests:
        _refuse_name_of_other(manifest, entry, owners)
        tables = tables.with_manifest(manifest)
    return replace(tables, plugins=(*tables.plugins, entry))


def _precedence(entry: EntryPoint) -> int:
    """The core's own plugin first, then those whose name is that of their distribution."""
    distribution = normalised_name(entry.distribution)
    return 0 if distribution == CORE else 1 if distribution == f"flydsl-{normalised_name(entry.name)}" else 2


def _refuse_name_of_other(manifest: Manifest, entry: EntryPoint, owners: frozenset[str]) -> None:
    """DuplicateNameError for an id such as `acme` of another distribution than flydsl-acme, where that is installed."""
    owner = f"flydsl-{normalised_name(manifest.name)}"
    if owner in owners and normalised_name(entry.distribution) != owner:
        raise DuplicateNameError(f"{manifest.name!r} is the name of what {owner} declares: choose another one")


def _refuse_archive(plugin: object) -> None:
    """IncompatiblePluginError for a module that is in no file: neither its content nor its data can be in keys."""
    file = getattr(plugin, "__file__", None)
    if isinstance(plugin, ModuleType) and file and not os.path.isfile(file):
        raise IncompatiblePluginError(f"{file!r} is inside of an archive: install the distribution as files")


def _completed(manifest: Manifest, entry: EntryPoint) -> Manifest:
    """`manifest` with the distribution it came from, unless it says so itself."""
    if manifest.distribution not in ("", entry.distribution):
        return manifest
    return manifest.declared_by(entry.distribution, entry.version)
