"""What a judgement leaves in its folder."""

import io
from pathlib import Path

from hopwright.errors import InputError
from hopwright.judging.figure import accuracy_figure
from hopwright.judging.judgement import Judgement
from hopwright.judging.report import text
from hopwright.out import probe, write_whole

NUMBERS = "judgement.json"
FIGURE = "accuracy"


def check_place(folder: Path, *, overwrite: bool) -> None:
    """Raises `InputError` if a judgement cannot be written there. Leaves no trace."""
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder}: is not a folder; name another one with --out")
        if folder.is_dir() and any(folder.iterdir()):
            if not (folder / NUMBERS).is_file():
                raise InputError(f"{folder}: has other files in it; name another folder with --out")
            if not overwrite:
                raise InputError(
                    f"{folder}: has a judgement already; add --overwrite or name another folder"
                )
        probe(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot write there: {error.strerror}") from error


def write(folder: Path, judgement: Judgement) -> list[Path]:
    """Writes words, numbers, tables and the figure; returns their paths.

    They take the place of an earlier judgement's; each is there with all of its content or not at
    all.
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
    figure = accuracy_figure(judgement)
    return [*written, *(figure.save(folder / FIGURE) if figure else [])]
