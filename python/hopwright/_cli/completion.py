"""`hopwright completion`: what a shell needs to complete commands, options, files and names."""

import argparse
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopwright._cli.arguments import _Parser

HOMES = {
    "bash": "~/.local/share/bash-completion/completions/hopwright",
    "zsh": "~/.zfunc/_hopwright, and 'fpath+=~/.zfunc; autoload -U compinit; compinit' in ~/.zshrc",
    "fish": "~/.config/fish/completions/hopwright.fish",
}
"""The shells, and where each looks for the script."""

RESULTS = ("metric", "of", "sort", "best", "value")
"""Options that take a result of runs."""

SETTINGS = ("set", "vary")
"""Options that begin with a key of a scenario, KEY=VALUE; those of `host` are of another file."""
KEYS = "_hopwright_keys"
"""The shells' function that offers keys, once for all options."""
OFFERED = {
    "bash": 'KEYS() { compgen -W "WORDS" -- "$1"; }',
    "zsh": "KEYS() { compadd \"$@\" -S '' -- WORDS }",
    "fish": "function KEYS; string split ' ' 'WORDS'; end",
}
NO_SPACE = """
# The value follows a key at once.
_hopwright() {
  _shtab_hopwright "$@"
  [[ "${COMPREPLY[0]}" != *= ]] || compopt -o nospace 2>/dev/null || :
}
complete -o bashdefault -F _hopwright hopwright
"""
"""Of bash, which has to be told; zsh is, and fish adds no blank behind a `=`."""


def add_completion(parser: "_Parser") -> "_Parser":
    """The words of the command."""
    homes = "; ".join(f"{shell}: {home}" for shell, home in HOMES.items())
    parser.description = (
        "Prints a script with which a shell completes commands, options, files, results, keys of "
        "scenarios, protocols and papers when the Tab key is pressed. "
        f"Write the script into the file of your shell: {homes}."
    )
    parser.add_argument("shell", choices=sorted(HOMES), metavar="SHELL", help="bash, zsh or fish")
    parser.set_defaults(do=lambda options: sys.stdout.write(script(options.shell)))
    return parser


def script(shell: str) -> str:
    """The script for a shell, of all commands and what there is at this moment."""
    import shtab

    from hopwright._cli.arguments import COMMANDS, words_of

    parser, _ = words_of(*COMMANDS)
    _complete(parser)
    words = " ".join(f"{key}=" for key in _keys())
    offered = OFFERED[shell].replace("KEYS", KEYS).replace("WORDS", words)
    text = shtab.complete(parser, shell, preamble=offered) + "\n"
    return text + NO_SPACE if shell == "bash" else text


def _complete(parser: argparse.ArgumentParser, command: str = "") -> None:
    """Says of each word what it may be; this parser reads nothing."""
    import shtab

    from hopwright._cli.arguments import path_of

    for action in parser._actions:  # noqa: SLF001 - argparse has no other list
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for each in action._choices_actions:  # noqa: SLF001
                # A line beside a command; what --help says is a page.
                action.choices[each.dest].description = each.help
                _complete(action.choices[each.dest], command or each.dest)
        elif action.type is path_of:
            is_folder = action.metavar == "DIR" and bool(action.option_strings)
            vars(action)["complete"] = shtab.DIRECTORY if is_folder else shtab.FILE
        elif action.option_strings and action.dest in SETTINGS and command != "host":
            vars(action)["complete"] = {"bash": KEYS, "zsh": KEYS, "fish": f"({KEYS})"}
        elif action.choices is None and (names := _names(command, action.dest)):
            action.choices = names


def _names(command: str, word: str) -> Sequence[str]:
    """The names that a word of a command may be; none if it is something else."""
    if word in RESULTS:
        return _results()
    if (command, word) == ("plot", "kind"):
        from hopwright.figures.of_run import RUN_KINDS
        from hopwright.figures.of_sweep import KINDS

        return [*KINDS, *RUN_KINDS]
    if (command, word) == ("protocols", "names"):
        import json

        from hopwright import _core

        return [each["id"] for each in json.loads(_core.protocols_json())]
    if (command, word) == ("reproduce", "ids"):
        from hopwright.research.papers.library import every

        return [*every()]
    return []


def _keys() -> Sequence[str]:
    import json

    from hopwright import _core
    from hopwright._schema.keys import scenario_keys

    return scenario_keys(json.loads(_core.schema_json()))


@cache
def _results() -> Sequence[str]:
    from hopwright.results.metrics import metrics
    from hopwright.statistics.means import TALLIES

    return [name for name in metrics() if name.partition(".")[0] not in TALLIES]
