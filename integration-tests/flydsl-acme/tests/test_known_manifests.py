"""A plugin of a third party, installed, edited and removed between processes, which remember what plugins say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src/flydsl_acme"
TABLES = """
import json, sys
import flydsl.base.files.file_digest as digest
digest.SETTLED_NS = -(10**18)  # files that changed just now count as any other
from flydsl.plugins.registry import registry
tables = registry.tables
assert not tables.quarantined, tables.quarantined
print(json.dumps([sorted(tables.backends), sorted(name for name in sys.modules if name.endswith(".plugin"))]))
"""


class Site:
    """A folder of `sys.path` in which the plugin may be installed, under a name that no other has."""

    def __init__(self, root: Path) -> None:
        self.folder, self.info = root / "site", root / "site/flydsl_zeta-1.0.dist-info"
        self.package = self.folder / "flydsl_zeta"
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [str(self.folder), os.environ.get("PYTHONPATH")])),
            "PYTHONDONTWRITEBYTECODE": "1",
            "FLYDSL_RUNTIME_CACHE_DIR": str(root / "cache"),
        }

    def install(self) -> None:
        for folder in (self.package, self.info):
            folder.mkdir(parents=True)
        for name in ("__init__.py", "plugin.py"):
            text = (SOURCE / name).read_text()
            (self.package / name).write_text(text.replace("acme", "zeta").replace("Acme", "Zeta"))
        (self.info / "METADATA").write_text("Metadata-Version: 2.1\nName: flydsl-zeta\nVersion: 1.0\n")
        (self.info / "entry_points.txt").write_text("[flydsl]\nzeta = flydsl_zeta.plugin\n")

    def edit(self, old: str, new: str) -> None:
        file = self.package / "plugin.py"
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))

    def start(self) -> tuple[set[str], set[str]]:
        """The backends that a new process knows, and the modules of plugins that it has imported."""
        command = [sys.executable, "-c", TABLES]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        backends, modules = json.loads(done.stdout)
        return set(backends), set(modules)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Nothing is installed in it."""
    return Site(tmp_path)


def test_each_change_is_seen_by_the_next_process(site: Site) -> None:
    ours, asked = site.start()
    assert "flydsl.adaptors.plugin" in asked
    known = site.start()[1]  # those that do not say that they may be remembered
    assert "flydsl.adaptors.plugin" not in known
    site.install()
    with_it = (ours | {"zeta"}, known | {"flydsl_zeta.plugin"})
    assert [site.start(), site.start()] == [with_it, with_it]
    site.edit("from __future__ import annotations\n", "from __future__ import annotations\n\nHOOKS_READ = ()\n")
    assert [site.start(), site.start()] == [with_it, with_it]  # a function without a name cannot be
    claims = 'lambda cls: cls.__module__ == "flydsl_zeta.adaptor" and cls.__name__ == "ZetaArray"'
    site.edit(claims, 'ClassNames("flydsl_zeta.adaptor:ZetaArray")')
    site.edit("import CompileBackendManifest", "import ClassNames, CompileBackendManifest")
    assert site.start() == with_it
    assert site.start() == (ours | {"zeta"}, known)
    site.edit(
        'name="zeta",\n            api_version=4,\n            factory="flydsl_zeta.backend',
        'name="other",\n            api_version=4,\n            factory="flydsl_zeta.backend',
    )
    assert site.start() == (ours | {"other"}, asked | {"flydsl_zeta.plugin"})
    assert site.start() == (ours | {"other"}, known)
    shutil.rmtree(site.info)
    assert site.start()[0] == ours
    shutil.rmtree(site.package)
    site.start()
    assert site.start() == (ours, known)


def test_processes_at_once_do_not_disturb_each_other(site: Site) -> None:
    site.install()
    command = [sys.executable, "-c", TABLES]
    running = [
        subprocess.Popen(command, env=site.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    answers = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0] * len(running), answers
    assert all("zeta" in json.loads(output)[0] for output, _ in answers)
    assert "flydsl.adaptors.plugin" not in site.start()[1]
