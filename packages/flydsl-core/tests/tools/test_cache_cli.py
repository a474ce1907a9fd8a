"""The command `flydsl cache`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flydsl.cache.entry import Entry
from flydsl.cache.key import Configuration, digest
from flydsl.cache.remote import Remote
from flydsl.cache.store import Store
from flydsl.tools.cache_cli import main


def put(store: Store, name: str, sources: str = "s", opt_level: str = "2", target: str = "cpu:avx2") -> str:
    """Save an artifact as the compiler does; its digest."""
    configuration = Configuration("cpu", "cpu", target, "p", {"O": opt_level})
    key = configuration.artifact_key(name + sources)
    store.save(Entry(key, {"name": name}, {"device": b"code"}))
    store.link(configuration.index_key(sources, "a: f32"), key)
    return digest(key)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path))
    return Store(tmp_path)


def test_path_prints_the_folder(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["path"]) == 0
    assert capsys.readouterr().out == f"{store.path}\n"


def test_list_shows_each_entry_once(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    digests = [put(store, name) for name in ("add", "softmax")]
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["digest", "function", "backend", "target", "size", "last", "used"]
    assert {line.split()[0] for line in lines[1:-1]} == {found[:12] for found in digests}
    assert {line.split()[1] for line in lines[1:-1]} == {"add", "softmax"}
    assert lines[-1].startswith("2 entries")
    assert lines[-1].endswith("of 2.0 GiB")


def test_list_as_json_holds_the_full_keys(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    found = put(store, "add")
    assert main(["list", "--json"]) == 0
    (item,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (item["digest"], item["name"], item["key"]["option.O"]) == (found, "add", "2")


def test_list_of_an_empty_cache_says_so(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert "0 entries" in capsys.readouterr().out


def test_why_names_the_fields_that_differ_from_the_most_similar_entry(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = put(store, "add"), put(store, "add", opt_level="3")
    put(store, "add", sources="other", opt_level="0", target="cpu:avx512")
    assert main(["why", second[:10]]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{second[:12]} add",
        f"  differs from {first[:12]} in",
        "    option.O: '3' here, '2' there",
    ]


def test_why_names_changed_sources(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    put(store, "add", sources="one")
    put(store, "add", sources="two")
    assert main(["why", "add"]) == 0
    out = capsys.readouterr().out
    assert "sources: 'one' here, 'two' there" in out
    assert "sources: 'two' here, 'one' there" in out
    assert "ir: " in out


def test_why_of_a_single_entry(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    put(store, "add")
    assert main(["why", "add"]) == 0
    assert "the only entry of that name" in capsys.readouterr().out


def test_why_says_what_a_key_refuses(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"file://{tmp_path / 'shared'}"
    put(Store(tmp_path / "maker", remote=Remote(url)), "add")
    key = next(item.entry.key for item in Store(tmp_path / "maker").stored() if item.kind == "entry")
    assert Store(tmp_path, remote=Remote(url)).load(key) is not None
    main(["why", "add"])
    assert "not used" not in capsys.readouterr().out
    (tmp_path / "key").write_text("0123456789abcdef")
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_REMOTE_KEY_FILE", str(tmp_path / "key"))
    main(["why", "add"])
    assert "not used: it was taken from a shared cache without a signature" in capsys.readouterr().out


def test_why_of_an_unknown_entry_fails_and_says_what_to_do(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "nothing"]) == 1
    assert "flydsl cache list" in capsys.readouterr().err


def test_clear_removes_all(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    put(store, "add")
    assert main(["clear"]) == 0
    assert capsys.readouterr().out.startswith("removed 2 files, ")
    assert store.size() == 0


def test_cache_that_is_off_says_why(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "0")
    assert main(["list"]) == 0
    assert "FLYDSL_RUNTIME_ENABLE_CACHE is 0" in capsys.readouterr().err
    assert main(["path"]) == 1


def test_command_is_required(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "COMMAND" in capsys.readouterr().err


def test_entries_go_from_one_cache_to_another(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(store, "add")
    found = put(store, "softmax")
    archive = str(tmp_path / "cache.tar.gz")
    assert main(["export", archive, "softmax"]) == 0
    assert capsys.readouterr().out.startswith("1 entries, ")
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "other"))
    assert main(["import", archive]) == 0
    assert main(["import", archive]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2 files added, 0 were there, 0 refused",
        "0 files added, 2 were there, 0 refused",
    ]
    assert [item.digest for item in Store(tmp_path / "other").stored() if item.kind == "entry"] == [found]


def test_wrong_names_and_files_end_with_a_message(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = tmp_path / "cache.tar.gz"
    assert main(["export", str(archive), "nothing"]) == 1
    assert "no entry has a digest or a name 'nothing'" in capsys.readouterr().err
    assert not archive.exists()
    archive.write_bytes(b"no archive")
    assert main(["import", str(archive)]) == 1
    assert "is no whole archive of `flydsl cache export`" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "missing/cache.tar.gz")]) == 1
    assert "cannot write" in capsys.readouterr().err


def test_verify_names_damaged_files(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    put(store, "add")
    assert main(["verify"]) == 0
    assert capsys.readouterr().out == "2 files, 0 not as they were written\n"
    assert store.path is not None
    (file,) = store.path.glob("*/*.entry")
    file.write_bytes(file.read_bytes()[::-1])
    assert main(["verify"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{file.name}: magic is")
    assert lines[1] == "2 files, 1 not as they were written"
