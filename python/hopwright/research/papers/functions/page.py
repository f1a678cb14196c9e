"""The library in words: what `hopwright reproduce --functions` prints, and docs has as a page."""

import inspect
import types
import typing
from collections.abc import Callable, Iterator

from hopwright.research.papers.functions import defined, modules
from hopwright.research.papers.run import Run

HEAD = """\
# Functions of papers' files

A *measure* in a paper's file is a number that each run has. A measure can name a function, which
computes this number ([papers-files.md](papers-files.md)). This page lists the functions of
Hopwright. `hopwright reproduce --functions` prints this page.

Each function gets the run as its first argument. The paper's file gives only the other arguments,
which the tables list. Arguments with a default value, and optional arguments, may be omitted. Times
are in seconds from the start of the run. Your own Python file can import these functions. The name
of their module is `hopwright.research.papers.functions.`, followed by the heading of the table, for
example `hopwright.research.papers.functions.series`.
"""

RUN_HEAD = """\
## What a run has

Your own functions get a run as first argument. The type of this argument is `Run`. To import this
type, write `from hopwright.research.papers.run import Run`. When a function asks for data for the
first time, the run makes these data. The run keeps the data for all other functions.
"""


def page() -> str:
    """All functions, and all that a run has, as Markdown."""
    return "\n".join([HEAD, *_tables(), RUN_HEAD, *_run(), ""])


def _tables() -> Iterator[str]:
    for module in modules():
        name = module.__name__.rpartition(".")[2]
        yield f"## `{name}`\n"
        yield f"{inspect.getdoc(module)}\n"
        yield "| function | arguments | what it returns |\n| --- | --- | --- |"
        for function, each in defined(module).items():
            yield f"| `{function}` | {_arguments(each)} | {_words(each)} |"
        yield ""


def _run() -> Iterator[str]:
    yield "| attribute or method | what it is |\n| --- | --- |"
    for name, each in vars(Run).items():
        if name.startswith("_") or name in ("point", "kept"):
            continue
        if isinstance(each, property):
            yield f"| `run.{name}` | {_words(each)} |"
        elif isinstance(each, classmethod):
            yield f"| `Run.{name}({_parameters(each.__func__)})` | {_words(each)} |"
        elif inspect.isfunction(each):
            yield f"| `run.{name}({_parameters(each)})` | {_words(each)} |"


def _parameters(function: Callable[..., object]) -> str:
    """As in a call, without types."""
    _, *rest = inspect.signature(function).parameters.values()
    return ", ".join(
        f"*{each.name}"
        if each.kind is each.VAR_POSITIONAL
        else each.name
        if each.default is each.empty
        else f"{each.name}={each.default}"
        for each in rest
    )


def _arguments(function: Callable[..., object]) -> str:
    _, *rest = inspect.signature(function).parameters.values()
    hints = typing.get_type_hints(function)
    return ", ".join(_argument(each, hints[each.name]) for each in rest)


def _argument(each: inspect.Parameter, hint: object) -> str:
    words = "" if typing.get_origin(hint) is not typing.Literal else f": {_choices(hint)}"
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [one for one in typing.get_args(hint) if typing.get_origin(one) is typing.Literal]
        words = f": {_choices(inner[0])}" if inner else ""
    default = each.default
    given = "" if default in (each.empty, None, float("inf")) else f" = {default:g}"
    optional = " (optional)" if default is None or default == float("inf") else ""
    return f"`{each.name}{given}`{optional}{words}"


def _choices(hint: object) -> str:
    return " or ".join(f"`{each}`" for each in typing.get_args(hint))


def _words(each: object) -> str:
    """A docstring in a line."""
    return " ".join((inspect.getdoc(each) or "").split())
