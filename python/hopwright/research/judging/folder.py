"""What a judgement leaves in its folder."""

import io
import re
from pathlib import Path

from hopwright._io.extras import Warn, extra
from hopwright._io.out import write_whole
from hopwright.research.judging.figure import accuracy_figure
from hopwright.research.judging.judgement import Judgement
from hopwright.research.judging.report import text
from hopwright.sweeps.own_folder import OwnFolder

NUMBERS = "judgement.json"
FIGURE = "accuracy"
FOLDER = OwnFolder(
    "judgement",
    re.compile(
        r"judgement\.(txt|json|csv)|confusion\.csv|prices\.csv|request\.json|runs\.(parquet|jsonl)"
        r"|accuracy\.(svg|pdf|png|csv)"
    ),
    sign=NUMBERS,
)


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
