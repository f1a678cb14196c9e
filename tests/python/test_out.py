"""The output folder: all of it or nothing, and nobody else's files are touched."""

import errno
import fcntl
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from hopwright import _core
from hopwright._io import out, staging
from hopwright._io.errors import InputError
from hopwright._io.out import check_folder, default_folder, new_folder, write_all, write_whole
from hopwright._io.staging import lock_folder

SUMMARY = json.dumps({"scenario": "x", "version": "0", "results": []}).encode()
FILES = {"summary.json": SUMMARY, "scenario.toml": b"", "seed-1/summary.json": b"{}"}


def write_folder(folder: Path, files: Mapping[str, bytes], *, overwrite: bool) -> None:
    with new_folder(folder, overwrite=overwrite) as place:
        for name, content in files.items():
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_bytes(content)


def tree(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def cannot_exchange(*_paths: Path) -> None:
    """As on a file system that has no such call."""
    raise OSError(errno.EINVAL, "Invalid argument")


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


@pytest.mark.parametrize("is_swapped_at_once", [True, False])
def test_a_folder_keeps_who_may_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_swapped_at_once: bool
) -> None:
    if not is_swapped_at_once:
        monkeypatch.setattr(_core, "exchange", cannot_exchange)
    folder = tmp_path / "private"
    folder.mkdir()
    for mode in (0o700, 0o2750):
        folder.chmod(mode)
        if os.geteuid() == 0:
            os.chown(folder, 0, 7)
            folder.chmod(mode)
        before = folder.stat()
        with new_folder(folder, overwrite=True) as place:
            assert place.stat().st_mode == before.st_mode
            for name in ("summary.json", "scenario.toml"):
                (place / name).write_bytes(FILES[name])
        assert [*folder.iterdir()]
        after = folder.stat()
        assert (after.st_mode, after.st_gid) == (before.st_mode, before.st_gid)


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
        if "-partial-" in self.name:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(_core, "exchange", cannot_exchange)
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


def test_names_may_be_as_long_as_names_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("n" * 255)
    for exchange in (_core.exchange, cannot_exchange):
        monkeypatch.setattr(_core, "exchange", exchange)
        check_folder(folder, overwrite=True)
        write_folder(folder, FILES, overwrite=True)
        assert tree(tmp_path / folder.name) == tree(folder) != []
        assert [entry.name for entry in tmp_path.iterdir()] == [folder.name]
    write_whole(tmp_path / ("f" * 255), b"content")
    with pytest.raises(InputError, match="cannot write there: File name too long"):
        check_folder(tmp_path / ("n" * 256), overwrite=False)
    assert len(os.fsencode(default_folder("ü" * 300).name)) < 255


def test_what_dead_processes_left_is_swept_and_what_others_write_is_not(tmp_path: Path) -> None:
    left, alive = (tmp_path / f".hopwright-partial-{n:012x}" for n in (1, 2))
    for folder in (left, alive):
        (folder / "seed-1").mkdir(parents=True)
        (folder / "seed-1" / "summary.json").write_text("{}")
    (tmp_path / ".hopwright-partial-mine").mkdir()
    (tmp_path / ".hopwright-partial-00000000000f").symlink_to(alive)
    lock = os.open(alive, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        write_folder(tmp_path / "out", FILES, overwrite=False)
        assert alive.joinpath("seed-1", "summary.json").is_file()
        assert not left.exists()
        assert (tmp_path / ".hopwright-partial-mine").is_dir()
        assert (tmp_path / ".hopwright-partial-00000000000f").is_symlink()
    finally:
        os.close(lock)
    check_folder(tmp_path / "other", overwrite=False)
    assert not alive.exists()


def test_two_cannot_write_the_same_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with new_folder(out, overwrite=False) as place:
        (place / "summary.json").write_text("{}")
        for overwrite in (False, True):
            with (
                pytest.raises(InputError, match="out: another process is at work there"),
                new_folder(out, overwrite=overwrite),
            ):
                pytest.fail("the folder is being written")
        write_folder(tmp_path / "other", FILES, overwrite=False)
    assert (out / "summary.json").is_file()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["other", "out"]


def test_a_lock_that_a_dead_process_left_keeps_nobody_away(tmp_path: Path) -> None:
    lock_folder(tmp_path / "out", tmp_path).mkdir()
    write_folder(tmp_path / "out", FILES, overwrite=False)
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_nothing_is_swept_where_there_are_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(_file: int, _kind: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setattr(_core, "exchange", cannot_exchange)
    foreign = tmp_path / ".hopwright-partial-000000000001"
    foreign.mkdir()
    for _ in range(2):
        write_folder(tmp_path / "out", FILES, overwrite=True)
    assert sorted(each.name for each in tmp_path.iterdir()) == [foreign.name, "out"]


def test_planted_links_are_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that can be foreseen are given away; even then nothing that is there is opened."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr(staging, "_token", lambda: "000000000001")
    (tmp_path / ".hopwright-000000000001").symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "file", b"new")
    monkeypatch.undo()
    for pid in (os.getpid(), os.getpid() + 1):  # as earlier versions called them
        (tmp_path / f".file-{pid}").symlink_to(victim)
    (tmp_path / "file").symlink_to(victim)
    write_whole(tmp_path / "file", b"new")
    assert victim.read_text() == "precious"
    assert (tmp_path / "file").read_bytes() == b"new"
    assert not (tmp_path / "file").is_symlink()


def test_files_are_written_where_the_folder_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody puts a link in the folder's place in the middle of the writing."""
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    fsync = os.fsync

    def swapped(file: int) -> None:
        fsync(file)
        if not folder.is_symlink():
            folder.rename(tmp_path / "moved")
            folder.symlink_to(elsewhere)

    monkeypatch.setattr(os, "fsync", swapped)
    write_all(folder, {"a": b"1", "b": b"2"})
    assert tree(elsewhere) == []
    assert tree(tmp_path / "moved") == ["a", "b"]


def test_of_several_files_none_is_new_before_all_can_be(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(OSError, match="File name too long"):
        write_all(tmp_path, {"a": b"new", "b" * 300: b"new"})
    assert (tmp_path / "a").read_text() in ("old", "new")
    assert tree(tmp_path) == ["a"]
    umask = os.umask(0o027)
    try:
        write_whole(tmp_path / "b", b"")
        write_folder(tmp_path / "c", FILES, overwrite=False)
    finally:
        os.umask(umask)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in "bc"] == [0o640, 0o750]
