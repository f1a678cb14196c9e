"""The words of `hopwright explain`, and what it prints."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._cli.chosen import add_flow, add_where_values, chosen_of
from hopwright._cli.drawn import beside, check_stem, save
from hopwright._cli.whole import real, whole
from hopwright._io.console import Prose, print_lines, standard_output
from hopwright._io.data import Json
from hopwright._io.errors import InputError
from hopwright._io.streams import print_json
from hopwright.emulation import folder
from hopwright.explain import programs, words
from hopwright.explain.account import NOTHING, Account, check_flow
from hopwright.explain.budget import Budget, budget
from hopwright.explain.events import REACTIONS, Event, Lineage
from hopwright.explain.report import parts
from hopwright.explain.story import Story, check_time
from hopwright.explain.way import Way
from hopwright.results.summary import to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopwright._cli.arguments import _Parser
    from hopwright.explain.conversations import Conversation

EXIT_CODES = "Exit codes: 0 done, 2 the input is wrong."


BESIDE = Path()
"""What `--figure` is without a name."""


def add_explain(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    parser.description = (
        "Says why things happened in a run that was recorded with [output] lineage. Without "
        "options, prints the loss budget of each flow: how much each cause is to blame for. With "
        "--flow, also lists what the sender did and why; with --bundle, follows one bundle of the "
        "flow. With --at or --event, prints the story of one event: the chain of events that led "
        "to it, down to frames that disturbed others. For an emulation or its replay, prints the "
        "conversations of programs and their losses; with --at, why nothing arrived at this time; "
        "with --packet, the path of one packet. With --against, compares how flows spent their "
        "time in two runs or variants."
    )
    parser.epilog = EXIT_CODES
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of a run")
    add_flow(parser, "only these flows, and what their senders did")
    add_where_values(
        parser, "with --against: only variants or seeds in which KEY has one of these values"
    )
    parser.option(
        "--against",
        metavar="DIR|VALUE",
        help="say how flows spent their time, compared with the run in another folder, or, in a "
        "sweep or comparison, with the variant that has this VALUE; runs without the needed data "
        "are repeated",
    )
    parser.option(
        "--seed",
        type=whole(0, 2**63 - 1),
        metavar="N",
        help="with --against: only the runs with this seed [all seeds that both have]",
    )
    parser.option(
        "--bundle", type=whole(0, 2**32), metavar="B", help="follow this bundle of the flow"
    )
    parser.option(
        "--conversation",
        type=whole(0, 1_000_000),
        metavar="N",
        help="only this conversation of programs",
    )
    parser.option(
        "--packet",
        type=programs.packet,
        metavar="NODE:NUMBER",
        help="the story of this packet of a program: how it arrived, or was lost",
    )
    parser.option(
        "--at",
        type=real,
        metavar="T",
        help="the story of the event nearest to T seconds; for conversations of programs, why "
        "nothing arrived at this time",
    )
    parser.option(
        "--event",
        type=whole(0, 2**62),
        metavar="ID",
        help="the story of the event with this number",
    )
    parser.option(
        "--full",
        action="store_true",
        help="do not end a story at a segment or bundle that was sent again, but continue with the "
        "reason why it was sent again",
    )
    parser.option("--json", action="store_true", help="print only JSON")
    parser.option(
        "--latex",
        action="store_true",
        help="with --against: print only the tables, in LaTeX (booktabs, siunitx)",
    )
    parser.option(
        "--figure",
        type=Path,
        nargs="?",
        const=BESIDE,
        metavar="STEM",
        help="draw the loss budgets, the story over time and nodes, or with --against where the "
        "time went: write STEM.svg, .pdf, .png and .csv [DIR-budget, DIR-story, DIR-why]",
    )
    parser.option("--overwrite", action="store_true", help="replace existing files of --figure")
    parser.set_defaults(do=_do_explain)
    return parser


def _do_explain(options: argparse.Namespace) -> None:
    _check_figure(options)
    if options.against == "":
        raise InputError("--against: the name is empty")
    if options.against is not None:
        from hopwright._cli.against import explain_against

        explain_against(options, *chosen_of(options))
        return
    _check_one_run(options)
    _check_programs(options)
    if options.at is not None and options.event is not None:
        raise InputError("--at and --event: use only one of them")
    is_story = options.at is not None or options.event is not None or options.packet is not None
    if options.bundle is not None:
        _check_bundle(options, is_story=is_story)
    if options.full and not is_story:
        raise InputError("--full continues the story of an event: add --at or --event")
    lineage = Lineage.read(options.folder)
    if options.at is not None:
        check_time(options.at, options.folder, f"--at {options.at:g}")
    is_open_loop = folder.is_open_loop(options.folder)
    if is_open_loop:
        if options.json:
            print(folder.OPEN_LOOP, file=sys.stderr)
        else:
            print_lines(folder.OPEN_LOOP)
    told = _conversations(lineage, options)
    if told:
        _tell_programs(lineage, told, options, is_open_loop=is_open_loop)
    else:
        _tell_flows(lineage, options, is_story=is_story)


def _check_figure(options: argparse.Namespace) -> None:
    """Sees to it that the figure has a name.

    Raises `InputError` if a file is in its way, before anything is read.
    """
    if options.figure is not None:
        if options.figure is BESIDE:
            is_story = any(getattr(options, name) is not None for name in ("at", "event", "packet"))
            kind = "why" if options.against is not None else "story" if is_story else "budget"
            options.figure = beside(options.folder, kind)
        check_stem(options.figure, "--figure", overwrite=options.overwrite)
    elif options.overwrite:
        raise InputError("--overwrite needs --figure")


def _check_one_run(options: argparse.Namespace) -> None:
    """Raises `InputError` for what goes with `--against` alone."""
    if options.where:
        raise InputError("--where chooses variants for --against: add --against")
    if options.seed is not None:
        raise InputError(
            "--seed chooses runs for --against; for one of several runs, give its folder as DIR"
        )
    if options.latex:
        raise InputError("--latex prints the tables of --against: add --against")


def _tell_flows(lineage: Lineage, options: argparse.Namespace, *, is_story: bool) -> None:
    for flow in options.flow or ():
        check_flow(lineage, flow, "--flow ")
    if options.bundle is not None:
        _tell_way(_way(lineage, options.flow[0], options.bundle), options)
    elif is_story:
        _tell(_story(lineage, options), options)
    else:
        _account(lineage, options)


def _conversations(lineage: Lineage, options: argparse.Namespace) -> "Sequence[Conversation]":
    """Those that are asked for: none if a flow, an event or a packet is."""
    if options.flow is None and options.event is None and options.packet is None:
        return programs.chosen(lineage, options.conversation)
    return []


def _check_programs(options: argparse.Namespace) -> None:
    """Raises `InputError` for what does not go together."""
    asked = [
        word
        for word in ("--flow", "--bundle", "--event", "--conversation", "--packet")
        if getattr(options, word[2:]) is not None
    ]
    of_programs = [word for word in asked if word in ("--conversation", "--packet")]
    if of_programs and len(asked) > 1:
        raise InputError(f"{' and '.join(asked)}: use only one of them")
    if options.packet is not None and options.at is not None:
        raise InputError("--packet and --at: use only one of them")
    if options.conversation is not None and (options.full or options.figure is not None):
        word = "--full" if options.full else "--figure"
        raise InputError(f"{word} cannot be used with --conversation; use it with --packet")


def _tell_programs(
    lineage: Lineage,
    told: "Sequence[Conversation]",
    options: argparse.Namespace,
    *,
    is_open_loop: bool,
) -> None:
    """Of conversations, and of the flows beside them."""
    if options.at is not None:
        for word, is_there in (("--full", options.full), ("--figure", options.figure)):
            if is_there:
                raise InputError(f"{word} is for the story of an event: add --packet or --event")
        programs.stall(told, options.at, as_json=options.json)
        return
    flows = lineage.flows if options.conversation is None else []
    if options.figure is not None and not flows:
        raise InputError("--figure draws the loss budgets of flows, and stories: add --packet P")
    if options.json:
        budgets: list[Json] = [budget(lineage, flow).to_json() for flow in flows]
        about: dict[str, Json] = {
            "open_loop": is_open_loop,
            "conversations": programs.account_json(told),
        }
        print_json(to_json({**about, "flows": budgets} if flows else about))
        return
    console = standard_output()
    for line in programs.account(told):
        text = line.lstrip()
        console.print(Prose(text, hang=len(line) - len(text)))
    if flows:
        console.print()
        _account(lineage, options)


def _check_bundle(options: argparse.Namespace, *, is_story: bool) -> None:
    if is_story or options.full:
        raise InputError(
            "--bundle shows a bundle; --at, --event and --full show an event: use only one"
        )
    if options.flow is None or len(options.flow) != 1:
        raise InputError(f"--bundle {options.bundle}: add --flow N with the number of its flow")
    if options.figure is not None:
        raise InputError(
            "--figure draws loss budgets and stories, not the history of a bundle: omit --figure"
        )


def _way(lineage: Lineage, flow: int, bundle: int) -> Way:
    known = lineage.bundles(flow)
    if not known:
        raise InputError(f"--bundle {bundle}: no bundles carry flow {flow}")
    if bundle not in known:
        there = f"{known[0]} to {known[-1]}" if len(known) > 1 else str(known[0])
        raise InputError(f"--bundle {bundle}: flow {flow} has no such bundle; it has {there}")
    return Way.of(lineage, flow, bundle)


def _tell_way(way: Way, options: argparse.Namespace) -> None:
    if options.json:
        print_json(to_json(way.to_json()))
    else:
        print_lines(str(way))


def _story(lineage: Lineage, options: argparse.Namespace) -> Story:
    if options.packet is not None:
        return Story.of(lineage, programs.end_of(lineage, options.packet), full=options.full)
    if options.event is None:
        return Story.at(lineage, options.at, options.flow or None, full=options.full)
    if options.event not in lineage:
        raise InputError(
            f"--event {options.event}: the recording has no such event; --flow N lists events"
        )
    return Story.of(lineage, lineage[options.event], full=options.full)


def _tell(story: Story, options: argparse.Namespace) -> None:
    files = None
    if options.figure is not None:
        from hopwright.explain.figure import story_figure

        files = save(story_figure(story), options.figure)
    if options.json:
        if story.remark is not None:
            print(story.remark, file=sys.stderr)
        print_json(to_json(story.to_json()))
    else:
        print_lines(str(story))
    _say_drawn(files, options)


def _say_drawn(files: str | None, options: argparse.Namespace) -> None:
    """Names the files of a figure: last, as `plot` does, and apart from JSON."""
    if files is not None:
        print(files, file=sys.stderr if options.json else sys.stdout)


def _account(lineage: Lineage, options: argparse.Namespace) -> None:
    account = Account.of(lineage, options.flow or None)
    budgets = account.budgets
    reactions = [] if options.flow is None else lineage.those(REACTIONS, options.flow or None)
    files = None if options.figure is None else save(account.figure(), options.figure)
    if options.json:
        told = account.to_json()
        if options.flow is None:
            print_json(to_json({"flows": told}))
        else:
            done: list[Json] = [_reaction_json(lineage, event) for event in reactions]
            print_json(to_json({"flows": told, "reactions": done}))
        _say_drawn(files, options)
        return
    console = standard_output()
    if not budgets:
        console.print(NOTHING)
    for each in budgets:
        for part in parts(each):
            console.print(part)
        console.print()
    if options.flow is not None and budgets:
        console.print(_list_heading(len(budgets), has_any=bool(reactions)))
    for event in reactions:
        print_lines(f"{event.id:>8}  t={event.time_s:.6f} s  {words.what(lineage, event)}")
    for hint in _hints(budgets, has_flow=options.flow is not None):
        console.print(hint, markup=False)
    _say_drawn(files, options)


def _hints(budgets: "Sequence[Budget]", *, has_flow: bool) -> list[str]:
    """What else can be asked."""
    hints = []
    if any(each.carried is not None for each in budgets):
        hints.append("--flow N --bundle B shows the history of a bundle")
    if budgets and not has_flow:
        hints.append("--flow N lists what the sender did and why")
        hints.append("--at T shows the story of the event nearest to T seconds")
    return hints


def _list_heading(flows: int, *, has_any: bool) -> str:
    who = "the sender" if flows == 1 else "the senders"
    if not has_any:
        return f"no reaction of {who} was recorded"
    return f"what {who} did, and why; each line begins with the number of its event:"


def _reaction_json(lineage: Lineage, event: Event) -> Json:
    return {
        "event": event.id,
        "time_s": event.time_s,
        "kind": event.kind,
        "cause": event.cause,
        "loss": lineage.root(event),
        "says": words.what(lineage, event),
    }
