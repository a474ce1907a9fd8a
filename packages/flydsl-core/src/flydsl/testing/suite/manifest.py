"""Tests of a plugin's declarations: that they are true, and that declaring costs nothing."""

from __future__ import annotations

import subprocess
import sys

from flydsl.base.origin import Home, normalised_name, origin
from flydsl.base.references import resolve_reference
from flydsl.plugins.active.border import checked_libraries
from flydsl.plugins.active.fingerprint import describe, fingerprint, native_files
from flydsl.plugins.code.imported_code import required
from flydsl.plugins.code.manifest_text import reasons_of
from flydsl.plugins.entry_points import installed_distributions
from flydsl.testing.suite.suite import Suite

_SCRIPT = """
import sys
sys.path[:] = {path!r}
import flydsl.plugins.hookspecs
before = set(sys.modules)
import {module}
new = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(*sorted(new - {{"flydsl", "{package}"}} - sys.stdlib_module_names))
"""
"""Prints the packages that a plugin's module imports, without its own, ours and Python's."""


class ManifestSuite(Suite):
    """Any plugin."""

    def test_the_plugin_module_imports_no_other_package(self) -> None:
        """Every process that uses FlyDSL loads it: frameworks, drivers and compilers come when they are needed."""
        module = self.bench.subject.module
        script = _SCRIPT.format(module=module, package=module.partition(".")[0], path=sys.path)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert not done.returncode, f"{module} cannot be imported: {done.stderr.strip().splitlines()[-1:]}"
        others = done.stdout.split()
        assert not others, f"{module} imports {', '.join(others)}, which every process would pay for"

    def test_the_manifests_say_what_they_were_made_for(self) -> None:
        for manifest in self.bench.subject.manifests:
            manifest.check_api_version()
            assert manifest.distribution, f"{manifest.name!r} comes from no distribution: install it, or name it"

    def test_factories_make_what_the_manifest_names(self) -> None:
        for manifest in self.bench.subject.manifests:
            made = manifest.create()  # type: ignore[attr-defined]
            assert made.name == manifest.name

    def test_everything_a_manifest_refers_to_exists(self) -> None:
        for manifest in self.bench.subject.manifests:
            for reference in manifest.references():
                resolve_reference(reference)

    def test_the_fingerprint_of_the_pair_is_stable_and_complete(self) -> None:
        if self.bench.subject.backend is None:
            return
        pair = self.bench.pair
        assert fingerprint(pair) == fingerprint(pair)
        assert fingerprint(pair, arch="one") != fingerprint(pair, arch="two")
        assert describe(pair)["backend.files"], "no file of the backend is in the fingerprint"

    def test_what_is_compiled_can_be_found_by_other_processes(self) -> None:
        if self.bench.subject.backend is None:
            return
        parts = describe(self.bench.pair)
        alone = {name: reasons_of(parts[name]) for name in ("backend.manifest", "runtime.manifest")}
        assert not any(alone.values()), (
            f"a part of the manifest has no name, so no process finds the code of another: {alone}; give factories as "
            "'module:attribute' (docs/explanation/cache.md, what may change the code)"
        )

    def test_what_its_classes_are_made_of_is_required(self) -> None:
        """A base class of another distribution is in the key by what the metadata require, and installed with them."""
        for manifest in self.bench.subject.manifests:
            own = {normalised_name(manifest.distribution), manifest.distribution.replace("-", "_")}
            known = required(manifest.distribution, installed_distributions())
            for base in type(manifest.create()).__mro__:  # type: ignore[attr-defined]
                home, label = origin(base.__module__)
                distribution = normalised_name(label.rpartition("-")[0]) if home is Home.INSTALLED else ""
                assert not distribution or distribution in {*own, *known}, (
                    f"{manifest.name!r} is made of {base.__module__}.{base.__qualname__} of {label}, which is not "
                    f"among the dependencies of {manifest.distribution}: name it there (docs/explanation/cache.md)"
                )

    def test_the_native_files_and_libraries_it_names_are_there(self) -> None:
        if "backend" in self.bench.subject.own:
            native_files(self.bench.backend_manifest)
            checked_libraries(self.bench.backend_manifest.name, self.bench.backend().device_libraries())
