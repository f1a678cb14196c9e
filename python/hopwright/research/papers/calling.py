"""Functions that measures name: found, checked against what they are given, and called.

They stand in the Python file beside a paper's (`scenarios/papers/ID.py` beside `ID.toml`, or the
one that `functions` names), in that of a file that it extends, or in `papers/functions/`.
"""

import ast
import inspect
import math
import numbers
import traceback
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from hopwright._io.errors import InputError, UnfinishedError, near
from hopwright._io.files import read_text
from hopwright.research.papers.document import Document
from hopwright.research.papers.fields import Value
from hopwright.research.papers.functions import library
from hopwright.research.papers.measures import Measure
from hopwright.research.papers.run import Run
from hopwright.research.papers.totals import NoNumberError

Function = Callable[..., object]
EMULATION = "emulation"
"""The argument that is the id of one of the file's `[[emulations]]`."""


def check(document: Document) -> None:
    """Whether all measures' functions are there and take what they are given.

    Raises:
        InputError: One is not, or a file of functions cannot be read as Python.
    """
    known = functions_of(document)
    for each in document.measures.values():
        if each.function:
            _check_arguments(each, known)
            name = each.arguments.get(EMULATION)
            if name is not None and name not in document.emulations:
                raise InputError(
                    f"{each.where}: with: no emulation called '{name}'"
                    f"{near(str(name), document.emulations)}"
                )


def functions_of(document: Document) -> dict[str, Function]:
    """All that a document's measures may name: its own hide others of the same name."""
    return _functions_of(document.functions)


def _functions_of(files: Sequence[Path]) -> dict[str, Function]:
    found = library()
    for path in reversed(files):
        found |= _functions_in(path)
    return found


def text_of(document: Document, function: str) -> str:
    """The file that a function is in, as text, without running it; empty of the library's."""
    for path in document.functions:
        text = read_text(path)
        if function in _names_in(text):
            return text
    return ""


@cache
def _names_in(text: str) -> frozenset[str]:
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return frozenset()  # which is told before any run
    return frozenset(each.name for each in body if isinstance(each, ast.FunctionDef))


_loaded: dict[tuple[Path, str], dict[str, Function]] = {}


def _functions_in(path: Path) -> dict[str, Function]:
    """The functions of a Python file, which is run for it; nothing is written beside it."""
    text = read_text(path)
    if (path, text) not in _loaded:
        module = types.ModuleType(f"paper_{path.stem}".replace("-", "_"))
        module.__file__ = str(path)
        try:
            exec(compile(text, str(path), "exec"), module.__dict__)  # noqa: S102 - the user's own
        except Exception as error:
            raise InputError(f"{_place_in(path, error)}: {_told(error)}") from error
        _loaded[path, text] = {
            name: each
            for name, each in vars(module).items()
            if inspect.isfunction(each) and not name.startswith("_")
        }
    return _loaded[path, text]


def number(files: Sequence[Path], measure: Measure, run: Run) -> float:
    """What a measure's function says of a run. `files`: of functions, as of the document.

    Raises:
        NoNumberError: The run has no such number: the function raised `InputError`, or its number
            is not finite.
        InputError: The function failed, or gave something else.
    """
    function = _functions_of(files)[measure.function]
    where = f"{measure.where}: {measure.function}"
    try:
        found = function(run, **measure.arguments)
    except InputError as error:
        raise NoNumberError(f"{where}: {error}") from error
    except UnfinishedError:
        raise
    except (Exception, SystemExit) as error:
        own = next((p for p in files if _frames(p, error)), None)
        if own is None:
            raise
        raise InputError(f"{where}: failed at {_place_in(own, error)}: {_told(error)}") from error
    # NumPy's numbers are Real, too.
    if isinstance(found, bool) or not isinstance(found, numbers.Real):
        raise InputError(f"{where}: returned {found!r}, which is not a number")
    try:
        value = float(found)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise NoNumberError(f"{where}: returned {value:g}: a run has no such number")
    return value


def _check_arguments(measure: Measure, known: Mapping[str, Function]) -> None:
    name = measure.function
    if name not in known:
        raise InputError(
            f"{measure.where}: no function called '{name}'{near(name, known)} "
            "(hopwright reproduce --functions prints them)"
        )
    where = f"{measure.where}: {name}"
    signature = inspect.signature(known[name])
    rest = [*signature.parameters.values()]
    first = rest.pop(0) if rest else None
    if first is None or first.kind in (first.KEYWORD_ONLY, first.VAR_KEYWORD):
        raise InputError(f"{where}: has no parameter for the run: write def {name}(run: Run, ...)")
    if any(each.kind is each.VAR_KEYWORD for each in rest):
        return
    takes = {each.name: each for each in rest if each.kind is not each.VAR_POSITIONAL}
    hints = _hints(known[name])
    for key, value in measure.arguments.items():
        if key not in takes:
            raise InputError(
                f"{where}: with: the function has no parameter '{key}'{near(key, takes)}"
            )
        hint = hints.get(key, typing.Any)
        if not fits(value, hint):
            raise InputError(f"{where}: with: {key} = {value!r}: write {_words(hint)}")
    for key, each in takes.items():
        if each.default is each.empty and key not in measure.arguments:
            raise InputError(
                f"{where}: with: {key} is missing: write {_words(hints.get(key, typing.Any))}"
            )


def _hints(function: Function) -> dict[str, object]:
    """The types of its arguments, as far as they can be told."""
    try:
        return typing.get_type_hints(function)
    except Exception:  # noqa: BLE001 - names that are there for a type checker alone
        return {}


def fits(value: Value, hint: object) -> bool:
    """Whether a value of TOML is of an argument's type; of types that TOML has not, any is."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return value in arguments
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, each) for each in arguments)
    if origin in LISTS:
        inner = [each for each in arguments if each is not ...]
        return isinstance(value, list) and all(fits(each, inner[0]) for each in value if inner)
    kinds = KINDS.get(hint)
    is_flag = isinstance(value, bool)
    return kinds is None or (isinstance(value, kinds) and (hint is bool or not is_flag))


LISTS = (list, Sequence, tuple)
KINDS: Mapping[object, tuple[type, ...]] = {
    float: (int, float),
    int: (int,),
    str: (str,),
    bool: (bool,),
    list: (list,),
    dict: (dict,),
    types.NoneType: (),
}
"""What of TOML is of a type."""
WORDS: Mapping[object, str] = {
    float: "a number",
    int: "a whole number",
    str: "a text",
    bool: "true or false",
}


def _words(hint: object) -> str:
    """A type for who writes TOML."""
    if typing.get_origin(hint) is typing.Literal:
        return "one of " + ", ".join(f"'{each}'" for each in typing.get_args(hint))
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        parts = [each for each in typing.get_args(hint) if each is not types.NoneType]
        return " or ".join(map(_words, parts))
    if typing.get_origin(hint) in LISTS:
        (inner, *_) = typing.get_args(hint)
        return f"a list, each {_words(inner)}"
    return WORDS.get(hint, "a value")


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _frames(path: Path, error: BaseException) -> list[int]:
    """The lines of a file that an error passed through, from the outside in."""
    frames = traceback.extract_tb(error.__traceback__)
    return [frame.lineno or 0 for frame in frames if frame.filename == str(path)]


def _place_in(path: Path, error: BaseException) -> str:
    """File and line of an error, the innermost of the file's."""
    lines = _frames(path, error)
    if isinstance(error, SyntaxError):
        lines = [error.lineno or 0]
    return f"{path}:{lines[-1]}" if lines else str(path)
