"""What a study was asked for, in `request.json` beside its runs.

`--resume` refuses another question. A sweep has its plan for this, see `hopwright.sweeps.plan`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from hopwright import _core
from hopwright._io.data import json_of
from hopwright._io.errors import InputError
from hopwright._io.files import MOST_BYTES, read_text
from hopwright._io.out import write_whole
from hopwright.sweeps.plan import first_difference
from hopwright.sweeps.points import point_id

REQUEST = "request.json"
"""Its name in a folder."""

Asked = Mapping[str, str | int | list[str]]
"""What was asked for, by names that the user knows. A text must stay the same. A number may grow,
and a list may get more entries: then all finished runs still count."""


def check_asked(
    folder: Path, what: str, asked: Asked, options: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Raises `InputError` if the folder holds an answer to another question.

    `what`: what the folder holds, such as `map`. `options`: which option has decided a part of the
    question, such as `--quick`, by the part's name.

    Runs of another version of the program do not count any more, so a question of another version
    is not compared. Earlier versions left no request at all.
    """
    file = folder / REQUEST
    if not file.is_file():
        return
    try:
        stored = json_of(read_text(file, MOST_BYTES))
        program, before = stored["program"], dict(stored["asked"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file}: is not the request of a {what}: {error!r}") from error
    if program != _program():
        return
    found = [
        _difference(name, was, asked.get(name)) + _because(options.get(name))
        for name, was in before.items()
        if not _goes_on(was, asked.get(name))
    ]
    if found:
        raise InputError(
            f"{folder}: holds a {what} that was asked for otherwise:\n  "
            + "\n  ".join(found)
            + "\nask for the same, or name another folder"
        )


def write_asked(folder: Path, asked: Asked) -> None:
    """Writes down what is asked for."""
    content = json.dumps({"program": _program(), "asked": asked}, ensure_ascii=False, indent=2)
    write_whole(folder / REQUEST, f"{content}\n".encode())


def of_scenario(name: str, scenario: _core.Scenario) -> dict[str, str]:
    """A scenario with all that decides its results, as a part of what is asked for."""
    found = {name: scenario.to_toml()}
    files = (scenario.movement(), scenario.coefficients(), scenario.records())
    if any(files):
        found[f"content of the files that {name} names"] = point_id("", *files)
    return found


def _program() -> str:
    return f"version {_core.version()}, build {_core.build()}"


def _goes_on(was: object, now: object) -> bool:
    """Whether runs that were made for `was` all count for `now`."""
    if isinstance(was, int) and isinstance(now, int):
        return was <= now
    if isinstance(was, list) and isinstance(now, list):
        return all(each in now for each in was)
    return was == now


def _difference(name: str, was: object, now: object) -> str:
    if now is None:
        return f"{name}: asked for then, not now"
    if isinstance(was, str) and isinstance(now, str) and "\n" in was:
        return f"{name}: {first_difference(was, now)}"
    return f"{name}: {_text(was)} then, {_text(now)} now"


def _because(option: str | None) -> str:
    return "" if option is None else f" (because of {option})"


def _text(value: object) -> str:
    return (", ".join(map(str, value)) or "none") if isinstance(value, list) else str(value)
