"""A scenario before anything is varied in it: its text, read once."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hopwright import _core
from hopwright.errors import InputError


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
        file = Path(path)
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{file}: cannot read it: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{file}: is no text in UTF-8, at byte {error.start}") from error
        return cls(text, str(file), str(file.parent))

    def load(self, overrides: Sequence[tuple[str, str]] = ()) -> _core.Scenario:
        """The checked scenario with keys set, values being TOML. Raises `ScenarioError`."""
        return _core.parse(self.text, self.name, list(overrides), folder=self.folder)
