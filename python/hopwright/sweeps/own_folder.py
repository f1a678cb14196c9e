"""A folder that one command writes, and goes on with: what may lie there, and the runs it keeps."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from hopwright._io.errors import InputError
from hopwright._io.out import probe
from hopwright._io.paths import no_place
from hopwright._io.staging import FILE
from hopwright.sweeps.asked import Asked, check_asked, write_asked
from hopwright.sweeps.journal import Journal


@dataclass(frozen=True)
class OwnFolder:
    """What a command's folder is like."""

    what: str
    """What it holds, as `map`."""
    names: re.Pattern[str]
    """Files that it may have; others are somebody else's."""
    sign: str = ""
    """A file that only this command writes: where it is, others may be, too. Empty: none is."""

    def check(self, folder: Path, *, resume: bool, overwrite: bool) -> None:
        """Raises `InputError` if nothing can be written there. Leaves no trace."""
        try:
            if folder.exists() and not folder.is_dir():
                raise InputError(f"{folder}: is not a folder; name another one with --out")
            there = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
            # One that was stopped before it had its sign leaves its journal.
            is_own = self.sign in there or all(self.is_own(name) for name in there)
            if not is_own:
                raise InputError(f"{folder}: has other files in it; name another folder with --out")
            if there and not (resume or overwrite):
                raise InputError(
                    f"{folder}: has a {self.what} already; go on with --resume if you ask for the "
                    "same, replace it with --overwrite, or name another folder"
                )
            probe(folder)
        except OSError as error:
            raise no_place(folder, error) from error

    def is_own(self, name: str) -> bool:
        """Whether a file of this name may be there."""
        return bool(self.names.fullmatch(name) or FILE.fullmatch(name))


def open_journal(
    folder: Path,
    what: str,
    asked: Asked,
    *,
    overwrite: bool,
    options: Mapping[str, str] = MappingProxyType({}),
) -> Journal:
    """The runs that a folder keeps, or a new one's.

    Raises `InputError` if another process is there, or if the folder holds the answer to another
    question. `what`: what the folder holds, as `map`. `options`: see `check_asked`.
    """
    journal = Journal.within(folder)
    try:
        if overwrite:
            journal.clear()
        else:
            check_asked(folder, what, asked, options)
        write_asked(folder, asked)
        for entry in folder.iterdir():
            if FILE.fullmatch(entry.name):
                entry.unlink()
    except BaseException:
        journal.close()
        raise
    return journal
