"""The output folder: all of it or nothing, and nobody else's files are touched."""

import json
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from hopwright import out
from hopwright.errors import InputError
from hopwright.out import check_folder, default_folder, new_folder

SUMMARY = json.dumps({"scenario": "x", "version": "0", "results": []}).encode()
FILES = {"summary.json": SUMMARY, "scenario.toml": b"", "seed-1/summary.json": b"{}"}


def write_folder(folder: Path, files: Mapping[str, bytes], *, overwrite: bool) -> None:
    with new_folder(folder, overwrite=overwrite) as place:
        for name, content in files.items():
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_bytes(content)


def tree(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def test_writes_all_files_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    check_folder(folder, overwrite=False)
    assert tree(tmp_path) == []
    write_folder(folder, FILES, overwrite=False)
    assert tree(folder) == ["scenario.toml", "seed-1", "seed-1/summary.json", "summary.json"]
    assert tree(folder.parent) == ["b", *(f"b/{name}" for name in tree(folder))]


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    write_folder(tmp_path / "new", FILES, overwrite=False)
    (tmp_path / "empty").mkdir()
    check_folder(tmp_path / "empty", overwrite=False)
    write_folder(tmp_path / "empty", FILES, overwrite=False)
    assert tree(tmp_path / "empty") == tree(tmp_path / "new")


def test_the_folder_one_stands_in_may_be_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_folder(Path(), overwrite=False)
    write_folder(Path(), FILES, overwrite=False)
    assert tree(tmp_path) == ["scenario.toml", "seed-1", "seed-1/summary.json", "summary.json"]
    with pytest.raises(InputError, match="cannot be replaced"):
        check_folder(Path(), overwrite=True)


@pytest.mark.parametrize("overwrite", [False, True])
def test_other_peoples_files_are_refused(tmp_path: Path, *, overwrite: bool) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="other files"):
        check_folder(tmp_path, overwrite=overwrite)


def test_own_results_need_overwrite(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_folder(folder, FILES, overwrite=False)
    with pytest.raises(InputError, match="--overwrite"):
        check_folder(folder, overwrite=False)
    check_folder(folder, overwrite=True)
    write_folder(folder, {"summary.json": SUMMARY, "scenario.toml": b"2"}, overwrite=True)
    assert tree(tmp_path) == ["out", "out/scenario.toml", "out/summary.json"]


@pytest.mark.parametrize("name", ["notes.txt", "seed-1/notes.txt"])
def test_a_note_among_own_results_is_not_lost(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "out"
    write_folder(folder, FILES, overwrite=False)
    (folder / name).write_text("mine")
    with pytest.raises(InputError, match=r"notes\.txt.*would be lost"):
        check_folder(folder, overwrite=True)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match="not a folder"):
        check_folder(tmp_path / "out", overwrite=True)
    with pytest.raises(InputError, match="cannot write there"):
        check_folder(tmp_path / "out" / "deeper", overwrite=False)


def test_a_place_without_room_is_refused() -> None:
    with pytest.raises(InputError, match="cannot write there"):
        check_folder(Path("/proc/hopwright"), overwrite=False)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to("disk")
    write_folder(tmp_path / "out", FILES, overwrite=False)
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "disk" / "summary.json").is_file()


@pytest.mark.parametrize("existing", [False, True])
def test_a_failure_leaves_things_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, existing: bool
) -> None:
    folder = tmp_path / "a" / "out"
    if existing:
        write_folder(folder, FILES, overwrite=False)
    before = tree(tmp_path)

    def interrupt(*_paths: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(out, "_put", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, {"summary.json": b"half"}, overwrite=True)
    assert tree(tmp_path) == before


def test_a_failed_swap_brings_the_old_results_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    write_folder(folder, FILES, overwrite=False)
    before = tree(tmp_path)
    rename = Path.rename

    def fail_once(self: Path, target: Path) -> Path:
        if ".partial-" in self.name:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_once)
    with pytest.raises(OSError, match="No space"):
        write_folder(folder, {"summary.json": SUMMARY, "scenario.toml": b""}, overwrite=True)
    assert tree(tmp_path) == before


def test_default_names_are_safe_and_never_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(time, "strftime", lambda _format: "20260101-000000")
    folder = default_folder("../a b/c")
    assert folder == Path("results/a-b-c-20260101-000000")
    folder.mkdir(parents=True)
    assert default_folder("../a b/c") == Path("results/a-b-c-20260101-000000-2")
    assert default_folder("..").name.startswith("run-")
