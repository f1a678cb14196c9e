"""Runs made once more for what only their files say."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from hopwright import _core
from hopwright._run.execute import execute

T = TypeVar("T")


def recorded(
    scenario: _core.Scenario, seeds: Sequence[int], take: Callable[[Path], T], *, jobs: int
) -> list[T]:
    """What `take` finds in each run's folder. The folders are gone afterwards."""
    with tempfile.TemporaryDirectory() as place:
        return [take(each) for each in record_into(Path(place), scenario, seeds, jobs=jobs)]


def record_into(
    place: Path, scenario: _core.Scenario, seeds: Sequence[int], *, jobs: int
) -> list[Path]:
    """The runs' folders, in a folder that is there."""
    folders = [place / str(seed) for seed in seeds]
    for folder in folders:
        folder.mkdir()
    execute(scenario, seeds, jobs=jobs, folders=folders)
    return folders
