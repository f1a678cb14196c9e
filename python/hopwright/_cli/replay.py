"""`hopwright replay`: an emulation again, off line, with more recorded or something changed."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.whole import whole
from hopwright._io.data import Json, amount, at
from hopwright._io.errors import InputError
from hopwright._io.plural import many
from hopwright._run.execute import LARGEST_SEED
from hopwright.emulation import said
from hopwright.emulation.folder import INPUTS, SCENARIO
from hopwright.emulation.replay import replay

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser


def add_replay(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    from hopwright._cli.arguments import EXIT_CODES

    parser.description = (
        "Runs an emulation again from its folder, as fast as possible: packets of programs enter "
        "the network at their recorded times. With --set output.*=..., everything happens again, "
        "bit for bit, and more is recorded. If any other key is changed, packets of programs keep "
        "their recorded times, although real programs would react: the results are marked 'open "
        "loop'."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of an emulation")
    parser.option(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key of the scenario, such as output.lineage=all; may be given several times",
    )
    parser.option("--seed", type=whole(0, LARGEST_SEED), metavar="N", help="another seed")
    parser.option("--out", type=Path, metavar="DIR", help="folder for the results [none]")
    parser.option("--overwrite", action="store_true", help="replace earlier results in DIR")
    parser.option("--json", action="store_true", help="print the summary as JSON")
    parser.set_defaults(do=_do_replay)
    return parser


def _do_replay(options: argparse.Namespace) -> None:
    from hopwright._cli.commands import parse_overrides
    from hopwright._io.paths import wrong_kind
    from hopwright._io.source import load
    from hopwright._io.warn import warn

    folder: Path = options.folder
    if not folder.is_dir():
        raise InputError(wrong_kind(folder, "name the folder of an emulation"))
    if not (folder / INPUTS).is_file():
        raise InputError(f"{folder}: is not the folder of an emulation: it has no {INPUTS}")
    overrides = parse_overrides(options.set)
    if options.seed is not None:
        overrides.append(("seed", str(options.seed)))
    if options.overwrite and options.out is None:
        raise InputError("--overwrite needs --out")
    if options.out is not None and options.out.resolve() == folder.resolve():
        raise InputError(
            f"--out {options.out}: is the folder of the replayed emulation; name another folder"
        )
    scenario = load(folder / SCENARIO, overrides)
    summary = replay(scenario, folder, options.out, overwrite=options.overwrite)
    again = at(summary, "emulation", "replay")
    _show(again, said.of_warm_up(scenario, at(summary, "emulation")), options.out)
    if options.json:
        from hopwright._io.streams import print_json
        from hopwright.results.summary import to_json

        print_json(to_json(summary))
    if not at(again, "open_loop") and at(again, "first_difference_s") is not None:
        warn(
            "the packets differ from those of the emulation: another version of this program "
            f"made the emulation, or somebody changed {SCENARIO} or {INPUTS} of its folder"
        )


def _show(again: Json, lines: Sequence[str], out: Path | None) -> None:
    come, first = amount(again, "replayed_packets"), at(again, "first_difference_s")
    if at(again, "open_loop"):
        before = amount(again, "recorded_packets")
        print(
            f"hopwright: open loop: {many(come, 'packet')} arrived at programs, {before:.0f} in "
            "the emulation; real programs would have reacted",
            file=sys.stderr,
        )
    elif first is None:
        print(
            f"hopwright: {many(come, 'packet')} arrived at programs, exactly as in the emulation",
            file=sys.stderr,
        )
    for line in lines:
        print(f"hopwright: {line}", file=sys.stderr)
    if out is not None:
        print(f"hopwright: results in {out}", file=sys.stderr)
