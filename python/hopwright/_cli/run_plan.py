"""Words that commands share which make many runs: how they are made, and where they are kept."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.whole import whole
from hopwright._io.errors import InputError
from hopwright._run.execute import LARGEST_SEED
from hopwright.sweeps.executors import WAIT_WORKERS_S
from hopwright.sweeps.run_plan import RunPlan

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

MOST_JOBS = 1_000_000
MOST_WAIT_S = 1_000_000


def add_seed(parser: "_Parser", said: str = "first seed, instead of the scenario's") -> None:
    """The word of all whose runs are counted from a seed."""
    parser.option("--seed", type=whole(0, LARGEST_SEED), metavar="N", help=said)


def add_where(parser: "_Parser") -> None:
    """The words that say where runs are done."""
    parser.option(
        "--jobs",
        type=whole(1, MOST_JOBS),
        metavar="N",
        help="number of parallel runs [one per core]",
    )
    parser.option(
        "--on",
        metavar="WHERE",
        help="where to run: threads; processes:N; dask://HOST:PORT, the workers of a Dask "
        "scheduler [threads]",
    )
    parser.option(
        "--wait-workers",
        type=whole(1, MOST_WAIT_S),
        default=int(WAIT_WORKERS_S),
        metavar="S",
        help=f"seconds to wait for workers of the Dask scheduler [{WAIT_WORKERS_S:g}]",
    )


def add_folder(parser: "_Parser", what: str, *, usual: str, replaced: str = "") -> None:
    """The words of the folder of `what`, as `sweep`.

    `usual`: where it is if nobody says so; `replaced`: what --overwrite replaces, if not that.
    """
    parser.option("--out", type=Path, metavar="DIR", help=f"folder to write [{usual}]")
    parser.option(
        "--resume",
        action="store_true",
        help=f"continue the {what} in DIR, if there is one; finished runs are not repeated",
    )
    parser.option(
        "--overwrite",
        action="store_true",
        help=f"replace the {replaced or what} in DIR, if there is one; its runs are removed when "
        "the first new run begins, and cannot be restored if the command is interrupted",
    )


def check_folder_words(options: argparse.Namespace) -> None:
    """Raises `InputError` for words about a folder that do not go together."""
    for name in ("resume", "overwrite"):
        if getattr(options, name, False) and options.out is None:
            raise InputError(f"--{name} needs --out")
    if options.resume and getattr(options, "overwrite", False):
        raise InputError("--resume and --overwrite: use only one of them")


def run_plan_of(options: argparse.Namespace, folder: Path | None) -> RunPlan:
    """How runs are made, and kept in a folder."""
    return RunPlan(
        seed=getattr(options, "seed", None),
        jobs=options.jobs,
        on=options.on,
        wait_workers_s=options.wait_workers,
        out=folder,
        resume=options.resume,
        overwrite=getattr(options, "overwrite", False),
    )
