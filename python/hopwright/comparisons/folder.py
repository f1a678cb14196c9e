"""What a comparison leaves in its folder, beside the sweep that it is made of."""

from pathlib import Path

from hopwright._io.errors import InputError
from hopwright._io.extras import Warn, extra
from hopwright._io.out import probe, write_whole
from hopwright._io.paths import no_place
from hopwright.comparisons.figure import primary_figure
from hopwright.comparisons.outcome import Comparison
from hopwright.figures.look import PLAIN, Look
from hopwright.sweeps.folder import ANSWER, is_answer

STEM = "comparison"
FIGURES = frozenset({".svg", ".pdf", ".png", ".csv"})


def check_place(folder: Path, *, overwrite: bool) -> None:
    """Raises `InputError` if the answer to a question cannot be written into a folder."""
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder}: is not a folder; name another one with --out")
        if folder.is_dir() and any(folder.iterdir()):
            if not is_answer(folder):
                raise InputError(f"{folder}: has other files in it; name another folder with --out")
            if not overwrite:
                raise InputError(
                    f"{folder}: holds the answer to an earlier question; replace it with "
                    "--overwrite, or give the new answer another name (--name) or another folder "
                    "(--out)"
                )
        probe(folder)
    except OSError as error:
        raise no_place(folder, error) from error


def write(folder: Path, comparison: Comparison, warn: Warn, look: Look | None = None) -> list[Path]:
    """Writes the numbers, the words, the table and the figure of the primary metric.

    They take the place of an earlier comparison's; each is there with all of its content or not at
    all. `warn` is told if the figure is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        folder / ANSWER: comparison.to_json(),
        folder / f"{STEM}.txt": str(comparison),
        folder / f"{STEM}.csv": comparison.to_csv(),
    }
    for stale in folder.glob(f"{STEM}-*"):
        if stale.suffix in FIGURES:
            stale.unlink()
    for path, text in texts.items():
        write_whole(path, text.encode())
    written = list(texts)
    with extra("the figure", warn):
        figure = primary_figure(comparison, look or PLAIN)
        if figure is None:
            raise InputError(f"no difference of {comparison.metrics[0].key} is known")
        written += figure.save(folder / f"{STEM}-{comparison.metrics[0].key}")
    return written
