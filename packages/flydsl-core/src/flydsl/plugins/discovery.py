"""Discovery of plugins: each loads alone, and a broken one is set aside with its reason."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module

from flydsl.base import settings
from flydsl.base.errors import IncompatiblePluginError
from flydsl.base.references import is_reference, resolve_reference
from flydsl.plugins.entry_points import EntryPoint, find_entry_points, installed_distributions
from flydsl.plugins.hooks import manifests_of
from flydsl.plugins.installed import Found, remembered
from flydsl.plugins.known_manifests import KnownManifests
from flydsl.plugins.manifests import Manifest
from flydsl.plugins.tables import Quarantined, Tables


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
        names = ", ".join(map(repr, unknown))
        message = f"FLYDSL_DISABLE_PLUGINS names {names}, installed plugins: {', '.join(sorted(known)) or 'none'}"
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
    for entry in entries:
        if "*" in left_out or entry.name.lower() in left_out:
            tables = replace(tables, disabled=(*tables.disabled, entry))
            continue
        try:
            if entry.name in names:
                raise ValueError(f"another plugin is called {entry.name!r} already")
            tables = _with_plugin(tables, entry, known)
            names.add(entry.name)
        except Exception as error:  # whatever a stranger's module does, the others load
            broken = Quarantined(entry, _explained(error, entry))
            tables = replace(tables, quarantined=(*tables.quarantined, broken))
    return tables


def clash(installed: Mapping[str, str]) -> str:
    """Why the `flydsl` namespace is not ours alone, or an empty string; `installed` as of `installed_distributions`."""
    owner = installed.get("flydsl")
    if owner is None:
        return ""
    return (
        f"a distribution named 'flydsl' is installed ({owner}) and owns the same files as flydsl-core: "
        "run 'pip uninstall flydsl', then reinstall flydsl-core and its plugins"
    )


def _explained(error: Exception, entry: EntryPoint) -> Exception:
    """The error of a plugin, or that it was made for another version of the core, which explains any error."""
    from flydsl.plugins.requirements import unmet_requirement  # here: a good start does without

    unmet = unmet_requirement(entry.distribution)
    if not unmet or isinstance(error, IncompatiblePluginError):
        return error
    explained = IncompatiblePluginError(f"{unmet} ({type(error).__name__}: {error})")
    explained.__cause__ = error
    return explained


def _with_plugin(tables: Tables, entry: EntryPoint, known: KnownManifests) -> Tables:
    manifests = known.of(entry)
    if manifests is None:
        plugin = resolve_reference(entry.module) if is_reference(entry.module) else import_module(entry.module)
        manifests = [_completed(manifest, entry) for manifest in manifests_of(plugin)]
        known.note(entry, plugin, manifests)
    for manifest in manifests:
        tables = tables.with_manifest(manifest)
    return replace(tables, plugins=(*tables.plugins, entry))


def _completed(manifest: Manifest, entry: EntryPoint) -> Manifest:
    """`manifest` with the distribution it came from, unless it says so itself."""
    if manifest.distribution not in ("", entry.distribution):
        return manifest
    return manifest.declared_by(entry.distribution, entry.version)
