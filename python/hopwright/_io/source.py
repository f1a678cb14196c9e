"""A scenario before anything is varied in it: its text, read once."""

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hopwright import _core
from hopwright._io.data import toml_of
from hopwright._io.errors import InputError
from hopwright._io.files import read_text
from hopwright._io.paths import check_file

NEEDS = "name the file of a scenario"


class Source(NamedTuple):
    """The text of a scenario, so that later changes of its file reach nothing that has begun.

    Attributes:
        text: The scenario as TOML.
        name: What stands for the file in messages.
        folder: What paths in the scenario are relative to.
    """

    text: str
    name: str
    folder: str

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Source":
        """The content of a scenario file. Raises `InputError` if it cannot be read."""
        if not os.fspath(path):  # Python takes an empty path for the folder where we are
            raise InputError(f"the name of a scenario is empty; {NEEDS}")
        file = Path(path)
        check_file(file, NEEDS)
        # A file's name may be any bytes, and what messages show is text.
        name = os.fsencode(file).decode(errors="replace")
        return cls(read_text(file), name, str(file.parent))

    def load(self, overrides: Sequence[tuple[str, str]] = ()) -> _core.Scenario:
        """The checked scenario with keys set, values being TOML. Raises `ScenarioError`."""
        try:
            return _core.parse(self.text, self.name, list(overrides), folder=self.folder)
        except _core.ScenarioError as error:
            _check_no_request(self.text, self.name, error)
            raise


class Given(NamedTuple):
    """A scenario as a command names it: `chain.toml,name=string,topology.hops=4`."""

    source: Source
    settings: tuple[tuple[str, str], ...]
    """Keys that are set in this one alone."""

    @classmethod
    def read(cls, text: str) -> "Given":
        """A file's path, with settings behind commas. Raises `InputError`."""
        file, settings = (text, []) if Path(text).exists() else _parted(text)
        return cls(Source.read(file), tuple(settings))


def _parted(text: str) -> tuple[str, list[tuple[str, str]]]:
    file, *parts = text.split(",")
    settings = []
    for part in parts:
        key, equals, value = part.partition("=")
        if not key.strip() or not equals:
            raise InputError(
                f"{text}: '{part}' is not a setting; write FILE,KEY=VALUE, such as "
                "chain.toml,topology.hops=4"
            )
        settings.append((key.strip(), value.strip()))
    return file, settings


def check_apart(names: Sequence[str]) -> None:
    """Raises `InputError` if two scenarios have the same name, or there is none."""
    if not names:
        raise InputError("name at least one scenario")
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"two scenarios are called '{name}'; give one another name: FILE,name=OTHER"
            )


def load(file: Path, overrides: Sequence[tuple[str, str]]) -> _core.Scenario:
    """Reads a scenario; whatever is wrong with the file itself is an input error as well."""
    check_file(file, NEEDS)
    try:
        return _core.load(str(file), list(overrides))
    except _core.ScenarioError as error:
        if file.is_file():
            _check_no_request(read_text(file), str(file), error)
        raise
    except OSError as error:
        raise InputError(f"{file}: cannot read it: {error.strerror}") from error


def _check_no_request(text: str, name: str, error: _core.ScenarioError) -> None:
    """Raises `InputError` for a file of `hopwright adapt`, in place of all that is wrong with it.

    Its `scenario` names a file, or is a text; no scenario has such a key.
    """
    try:
        read = toml_of(text)
    except tomllib.TOMLDecodeError:
        return
    if isinstance(read.get("scenario"), str) and "topology" not in read and "links" not in read:
        raise InputError(
            f"{name}: is a file for 'hopwright adapt', not a scenario; its key 'scenario' names "
            "the scenario"
        ) from error
