"""What a judgement leaves in its folder."""

import io
import re
from pathlib import Path

from hopwright.errors import InputError
from hopwright.extras import Warn, extra
from hopwright.judging.figure import accuracy_figure
from hopwright.judging.judgement import Judgement
from hopwright.judging.report import text
from hopwright.out import probe, write_whole
from hopwright.staging import FILE
from hopwright.sweeps.journal import Journal

NUMBERS = "judgement.json"
FIGURE = "accuracy"
OWN_NAMES = re.compile(
    r"judgement\.(txt|json|csv)|confusion\.csv|prices\.csv|runs\.(parquet|jsonl)"
    rf"|accuracy\.(svg|pdf|png|csv)|{FILE.pattern}"
)


def check_place(folder: Path, *, resume: bool, overwrite: bool) -> None:
    """Raises `InputError` if a judgement cannot be written there. Leaves no trace."""
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder}: is not a folder; name another one with --out")
        names = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
        # One that was stopped before it had numbers leaves its journal.
        is_own = NUMBERS in names or all(OWN_NAMES.fullmatch(name) for name in names)
        if not is_own:
            raise InputError(f"{folder}: has other files in it; name another folder with --out")
        if names and not (resume or overwrite):
            raise InputError(
                f"{folder}: has a judgement already; go on with --resume, replace it with "
                "--overwrite, or name another folder"
            )
        probe(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot write there: {error.strerror}") from error


def open_journal(folder: Path, *, overwrite: bool) -> Journal:
    """The runs of the folder's judgement, or of a new one.

    Raises `InputError` if another process is there.
    """
    journal = Journal.within(folder)
    try:
        if overwrite:
            journal.clear()
        for entry in folder.iterdir():
            if FILE.fullmatch(entry.name):
                entry.unlink()
    except BaseException:
        journal.close()
        raise
    return journal


def write(folder: Path, judgement: Judgement, warn: Warn = lambda _line: None) -> list[Path]:
    """Writes words, numbers, tables and the figure; returns their paths.

    They take the place of an earlier judgement's; each is there with all of its content or not at
    all. `warn` is told if the figure is missing.
    """
    from arro3.io import write_parquet

    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    write_parquet(judgement.table(), buffer)
    contents = {
        "judgement.txt": text(judgement).encode(),
        "judgement.csv": judgement.to_csv().encode(),
        "confusion.csv": judgement.confusions_csv().encode(),
        "runs.parquet": buffer.getvalue(),
    }
    if judgement.prices:
        contents["prices.csv"] = judgement.prices_csv().encode()
    # Last: it is what makes a folder a judgement's.
    contents[NUMBERS] = judgement.to_json().encode()
    for stale in [folder / "prices.csv", *folder.glob(f"{FIGURE}.*")]:
        stale.unlink(missing_ok=True)
    written = [folder / name for name in contents]
    for path, content in zip(written, contents.values(), strict=True):
        write_whole(path, content)
    with extra("the figure", warn):
        figure = accuracy_figure(judgement)
        written += figure.save(folder / FIGURE) if figure else []
    return written
