"""Where runs leave their files: one alone in the folder, each of several in one of its own."""

from pathlib import Path

SERIES = "series.parquet"


def run_folder(folder: Path, seed: int, *, alone: bool) -> Path:
    """Where a run writes."""
    return folder if alone else folder / f"seed-{seed}"


def series_file(folder: Path, seed: int, *, alone: bool) -> Path:
    """Where a run writes its series."""
    return run_folder(folder, seed, alone=alone) / SERIES
